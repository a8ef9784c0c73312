import type { Clock } from "@ledge/kernel";
import { Buckets } from "@ledge/link";
import { limits } from "@ledge/model";
import type { Access } from "../model/oauth-scopes.ts";
import type { Reader } from "./reader.ts";
import { type Sources, type Thing, thingKey, type ThingKind } from "./source.ts";
import { type Fetch, type Limit, type Session, UserWatch } from "./user-watch.ts";

export interface WatchingOptions {
  readonly clock: Clock;
  readonly sources: Sources;
  /** Returns whether an access token reaches a thing that its user may read. */
  readonly sees: (access: Access, thing: Thing) => boolean;
  /** Called when a change could not be read; whoever watches gets the next one. */
  readonly onError: (error: Error) => void;
  /** Called at the end. */
  readonly onStop?: () => void;
}

/** Who subscribes to what, perhaps at another process. */
export interface Subscriptions {
  /** As of `Watching`. */
  subscribe(
    user: string,
    session: Session,
    thing: Thing,
  ): Limit | "snapshots" | undefined | Promise<Limit | "snapshots" | undefined>;
  unsubscribe(user: string, session: Session, thing: Thing): void | Promise<void>;
}

/** A thing that somebody watches. */
interface Followed {
  readonly thing: Thing;
  readonly users: Map<string, UserWatch>;
  readonly stop: () => void;
}

/**
 * Who watches what, and who reads it (platform-api 3 and 6). A subscription belongs to a user: each reader of the
 * user gets everything that the user watches. Nothing is kept for a user who does not read.
 */
export class Watching implements Subscriptions {
  readonly #options: WatchingOptions;
  readonly #users = new Map<string, UserWatch>();
  readonly #followed = new Map<string, Followed>();
  readonly #snapshots = new Buckets(limits.snapshotsPerMinute, limits.snapshotUsers);
  #isStopped = false;

  constructor(options: WatchingOptions) {
    this.#options = options;
  }

  /** How many users watch or read, and how many things are watched. */
  get size(): { readonly users: number; readonly things: number } {
    return { users: this.#users.size, things: this.#followed.size };
  }

  /** How many streams are open, and how many sessions fetch, also between two fetches. */
  get readers(): number {
    let count = 0;
    for (const watch of this.#users.values()) count += watch.readers;
    return count;
  }

  /**
   * Subscribes a session to a thing, which the user may read. Every open reader of the user gets a snapshot.
   * @returns why not
   */
  subscribe(user: string, session: Session, thing: Thing): Limit | "snapshots" | undefined {
    if (this.#snapshots.take(user, this.#options.clock.monotonic()) > 0) return "snapshots";
    const limit = this.#watchOf(user).subscribe(session, thing);
    if (this.#isStopped) this.endSession(user, session);
    return limit;
  }

  /** Gives a thing back; nothing happens when the session does not hold it. */
  unsubscribe(user: string, session: Session, thing: Thing): void {
    this.#users.get(user)?.unsubscribe(session, thing);
  }

  /** Owes everybody a snapshot of all that they watch, because changes may have been missed. */
  resync(): void {
    for (const watch of this.#users.values()) watch.resync();
  }

  /** The sessions of fetches of all users, with what each one holds. */
  fetching(): readonly {
    readonly user: string;
    readonly session: Session;
    readonly things: readonly Thing[];
  }[] {
    return [...this.#users].flatMap(([user, watch]) => watch.fetching.map((one) => ({ user, ...one })));
  }

  /** Ends a session at once: a connection that has closed. */
  endSession(user: string, session: Session): void {
    this.#users.get(user)?.endSession(session);
  }

  openStream(user: string, session: Session): Reader | Limit {
    return this.#watchOf(user).openStream(session);
  }

  closeStream(user: string, session: Session, reader: Reader): void {
    this.#users.get(user)?.closeStream(session, reader);
  }

  beginFetch(user: string, session: Session): Fetch | Limit {
    const fetch = this.#watchOf(user).beginFetch(session);
    if (this.#isStopped) this.endSession(user, session);
    return fetch;
  }

  /** Ends all sessions, and each one that still begins: fetches under way are answered, and no timer stays. */
  stop(): void {
    this.#isStopped = true;
    this.#options.onStop?.();
    for (const watch of this.#users.values()) watch.end();
  }

  /** Returns what a session may read of a thing now: `all`, or `visible` without its hidden parts. */
  reads(user: string, { access }: Pick<Session, "access">, thing: Thing): "all" | "visible" | undefined {
    const { sources, sees } = this.#options;
    if (access !== undefined && !sees(access, thing)) return undefined;
    return sources[thing.kind].reads(user, thing.id);
  }

  /** Ends the watching of a thing by all users who may not read it any more. */
  recheck(kind: ThingKind, id: string, reason: string): void {
    const followed = this.#followed.get(thingKey({ kind, id }));
    const source = this.#options.sources[kind];
    for (const [user, watch] of followed?.users ?? [])
      if (source.reads(user, id) === undefined) watch.release({ kind, id }, source.released?.(id, reason));
  }

  /** Like `recheck`, for all things of a kind that anybody watches. */
  recheckAll(kind: ThingKind, reason: string): void {
    for (const { thing } of this.#followed.values())
      if (thing.kind === kind) this.recheck(kind, thing.id, reason);
  }

  #watchOf(user: string): UserWatch {
    const known = this.#users.get(user);
    if (known !== undefined) return known;
    const { clock, sources, sees } = this.#options;
    const watch: UserWatch = new UserWatch({
      user,
      clock,
      sources,
      sees,
      changed: (thing, isWatched) =>
        isWatched ? this.#follow(thing, user, watch) : this.#leave(thing, user),
      idle: () => this.#users.delete(user),
    });
    this.#users.set(user, watch);
    return watch;
  }

  #follow(thing: Thing, user: string, watch: UserWatch): void {
    const key = thingKey(thing);
    const known = this.#followed.get(key);
    if (known !== undefined) return void known.users.set(user, watch);
    const { [thing.kind]: source } = this.#options.sources;
    const users = new Map([[user, watch]]);
    const stop = source.follow(thing.id, async (part) => {
      try {
        const item = await source.read(thing.id, part);
        if (item === undefined) return;
        for (const watching of users.values()) watching.mark(thing, item);
      } catch (error) {
        this.#options.onError(error as Error);
      }
    });
    this.#followed.set(key, { thing, users, stop });
  }

  #leave(thing: Thing, user: string): void {
    const key = thingKey(thing);
    const followed = this.#followed.get(key);
    if (followed === undefined || !followed.users.delete(user) || followed.users.size > 0) return;
    this.#followed.delete(key);
    followed.stop();
  }
}
