import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { json } from "node:stream/consumers";
import {
  generateIssuerKey,
  type IssuerKey,
  jwksOf,
  keySetOf,
  type ListedUser,
  signActivationCode,
  signAuthorizationList,
  signHubKey,
  verifyHubAssertion,
} from "@ledge/link";
import { acceptTunnel, privatePaths, sessionOptions } from "@ledge/link/tunnel";
import { limits, roles } from "@ledge/model";

type IdentityJwk = IssuerKey["publicJwk"];

/** A hub as the cloud knows it. */
interface KnownHub {
  users: readonly ListedUser[];
  seq: number;
  seen: number;
  tunnel: ClientHttp2Session | undefined;
}

interface Asked {
  readonly hubId: string;
  readonly publicJwk: IdentityJwk;
  readonly proof: string;
  readonly email: string;
  readonly seq: number;
  readonly users: readonly string[];
}

/**
 * The part of a cloud that hubs talk to, on a port of this machine: sessions, claims, lists of users, tunnels. It
 * stores nothing and knows the users that a test gives it.
 */
export class SimulatedCloud {
  readonly issuer = "simulated-cloud";
  readonly #key: IssuerKey;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #hubs = new Map<string, KnownHub>();
  readonly #tokens = new Map<string, string>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  /** The requests of hubs: method and path. */
  readonly requests: string[] = [];
  /** May answer a request in place of the cloud; returns true when it did. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;

  private constructor(key: IssuerKey) {
    this.#key = key;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.#accept(request, socket, head),
    );
  }

  /**
   * Starts a cloud.
   * @param port by default any free port
   */
  static async open(port = 0): Promise<SimulatedCloud> {
    const cloud = new SimulatedCloud(await generateIssuerKey());
    await cloud.listen(port);
    return cloud;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Whether the tunnel of a hub is open. */
  isConnected(hubId: string): boolean {
    return this.#hub(hubId).tunnel !== undefined;
  }

  /** Returns who has access to a hub. */
  usersOf(hubId: string): readonly ListedUser[] {
    return this.#hub(hubId).users;
  }

  /**
   * Returns a HubKey for a user, who gets access if they have none. The hub knows the user when this resolves.
   * @param role by default the user's current role; `IDENTIFIED_USER` for a new user
   */
  async keyOf(hubId: string, email: string, role?: number): Promise<string> {
    const known = this.usersOf(hubId).find((user) => user.email === email);
    const held = role ?? known?.role ?? roles.IDENTIFIED_USER;
    const fresh = { user_id: randomUUID(), email, nickname: email.split("@")[0] ?? "" };
    const user = known ?? { ...fresh, granted: this.#hub(hubId).seq + 1 };
    const listed: ListedUser = { ...user, role: held, owner: held === roles.OWNER_ADMIN };
    const others = this.usersOf(hubId).filter((one) => one.email !== email);
    if (known?.role !== held) await this.setUsers(hubId, [...others, listed]);
    const claims = { ...listed, hub_id: hubId, hub_name: "Ledge", auth_seq: this.#hub(hubId).seq };
    return signHubKey(claims, this.issuer, this.#key, Date.now());
  }

  /** Returns the key of a hub's owner. Fails when there is none. */
  ownerKey(hubId: string): Promise<string> {
    const owner = this.usersOf(hubId).find((user) => user.owner) ?? assert.fail("the hub has no owner");
    return this.keyOf(hubId, owner.email);
  }

  /** Returns an activation code for features of a hub. */
  activationCode(hubId: string, features: readonly number[]): string {
    const expires = Date.now() + limits.activationCodeMs;
    return signActivationCode({ serial: randomUUID(), features, expires }, hubId, this.#key);
  }

  /** Changes who has access to a hub. Resolves when the hub has applied the change. */
  async setUsers(hubId: string, users: readonly ListedUser[]): Promise<void> {
    const hub = this.#hub(hubId);
    hub.users = users;
    hub.seq += 1;
    this.#announce(hub);
    await this.#taken(hub);
  }

  /** Resolves when a user no longer has access to a hub, and the hub has applied that. */
  async gone(hubId: string, email: string): Promise<void> {
    const hub = this.#hub(hubId);
    while (hub.users.some((user) => user.email === email)) await this.#change();
    await this.#taken(hub);
  }

  async #taken(hub: KnownHub): Promise<void> {
    while (hub.seen < hub.seq) await this.#change();
  }

  #change(): Promise<unknown> {
    return once(this.#changes, "change");
  }

  /** Closes all connections and accepts no further ones. */
  async close(): Promise<void> {
    const closed = this.#server.listening && once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #hub(hubId: string): KnownHub {
    const known = this.#hubs.get(hubId);
    if (known !== undefined) return known;
    const fresh: KnownHub = { users: [], seq: 0, seen: 0, tunnel: undefined };
    this.#hubs.set(hubId, fresh);
    return fresh;
  }

  #announce({ tunnel, seq }: KnownHub): void {
    const stream = tunnel?.request({ ":path": privatePaths.authorizations, ":method": "POST" });
    stream?.on("error", () => {});
    stream?.resume().end(JSON.stringify({ seq }));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "" } = request;
    this.requests.push(`${method} ${url}`);
    if (this.instead(request, response)) return;
    const body = method === "POST" ? ((await json(request)) as Asked) : undefined;
    const [status, answer] = await this.#answerTo(url, body, this.#hubIdIn(request));
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  }

  #hubIdIn({ headers }: IncomingMessage): string | undefined {
    return this.#tokens.get(headers.authorization?.slice("Bearer ".length) ?? "");
  }

  async #answerTo(
    path: string,
    body: Asked | undefined,
    caller: string | undefined,
  ): Promise<[status: number, answer: unknown]> {
    if (path === "/hub/challenge")
      return [200, { nonce: randomUUID(), issuer: this.issuer, now: Date.now() }];
    if (path === "/hub/session" && body !== undefined) return this.#openSession(body);
    if (caller === undefined) return [401, { message: "no such session" }];
    const hub = this.#hub(caller);
    switch (path) {
      case "/hub/claim":
        return [200, { userId: this.#claim(hub, body?.email ?? ""), seq: hub.seq }];
      case "/hub/authorizations": {
        const list = { hub_id: caller, seq: hub.seq, users: hub.users };
        return [200, await signAuthorizationList(list, this.issuer, this.#key, Date.now())];
      }
      case "/hub/authorizations/seen":
        hub.seen = body?.seq ?? 0;
        this.#changes.emit("change");
        return [200, true];
      case "/hub/revocations":
        hub.users = hub.users.filter(({ user_id }) => body?.users.includes(user_id) !== true);
        hub.seq += 1;
        this.#announce(hub);
        this.#changes.emit("change");
        return [200, true];
      default:
        return [404, { message: "there is nothing here" }];
    }
  }

  async #openSession({ hubId, publicJwk, proof }: Asked): Promise<[number, unknown]> {
    const expected = { hub_id: hubId, audience: [this.url], publicJwk };
    const { problem } = await verifyHubAssertion(proof, expected);
    if (problem !== undefined) return [403, { message: `the proof is not good: ${problem}` }];
    const token = randomUUID();
    this.#tokens.set(token, hubId);
    const jwks = jwksOf(keySetOf([this.#key]));
    return [200, { token, issuer: this.issuer, jwks, expires: 0, lifetimeMs: limits.hubSessionMs }];
  }

  #claim(hub: KnownHub, email: string): string {
    const [sole] = hub.users;
    if (sole?.email === email && hub.users.length === 1) return sole.user_id;
    const owner = hub.users.find((user) => user.email === email)?.user_id ?? randomUUID();
    const nickname = email.split("@")[0] ?? "";
    hub.seq += 1;
    hub.users = [{ user_id: owner, email, nickname, role: roles.OWNER_ADMIN, owner: true, granted: hub.seq }];
    return owner;
  }

  #accept(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const hubId = this.#hubIdIn(request);
    if (hubId === undefined) return void socket.destroy();
    acceptTunnel(request, socket, head, (duplex) => {
      const hub = this.#hub(hubId);
      duplex.on("error", () => {});
      const tunnel = connect("http://hub", { ...sessionOptions, createConnection: () => duplex });
      tunnel.on("error", () => {});
      tunnel.once("close", () => {
        if (hub.tunnel === tunnel) hub.tunnel = undefined;
      });
      hub.tunnel = tunnel;
    });
  }
}
