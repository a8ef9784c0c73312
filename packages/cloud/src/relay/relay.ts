import type { IncomingMessage, ServerResponse } from "node:http";
import type { ClientHttp2Session } from "node:http2";
import type { Duplex } from "node:stream";
import { keyShown } from "@ledge/host/server";
import type { Clock } from "@ledge/kernel";
import { Buckets, preflightHeaders } from "@ledge/link";
import {
  acceptTunnel,
  cloneHeaders,
  type CloneKind,
  type CloneRefusal,
  cloneStatus,
  type LivenessTimes,
  privatePaths,
  refuseUpgrade,
} from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import type { HubProcess } from "../hubs/hub-process.ts";
import { AnswerRoom } from "./answer-room.ts";
import { ask } from "./ask.ts";
import { type CallerPorts, Callers, type VerifiedKey } from "./callers.ts";
import { collect, type Collected, type Collecting, type CollectFailure } from "./collect.ts";
import { forward, type Traffic, type ForwardTimes } from "./forward.ts";
import type { FrameBounds } from "./frame-allowance.ts";
import { type Refusal, refusal, refuse } from "./refusal.ts";
import type { Target } from "./target.ts";
import { Tunnels } from "./tunnels.ts";
import type { ShareRate } from "../rates/rate-exchange.ts";

/** What the relay needs from the rest of the cloud. */
export interface RelayPorts extends CallerPorts {
  /** Returns the hub process whose session has this token. */
  processOf(token: string): HubProcess | undefined;
  /** Returns the newest generation of a registered hub. */
  newestOf(hubId: string): number;
  /**
   * Notes that another hub with the same identity has dialled and was refused.
   * @returns whether to tell the hub that holds the link
   */
  cloned(hubId: string, kind: CloneKind): boolean;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Called when a request fails through a fault of the cloud. */
  onError(error: Error): void;
  /** Absent for a cloud of one process. */
  readonly peers?: RelayPeers;
}

/** A client's request. */
export interface Asked {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly target: Target;
  /** The client's address, as the cloud sees it. */
  readonly address: string;
  /** Headers of every answer to this client. */
  readonly headers: Readonly<Record<string, string>>;
  /** Set when another process has passed it on, so that it goes no further. */
  readonly isPassedOn?: boolean;
}

/** Reaches hubs whose tunnels end at other processes of the cloud. */
export interface RelayPeers {
  /** As `Relay.answer`. @returns the relay's own answer when there is no other one */
  answer(address: string, asked: Asked): Promise<Refusal | undefined>;
  /** As `Relay.collect`. */
  collect(
    address: string,
    user: string,
    hubId: string,
    asked: Collecting,
  ): Promise<Collected | CollectFailure | Refusal>;
  /** Returns whether a hub has answered a request of the cloud itself with success. */
  ask(
    address: string,
    hubId: string,
    path: string,
    json: object | undefined,
    answerMs: number,
  ): Promise<boolean>;
}

export type RelayBounds = LivenessTimes &
  FrameBounds &
  ForwardTimes & {
    readonly hubOfflineMs: number;
    readonly cloneAnswerMs: number;
    readonly relayRequestsPerMinute: number;
  };

/** Passes clients' requests on to hubs, through the tunnels that the hubs have dialled. */
export class Relay {
  readonly tunnels: Tunnels;
  readonly traffic: Traffic = { requests: 0, toHubs: 0, fromHubs: 0 };
  readonly #ports: RelayPorts;
  readonly #bounds: RelayBounds;
  readonly #callers: Callers;
  /** Requests by user and hub. */
  readonly #rates: Buckets;
  readonly #room = new AnswerRoom();
  /** Pending requests, by hub and by user and hub. */
  readonly #underWay = new Map<string, number>();

  constructor(ports: RelayPorts, bounds: RelayBounds = limits) {
    this.#ports = ports;
    this.#bounds = bounds;
    this.#callers = new Callers(ports);
    this.#rates = new Buckets(bounds.relayRequestsPerMinute, limits.relayUsers);
    this.tunnels = new Tunnels({ clock: ports.clock, times: bounds });
  }

  /** Names each of its limits to what counts it over several processes. */
  shareRates(share: ShareRate): void {
    share("relay", this.#rates);
    this.#callers.shareRates(share);
  }

  /** Accepts a hub's dial: for the event `upgrade` of a server of node:http, with the tunnel's path. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const token = /^bearer (?<token>.+)$/i.exec(request.headers.authorization ?? "")?.groups?.["token"];
    const process = token === undefined ? undefined : this.#ports.processOf(token);
    if (token === undefined || process === undefined) return refuseUpgrade(socket, 401, noSession);
    keyShown(request, `hub ${process.hubId}`);
    const accept = (): void => {
      if (socket.destroyed) return;
      // The session may have ended while the relay asked the other process.
      if (this.#ports.processOf(token) === undefined) return refuseUpgrade(socket, 401, noSession);
      acceptTunnel(request, socket, head, (duplex) => this.tunnels.add(process, duplex));
    };
    if (this.#isAlone(process)) return accept();
    // Nobody else listens meanwhile.
    socket.on("error", () => socket.destroy());
    this.#rivalTo(process)
      .then((rival) => (rival === undefined ? accept() : this.#refuseClone(socket, process, rival)))
      .catch((error: unknown) => this.#ports.onError(error as Error));
  }

  /** Returns whether no other process may be the hub. */
  #isAlone({ hubId, generation, instance }: HubProcess): boolean {
    if (generation < this.#ports.newestOf(hubId)) return false;
    const holder = this.tunnels.processOf(hubId);
    return holder === undefined || holder.instance === instance || holder.generation < generation;
  }

  /**
   * Returns why a hub's process does not get the link. The process that holds the link keeps it if it
   * answers; otherwise it has died, and the new one is its successor.
   */
  async #rivalTo(process: HubProcess): Promise<CloneRefusal | undefined> {
    const { hubId, generation } = process;
    const newest = this.#ports.newestOf(hubId);
    if (generation < newest) return { kind: "older", newest };
    const holder = this.tunnels.processOf(hubId);
    if (await this.#askAnywhere(hubId, privatePaths.ping, undefined, this.#bounds.cloneAnswerMs))
      return { kind: "same", newest };
    // Another process may have dialled meanwhile.
    const isAlone = this.tunnels.processOf(hubId) === holder || this.#isAlone(process);
    return isAlone ? undefined : this.#rivalTo(process);
  }

  #refuseClone(socket: Duplex, { hubId }: HubProcess, rival: CloneRefusal): void {
    const { kind } = rival;
    const message = "another hub with this identity holds the link";
    refuseUpgrade(socket, cloneStatus, message, cloneHeaders(rival));
    if (this.#ports.cloned(hubId, kind)) void this.#askAnywhere(hubId, privatePaths.clone, { kind });
  }

  /** Answers a client's request. For the relay's own statuses see hub-api 5 and 7, and decision 43. */
  async answer(asked: Asked): Promise<void> {
    const { incoming, outgoing, headers } = asked;
    // Browsers send these without credentials; the hub would answer the same.
    if (incoming.method === "OPTIONS")
      return void outgoing.writeHead(204, { ...headers, ...preflightHeaders }).end();
    let refused: Refusal | undefined;
    try {
      const { target, address } = asked;
      const calling = {
        headers: incoming.headers,
        connection: incoming.socket,
        address,
        hubId: target.hubId,
      };
      const admitted = this.#callers.admit(calling);
      const key = admitted instanceof Promise ? await admitted : admitted;
      keyShown(incoming, "status" in key ? undefined : key.user);
      refused = "status" in key ? key : await this.#pass(key, asked);
    } catch (error) {
      this.#ports.onError(error as Error);
      refused = { status: 500, message: "internal error" };
    }
    if (refused !== undefined) refuse(outgoing, refused, headers);
  }

  /**
   * Tells a hub that its list of users has changed. Returns whether the hub got it; otherwise it asks when it
   * dials.
   */
  announce(hubId: string, seq: number): Promise<boolean> {
    return this.askHere(hubId, privatePaths.authorizations, { seq });
  }

  /** Returns whether a hub answers. */
  ping(hubId: string): Promise<boolean> {
    return this.#askAnywhere(hubId, privatePaths.ping);
  }

  /** Says goodbye to the hubs, which then dial again. */
  close(graceMs?: number): Promise<void> {
    return this.tunnels.drain(graceMs);
  }

  /** Makes hubs dial again and fetch the signing keys, because these have changed. */
  beginAnew(): void {
    this.#callers.clear();
    this.tunnels.dialAgain();
  }

  /** @returns the relay's own answer when the hub gives none */
  async #pass({ hubId, user }: VerifiedKey, asked: Asked): Promise<Refusal | undefined> {
    const { incoming, outgoing, target, address, headers } = asked;
    const elsewhere = asked.isPassedOn === true ? undefined : this.tunnels.elsewhere(hubId);
    if (elsewhere !== undefined && this.#ports.peers !== undefined)
      return this.#ports.peers.answer(elsewhere, asked);
    const session = this.#sessionFor(user, hubId);
    if ("status" in session) return session;
    if (outgoing.destroyed) return undefined;
    const { failure, ended } = forward(
      session,
      { incoming, outgoing, path: target.path, address, headers, traffic: this.traffic },
      this.#ports.clock,
      this.#bounds,
    );
    this.#countUntil(ended, user, hubId);
    const why = await failure;
    if (why === "timeout") return refusal(504, "the hub did not answer in time");
    if (why === "no-answer")
      return refusal(502, "the relay does not pass on this kind of answer from the hub");
    return why && refusal(502, "the connection to the hub was lost");
  }

  /**
   * Sends a request of the cloud itself for a user of a hub, who counts as with relayed requests. The caller
   * has checked the user's access.
   * @returns the hub's whole answer, why there is none, or the relay's refusal
   */
  async collect(
    user: string,
    hubId: string,
    asked: Collecting,
  ): Promise<Collected | CollectFailure | Refusal> {
    const elsewhere = this.tunnels.elsewhere(hubId);
    if (elsewhere === undefined || this.#ports.peers === undefined)
      return this.collectHere(user, hubId, asked);
    return this.#ports.peers.collect(elsewhere, user, hubId, asked);
  }

  /** Like `collect`, for a hub whose tunnel ends here. */
  async collectHere(
    user: string,
    hubId: string,
    asked: Collecting,
  ): Promise<Collected | CollectFailure | Refusal> {
    const session = this.#sessionFor(user, hubId);
    if ("status" in session) return session;
    let taken = 0;
    const take = (bytes: number): boolean => {
      const isTaken = this.#room.take(user, bytes);
      if (isTaken) taken += bytes;
      return isTaken;
    };
    const { answer, ended } = collect(session, asked, this.#ports.clock, take, this.#bounds);
    void ended.then(() => this.#room.giveBack(user, taken));
    this.#countUntil(ended, user, hubId);
    return answer;
  }

  /** Returns the session for a request of a user to a hub, and counts the request. */
  #sessionFor(user: string, hubId: string): ClientHttp2Session | Refusal {
    const session = this.tunnels.of(hubId);
    if (session === undefined) {
      // One that is elsewhere has just moved.
      return this.tunnels.reach(hubId) !== "offline"
        ? refusal(408, "the hub is not connected to the cloud; try again soon", 5)
        : refusal(400, "the hub is offline");
    }
    const ofUser = `${user} ${hubId}`;
    const waitSeconds = this.#rates.take(ofUser, this.#ports.clock.monotonic());
    if (waitSeconds > 0) return refusal(429, "you have sent too many requests to this hub", waitSeconds);
    if (this.underWay(hubId) >= limits.tunnelStreams)
      return refusal(429, "too many requests to this hub are pending", 1);
    if (this.underWay(ofUser) >= limits.tunnelStreamsPerUser)
      return refusal(429, "too many of your requests to this hub are pending", 1);
    return session;
  }

  #countUntil(ended: Promise<void>, user: string, hubId: string): void {
    for (const counted of [hubId, `${user} ${hubId}`]) {
      this.#count(counted, 1);
      void ended.then(() => this.#count(counted, -1));
    }
  }

  /** Returns the number of pending requests to a hub, or of a user to a hub. */
  underWay(counted: string): number {
    return this.#underWay.get(counted) ?? 0;
  }

  #count(counted: string, change: number): void {
    const count = this.underWay(counted) + change;
    if (count === 0) this.#underWay.delete(counted);
    else this.#underWay.set(counted, count);
  }

  #askAnywhere(
    hubId: string,
    path: string,
    json?: object,
    answerMs: number = this.#bounds.relayAnswerMs,
  ): Promise<boolean> {
    const elsewhere = this.tunnels.elsewhere(hubId);
    if (elsewhere === undefined || this.#ports.peers === undefined)
      return this.askHere(hubId, path, json, answerMs);
    return this.#ports.peers.ask(elsewhere, hubId, path, json, answerMs);
  }

  /** Sends a request of the cloud itself to a hub whose tunnel ends here. @returns whether it has answered with success */
  askHere(
    hubId: string,
    path: string,
    json?: object,
    answerMs: number = this.#bounds.relayAnswerMs,
  ): Promise<boolean> {
    const session = this.tunnels.of(hubId);
    if (session === undefined) return Promise.resolve(false);
    return ask(session, path, json, this.#ports.clock, answerMs);
  }
}

const noSession = "this is not the token of a hub's session";
