import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { systemClock } from "@ledge/kernel";
import { generateIssuerKey, type IssuerKey, keySetOf, signHubKey } from "@ledge/link";
import {
  dialTunnel,
  privatePaths,
  sessionOptions,
  type Transport,
  type TunnelDuplex,
} from "@ledge/link/tunnel";
import { features, limits, roles } from "@ledge/model";
import type { VerifiedToken } from "../accounts/logins.ts";
import { securityHeaders } from "../http/security-headers.ts";
import type { HubProcess } from "../hubs/hub-process.ts";
import { Relay, type RelayBounds } from "./relay.ts";
import { targetOf } from "./target.ts";

/** A timer of the relay that has not gone off. */
interface PendingTimer {
  readonly ms: number;
  readonly goOff: () => void;
}

export type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** A relay behind a server of node:http. Tests change the maps of hubs, accounts and access. */
export class TestRelay {
  readonly hubs: Map<string, string> = new Map([["hub-token", "hub-1"]]);
  /** Processes of tokens that stand for another process of the same hub. */
  readonly processes: Map<string, Omit<HubProcess, "hubId">> = new Map();
  /** The newest generation of the hub. */
  newest = 0;
  /** Clones that the relay has noted. */
  readonly clones: [hubId: string, kind: string][] = [];
  readonly accounts: Map<string, string> = new Map([["cloud-token", "ada"]]);
  /** Users with access, and the number of the list that gave it. */
  readonly granted: Map<string, number> = new Map([["ada hub-1", 1]]);
  readonly features: Map<string, number[]> = new Map([["hub-1", [features.REMOTE_USAGE]]]);
  /** Connects and disconnects of hubs, as the relay reports them. */
  readonly told: [hubId: string, isOpen: boolean][] = [];
  /** Pending timers. */
  readonly timers: Set<PendingTimer> = new Set();
  /** Faults of the relay itself. */
  readonly errors: Error[] = [];
  readonly relay: Relay;
  readonly #key: IssuerKey;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #hubs: TestTunnel[] = [];

  private constructor(key: IssuerKey, times: Partial<RelayBounds>) {
    this.#key = key;
    const ports = {
      processOf: (token: string) => {
        const hubId = this.hubs.get(token);
        const process = this.processes.get(token) ?? { generation: 0, instance: "" };
        return hubId === undefined ? undefined : { hubId, ...process };
      },
      newestOf: () => this.newest,
      cloned: (hubId: string, kind: string) => this.clones.push([hubId, kind]) > 0,
      verified: (token: string) => Promise.resolve(this.#tokenOf(token)),
      known: (token: string) => this.#tokenOf(token),
      accountOf: ({ jti }: VerifiedToken) => this.accounts.get(jti),
      grantedBy: (account: string, hubId: string) => this.granted.get(`${account} ${hubId}`),
      featuresOf: (hubId: string) => this.features.get(hubId) ?? [],
      issuer: "cloud",
      keys: () => keySetOf([key]),
      now: () => Date.now(),
      clock: {
        monotonic: () => systemClock.monotonic(),
        after: (ms: number, callback: () => void) => this.#after(ms, callback),
      },
      onError: (error: Error) => void this.errors.push(error),
    };
    this.relay = new Relay(ports, { ...limits, relayRequestsPerMinute: 1e9, ...times });
    this.relay.tunnels.onChanged((hubId, isOpen) => void this.told.push([hubId, isOpen]));
    this.#server = createServer((incoming, outgoing) => {
      const target = targetOf(incoming.url ?? "");
      if (target === undefined) return void outgoing.writeHead(404).end();
      void this.relay.answer({ incoming, outgoing, target, address: "192.0.2.7", headers: securityHeaders });
    });
    this.#server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.relay.upgrade(request, socket, head),
    );
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  static async open(times: Partial<RelayBounds> = {}, port = 0): Promise<TestRelay> {
    const test = new TestRelay(await generateIssuerKey(), times);
    test.#server.listen(port, "127.0.0.1");
    await once(test.#server, "listening");
    return test;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  #tokenOf(token: string): VerifiedToken | undefined {
    const id = this.accounts.get(token);
    return id === undefined ? undefined : { id, jti: token, expires: Infinity };
  }

  /** Lets the pending timers of this length go off, however long they have run. */
  goOff(ms: number): void {
    const due = [...this.timers].filter((timer) => timer.ms === ms);
    for (const { goOff } of due) goOff();
  }

  #after(ms: number, callback: () => void): () => void {
    const goOff = (): void => {
      cancel();
      callback();
    };
    const timer = { ms, goOff };
    const cancelTimer = systemClock.after(ms, goOff);
    const cancel = (): void => {
      this.timers.delete(timer);
      cancelTimer();
    };
    this.timers.add(timer);
    return cancel;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  hubKey(
    claims: { readonly user_id?: string; readonly hub_id?: string; readonly auth_seq?: number } = {},
    now = Date.now(),
  ): Promise<string> {
    const { user_id = "ada", hub_id = "hub-1", auth_seq = 1 } = claims;
    const rest = { hub_name: "Cabin", email: "ada@example.org", nickname: "ada", role: roles.OWNER_ADMIN };
    return signHubKey({ ...rest, hub_id, user_id, owner: true, auth_seq }, "cloud", this.#key, now);
  }

  /** Sends a request as the owner. */
  async get(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      authorization: "cloud-token",
      "x-hub-key": await this.hubKey(),
      ...(init.headers as object),
    };
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  /** Dials as a hub and waits until the relay knows it. */
  async dial(answer: Answer, transport: Transport = "upgrade", token = "hub-token"): Promise<TestTunnel> {
    const signal = AbortSignal.timeout(10_000);
    const duplex = await dialTunnel({ url: this.url, token, transport, signal });
    const tunnel = new TestTunnel(duplex, answer);
    this.#hubs.push(tunnel);
    await tunnel.opened;
    return tunnel;
  }

  async close(): Promise<void> {
    for (const hub of this.#hubs) hub.kill();
    await this.relay.close(0);
    for (const socket of this.#sockets) socket.destroy();
    assert.deepEqual(this.errors, []);
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

const tellsNothing: Answer = (stream) => stream.respond({ ":status": 404 }, { endStream: true });

/** The hub's end of a tunnel. A function of the test answers requests. */
export class TestTunnel {
  readonly duplex: TunnelDuplex;
  #session: ServerHttp2Session | undefined;
  /** Resolves when the relay has sent its first frame. */
  readonly opened: Promise<void>;
  /** Resolves when the relay says goodbye. */
  readonly goodbye: Promise<void>;

  /** @param changes answers what the home has to tell; without it the hub is of a release that tells nothing */
  constructor(duplex: TunnelDuplex, answer: Answer, changes: Answer = tellsNothing) {
    this.duplex = duplex;
    duplex.on("error", () => {});
    const server: Http2Server = createHttp2Server(sessionOptions);
    server.on("sessionError", () => {});
    server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      stream.on("error", () => {});
      const isChanges = headers[":path"]?.startsWith(privatePaths.changes) === true;
      (isChanges ? changes : answer)(stream, headers);
    });
    const opened = Promise.withResolvers<void>();
    const goodbye = Promise.withResolvers<void>();
    server.once("session", (session) => {
      this.#session = session;
      session.on("error", () => {});
      session.once("remoteSettings", () => opened.resolve());
      session.once("goaway", () => goodbye.resolve());
    });
    this.opened = opened.promise;
    this.goodbye = goodbye.promise;
    server.emit("connection", duplex);
  }

  /** Resolves when the relay has read all that was sent so far. */
  async read(): Promise<void> {
    await new Promise<void>((resolve) => this.#session?.ping(() => resolve()));
  }

  /** Says goodbye, and ends once no request is pending. */
  leave(): void {
    this.#session?.close();
  }

  /** Ends at once, as if the process had died. */
  kill(): void {
    this.duplex.destroy();
  }
}
