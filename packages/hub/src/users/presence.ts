import type { Clock, Kernel } from "@ledge/kernel";
import type { Command, Language } from "@ledge/model";
import { awayThresholdOf, limits, spoken, uiDevices } from "@ledge/model";

/** A user who polls or did so recently. Times are on the monotonic clock (ms). */
interface User {
  polledAt: number;
  connected: boolean;
  /** Whether the language of messages to the user is known. */
  isSpoken: boolean;
  readonly clients: Map<string, Client>;
}

interface Client {
  polledAt: number;
  session: boolean;
  reachable: boolean;
  /** The id of the client's device, once it was looked up. */
  device?: string;
}

/**
 * Knows which users have an active session, and with which of their clients, from their polls. It keeps this in
 * memory; only arrivals and departures are events.
 */
export class Presence {
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #users = new Map<string, User>();
  #cancel: () => void = () => {};

  constructor(kernel: Kernel, clock: Clock) {
    this.#kernel = kernel;
    this.#clock = clock;
    const polledAt = clock.monotonic();
    for (const [id, { connected }] of kernel.all("user")) if (connected) this.#user(id).connected = true;
    for (const { user, client, session, reachable } of uiDevices(kernel)) {
      if (session || reachable) this.#user(user).clients.set(client, { polledAt, session, reachable });
    }
    this.#sweep();
  }

  /**
   * Records a poll of a user's client.
   * @param client its own stable id, or null when it names none
   * @param language the language that it asks for, or null; used for a user who has not set one
   */
  polled(user: string, client: string | null, language: Language | null = null): void {
    const now = this.#clock.monotonic();
    const found = this.#users.get(user) ?? this.#user(user);
    found.polledAt = now;
    if (!found.connected) this.#noteUser(user, found, true);
    if (!found.isSpoken && language !== null) this.#noteLanguage(user, found, language);
    if (client === null) return;
    const device = found.clients.get(client) ?? addClient(found.clients, client);
    if (device === undefined) return;
    device.polledAt = now;
    if (!device.session) this.#noteClient(user, client, device, { session: true, reachable: true });
  }

  stop(): void {
    this.#cancel();
  }

  #user(id: string): User {
    const polledAt = this.#clock.monotonic();
    const user = this.#users.get(id) ?? {
      polledAt,
      connected: false,
      isSpoken: this.#isSpoken(id),
      clients: new Map<string, Client>(),
    };
    this.#users.set(id, user);
    return user;
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [id, user] of this.#users) {
      if (user.connected && now - user.polledAt >= limits.presenceMs) this.#noteUser(id, user, false);
      for (const [name, client] of user.clients) this.#sweepClient(id, name, client, now);
      for (const [name, client] of user.clients) if (!client.reachable) user.clients.delete(name);
      if (!user.connected && user.clients.size === 0) this.#users.delete(id);
    }
    this.#cancel = this.#clock.after(limits.presenceMs / 5, () => this.#sweep());
  }

  #sweepClient(user: string, name: string, client: Client, now: number): void {
    const silentMs = now - client.polledAt;
    const session = client.session && silentMs < limits.presenceMs;
    const reachable =
      silentMs < limits.awayThresholdMinMs || silentMs < this.#awayThreshold(user, name, client);
    if (session === client.session && reachable === client.reachable) return;
    this.#noteClient(user, name, client, { session, reachable });
  }

  #awayThreshold(user: string, name: string, client: Client): number {
    const held = client.device === undefined ? undefined : this.#kernel.get("device", client.device);
    if (held !== undefined) return awayThresholdOf(held);
    const found = uiDevices(this.#kernel).find((each) => each.user === user && each.client === name);
    if (found !== undefined) client.device = found.id;
    return awayThresholdOf(found && this.#kernel.get("device", found.id));
  }

  #noteUser(id: string, user: User, connected: boolean): void {
    user.connected = connected;
    this.#note({ type: "SET_USER_CONNECTED", id, connected }, () => {
      user.connected = !connected;
      this.#users.set(id, user);
    });
  }

  #isSpoken(id: string): boolean {
    const user = this.#kernel.get("user", id);
    return user !== undefined && spoken(user) !== undefined;
  }

  #noteLanguage(id: string, user: User, language: Language): void {
    user.isSpoken = true;
    this.#note({ type: "NOTE_USER_LANGUAGE", id, language }, () => {
      user.isSpoken = false;
    });
  }

  #noteClient(user: string, name: string, client: Client, news: Pick<Client, "session" | "reachable">): void {
    const { session, reachable } = client;
    Object.assign(client, news);
    // The time of its last poll, because it has seen nothing since.
    const at = Math.round(this.#clock.wall() - (this.#clock.monotonic() - client.polledAt));
    this.#note({ type: "NOTE_UI_DEVICE", user, client: name, ...news, at }, () => {
      Object.assign(client, { session, reachable });
      this.#user(user).clients.set(name, client);
    });
  }

  /** Submits a note without delaying the poll. A failed note is repeated with the next poll or sweep. */
  #note(command: Command & Record<string, unknown>, undo: () => void): void {
    this.#kernel.submit({ commands: [command], origin: "system", quiet: true }).catch(undo);
  }
}

/**
 * Adds a client. When there are too many, it drops the one that has been silent longest; undefined while all
 * poll.
 */
function addClient(clients: Map<string, Client>, name: string): Client | undefined {
  if (clients.size >= limits.uiDevicesPerUser) {
    const [oldest] = [...clients]
      .filter(([, { session }]) => !session)
      .toSorted(([, a], [, b]) => a.polledAt - b.polledAt);
    if (oldest === undefined) return undefined;
    clients.delete(oldest[0]);
  }
  const client = { polledAt: 0, session: false, reachable: false };
  clients.set(name, client);
  return client;
}
