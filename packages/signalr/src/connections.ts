import type { Connection, HubOptions, HubUser } from "./api.ts";
import type { Clock } from "./clock.ts";
import { ClientConnection, type HubSide } from "./connection.ts";
import { HubError } from "./errors.ts";
import { Flusher } from "./flusher.ts";
import { type Negotiated, Tokens } from "./http/token.ts";
import type { HubSettings } from "./settings.ts";
import { Targets } from "./targets.ts";
import type { Transport } from "./transports/transport.ts";

const idBytes = 16;
const keyBytes = 32;
/** How often connections are asked what time demands. */
const tickMs = 1000;

/** What a token leads to. */
interface Found<User extends HubUser> {
  readonly negotiated: Negotiated;
  /** Undefined if it is still to be opened. */
  readonly connection: ClientConnection<User> | undefined;
}

/** All connections of a hub, and what may become one. */
export class Connections<User extends HubUser> implements HubSide<User> {
  readonly settings: HubSettings;
  readonly clock: Clock;
  readonly flusher: Flusher;
  readonly targets: Targets<User>;
  readonly #options: HubOptions<User>;
  readonly #randomBytes: (size: number) => Uint8Array;
  readonly #tokens: Tokens;
  /** From the opening of their transport on, by id. */
  readonly #all = new Map<string, ClientConnection<User>>();
  /** From their handshake on, by id. */
  readonly open = new Map<string, Connection<User>>();
  /** Ids of connections that have ended -> when their token expires, so that it opens no second one. */
  readonly #spent = new Map<string, number>();
  /** Connections that onConnected has not resolved for. */
  readonly #opening = new Map<Connection<User>, Promise<void>>();
  #isTicking = false;
  #isDraining = false;
  #whenEmpty: (() => void)[] = [];

  constructor(
    options: HubOptions<User>,
    settings: HubSettings,
    clock: Clock,
    randomBytes: (size: number) => Uint8Array,
  ) {
    this.#options = options;
    this.settings = settings;
    this.clock = clock;
    this.#randomBytes = randomBytes;
    this.flusher = new Flusher(clock, settings.joinMs);
    this.targets = new Targets(options);
    this.#tokens = new Tokens(randomBytes(keyBytes));
  }

  /** Whether no further connection is taken. */
  get isFull(): boolean {
    return this.#isDraining || this.#all.size >= this.settings.maxConnections;
  }

  /** Allows a user to open one connection within a while. */
  negotiate(user: User, isStateful: boolean): { readonly negotiated: Negotiated; readonly token: string } {
    const expires = this.clock.now() + this.settings.handshakeMs;
    const negotiated = { connectionId: this.#newId(), expires, isStateful };
    return { negotiated, token: this.#tokens.issue(negotiated, user.id) };
  }

  /** What a token leads to; undefined if it is not of this user, has expired, or was used up. */
  find(token: string, user: User): Found<User> | undefined {
    const negotiated = this.#tokens.read(token, user.id);
    if (negotiated === undefined) return undefined;
    const { connectionId, expires } = negotiated;
    const connection = this.#all.get(connectionId);
    const isUsable = this.clock.now() < expires && !this.#spent.has(connectionId);
    return connection !== undefined || isUsable ? { negotiated, connection } : undefined;
  }

  /** Makes a connection of a transport. Without negotiation it cannot be resumed. */
  add(user: User, transport: Transport, negotiated?: Negotiated): ClientConnection<User> {
    const id = negotiated?.connectionId ?? this.#newId();
    const connection = new ClientConnection<User>(
      this,
      id,
      user,
      negotiated?.isStateful === true && transport.name === "WebSockets",
      transport,
    );
    this.#all.set(id, connection);
    this.#tickLater();
    return connection;
  }

  /** Takes no more connections, tells clients to reconnect elsewhere, and waits until they have left. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const connection of this.#all.values()) connection.close({ allowReconnect: true });
    if (this.#all.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }

  /** Ends all connections at once, and takes no more. */
  abort(): void {
    this.#isDraining = true;
    for (const connection of this.#all.values()) connection.abort();
  }

  opened(connection: ClientConnection<User>): void | Promise<void> {
    this.open.set(connection.id, connection);
    const { onConnected } = this.#options;
    if (onConnected === undefined) return;
    const opening = (async () => onConnected(connection))();
    const settled = opening.then(
      () => void this.#opening.delete(connection),
      (error: unknown) => {
        this.#opening.delete(connection);
        if (!(error instanceof HubError)) this.report(error);
      },
    );
    this.#opening.set(connection, settled);
    return opening;
  }

  ended(connection: ClientConnection<User>, error: Error | undefined, wasOpen: boolean): void {
    this.#all.delete(connection.id);
    this.open.delete(connection.id);
    this.#spent.set(connection.id, this.clock.now() + this.settings.handshakeMs);
    if (wasOpen) void this.#tellDisconnected(connection, error);
    if (this.#all.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  report(error: unknown): void {
    try {
      this.#options.onError?.(error);
    } catch {
      // Whoever reports errors has nobody to report to.
    }
  }

  async #tellDisconnected(connection: Connection<User>, error: Error | undefined): Promise<void> {
    // What onConnected begins late must not outlive what onDisconnected ends.
    await this.#opening.get(connection);
    try {
      await this.#options.onDisconnected?.(connection, error);
    } catch (thrown) {
      this.report(thrown);
    }
  }

  #newId(): string {
    return Buffer.from(this.#randomBytes(idBytes)).toString("base64url");
  }

  #tickLater(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    this.clock.after(tickMs, () => this.#tick());
  }

  #tick(): void {
    const now = this.clock.now();
    for (const connection of this.#all.values()) connection.tick(now);
    for (const [id, expires] of this.#spent) {
      // In the order in which they were added, and so in that of time.
      if (now < expires) break;
      this.#spent.delete(id);
    }
    this.#isTicking = false;
    if (this.#all.size + this.#spent.size > 0) this.#tickLater();
  }
}
