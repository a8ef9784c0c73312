import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Access } from "../model/oauth-scopes.ts";
import type { PushMessage } from "./pushes.ts";
import { Reader } from "./reader.ts";
import { type Item, type Sources, type Thing, thingKey } from "./source.ts";

/**
 * Who subscribes and reads for a user: a connection of `/hub/v1`, which holds what it has subscribed to until
 * it closes, or a session of fetches, which holds it for a while after its last fetch.
 */
export interface Session {
  readonly kind: "connection" | "fetch";
  readonly id: string;
  /** How far its access token reaches. Readers with tokens that reach less far than others are apart from them. */
  readonly access?: Access | undefined;
}

/** Why a user may not subscribe or read. */
export type Limit = "things" | "readers" | "sessions";

interface HeldThing {
  readonly thing: Thing;
  /** Keys of the sessions that hold it. */
  readonly holders: Set<string>;
  /** Parts that the user has seen, of those that they may not always see. */
  readonly seen: Set<string>;
}

interface SessionState {
  readonly session: Session;
  /** Snapshots for the session's first reader. */
  readonly owed: Map<string, Thing>;
  /** The fetches' reader, also between two fetches. */
  reader: Reader | undefined;
  /** Open streams of a connection; 1 while a session fetches. */
  reading: number;
  /** Ends the fetch under way. */
  endFetch: (() => void) | undefined;
  /** Cancels the timer of the idle grace, and of the turn-around. */
  cancelGrace: (() => void) | undefined;
  cancelTurn: (() => void) | undefined;
}

/** What a user watch needs. */
export interface UserWatchOptions {
  readonly user: string;
  readonly clock: Clock;
  readonly sources: Sources;
  /** Returns whether an access token reaches a thing. */
  readonly sees: (access: Access, thing: Thing) => boolean;
  /** Called when the user begins or ceases to watch a thing. */
  readonly changed: (thing: Thing, isWatched: boolean) => void;
  /** Called when the user neither watches nor reads any more. */
  readonly idle: () => void;
}

/** A fetch that has begun. */
export interface Fetch {
  readonly reader: Reader;
  /** Aborted when a newer fetch of the session begins. */
  readonly signal: AbortSignal;
  /** Ends it. Its reader collects what changes for a short while; the session holds what it has for longer. */
  readonly end: () => void;
}

/** All that one user watches, in which sessions, and their open readers (platform-api 3). */
export class UserWatch {
  readonly #options: UserWatchOptions;
  readonly #held = new Map<string, HeldThing>();
  readonly #sessions = new Map<string, SessionState>();
  readonly #readers = new Set<Reader>();

  constructor(options: UserWatchOptions) {
    this.#options = options;
  }

  /** The things that the user watches. */
  get things(): readonly Thing[] {
    return [...this.#held.values()].map(({ thing }) => thing);
  }

  /** How many streams are open, and how many sessions fetch, also between two fetches. */
  get readers(): number {
    return this.#readers.size;
  }

  /** Owes everybody a snapshot of all that the user watches, because changes may have been missed. */
  resync(): void {
    for (const [key, { thing }] of this.#held) {
      for (const reader of this.#readers) reader.owe(thing);
      for (const { owed, reader, reading } of this.#sessions.values())
        if (reader === undefined && reading === 0) owed.set(key, thing);
    }
  }

  /** The sessions of fetches, with what each one holds. */
  get fetching(): readonly { readonly session: Session; readonly things: readonly Thing[] }[] {
    const all = [...this.#sessions].filter(([, { session }]) => session.kind === "fetch");
    return all.map(([key, { session }]) => {
      const held = [...this.#held.values()].filter(({ holders }) => holders.has(key));
      return { session, things: held.map(({ thing }) => thing) };
    });
  }

  /** Lets a session hold a thing. Owes a snapshot to all open readers, and to the session. */
  subscribe(session: Session, thing: Thing): Limit | undefined {
    const key = thingKey(thing);
    if (!this.#held.has(key) && this.#held.size >= limits.watchedPerUser) return "things";
    const state = this.#stateOf(session);
    if (state === undefined) return "sessions";
    const held = this.#held.get(key) ?? { thing, holders: new Set<string>(), seen: new Set<string>() };
    held.holders.add(sessionKey(session));
    if (!this.#held.has(key)) {
      this.#held.set(key, held);
      this.#options.changed(thing, true);
    }
    const isRead = state.reader !== undefined || state.reading > 0;
    if (!isRead) state.owed.set(key, thing);
    for (const reader of this.#readers) reader.owe(thing);
    if (state.reading === 0) this.#startGrace(state);
    return undefined;
  }

  /** Lets a session give a thing back. The last one that leaves ends the watching. */
  unsubscribe(session: Session, thing: Thing): void {
    const key = thingKey(thing);
    this.#sessions.get(sessionKey(session))?.owed.delete(key);
    this.#leave(key, sessionKey(session));
  }

  /** Ends a session: it gives back all that it holds, and its readers end. */
  endSession(session: Session): void {
    const key = sessionKey(session);
    const state = this.#sessions.get(key);
    if (state === undefined) return;
    this.#sessions.delete(key);
    state.cancelGrace?.();
    state.cancelTurn?.();
    state.endFetch?.();
    state.endFetch = undefined;
    if (state.reader) this.#close(state.reader);
    for (const thing of this.#held.keys()) this.#leave(thing, key);
    this.#checkIdle();
  }

  /** Ends all sessions. */
  end(): void {
    for (const { session } of this.#sessions.values()) this.endSession(session);
  }

  /** Opens a stream of a connection. */
  openStream(session: Session): Reader | Limit {
    if (this.#readers.size >= limits.readersPerUser) return "readers";
    const state = this.#stateOf(session);
    if (state === undefined) return "sessions";
    const reader = this.#opened(session);
    state.reading++;
    this.#payTo(reader, state);
    return reader;
  }

  /** Closes a stream; what its connection has subscribed to stays. */
  closeStream(session: Session, reader: Reader): void {
    const state = this.#sessions.get(sessionKey(session));
    if (state !== undefined && this.#readers.has(reader)) state.reading--;
    this.#close(reader);
    this.#checkIdle();
  }

  /** Begins a fetch of a session, and ends an older one. A fetch that follows the last one soon misses nothing. */
  beginFetch(session: Session): Fetch | Limit {
    const known = this.#sessions.get(sessionKey(session));
    if (known?.reader === undefined && this.#readers.size >= limits.readersPerUser) return "readers";
    const state = this.#stateOf(session);
    if (state === undefined) return "sessions";
    state.endFetch?.();
    state.cancelGrace?.();
    state.cancelTurn?.();
    state.reading = 1;
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    state.endFetch = stop;
    state.reader?.begin();
    const reader = (state.reader ??= this.#opened(session));
    this.#payTo(reader, state);
    const end = (): void => {
      if (state.endFetch !== stop) return;
      state.endFetch = undefined;
      this.#pause(state);
    };
    return { reader, signal: controller.signal, end };
  }

  /** Gives all readers the newest state of a part. */
  mark(thing: Thing, item: Item): void {
    for (const reader of this.#readers) reader.mark(thing, item);
  }

  /** Ends the watching of a thing, whoever holds it. */
  release(thing: Thing, last: PushMessage | undefined): void {
    const key = thingKey(thing);
    if (!this.#held.delete(key)) return;
    for (const { owed } of this.#sessions.values()) owed.delete(key);
    for (const reader of this.#readers) reader.drop(thing, last);
    this.#options.changed(thing, false);
  }

  #leave(key: string, holder: string): void {
    const held = this.#held.get(key);
    if (held === undefined || !held.holders.delete(holder) || held.holders.size > 0) return;
    this.release(held.thing, undefined);
  }

  #stateOf(session: Session): SessionState | undefined {
    const key = sessionKey(session);
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    if (this.#sessions.size >= limits.pushSessionsPerUser) return undefined;
    const state: SessionState = {
      session,
      owed: new Map(),
      reader: undefined,
      reading: 0,
      endFetch: undefined,
      cancelGrace: undefined,
      cancelTurn: undefined,
    };
    this.#sessions.set(key, state);
    return state;
  }

  #startGrace(state: SessionState): void {
    if (state.session.kind === "connection") return;
    state.cancelGrace?.();
    state.cancelGrace = this.#options.clock.after(limits.pushIdleGraceMs, () =>
      this.endSession(state.session),
    );
  }

  #pause(state: SessionState): void {
    state.reading = 0;
    this.#startGrace(state);
    state.cancelTurn = this.#options.clock.after(limits.pushTurnAroundMs, () => this.#lapse(state));
  }

  /** Forgets what has changed since the last fetch; its snapshots go to the next fetch. */
  #lapse(state: SessionState): void {
    const { reader } = state;
    if (reader === undefined) return;
    for (const thing of reader.owedNow) state.owed.set(thingKey(thing), thing);
    state.reader = undefined;
    this.#close(reader);
  }

  #payTo(reader: Reader, state: SessionState): void {
    for (const thing of state.owed.values()) reader.owe(thing);
    state.owed.clear();
  }

  #opened({ access }: Session): Reader {
    const { clock, sources, sees } = this.#options;
    const reader = new Reader({
      clock,
      sees: access && ((thing) => sees(access, thing)),
      shown: (thing, item) => this.#shown(thing, item),
      snapshot: ({ kind, id }) => sources[kind].snapshot(id),
      complete: ({ kind, id }, count) => sources[kind].complete?.(id, count),
    });
    this.#readers.add(reader);
    return reader;
  }

  #close(reader: Reader): void {
    this.#readers.delete(reader);
    reader.end();
  }

  #checkIdle(): void {
    if (this.#sessions.size === 0 && this.#readers.size === 0) this.#options.idle();
  }

  /** Asks for the user's rights at each delivery. */
  #shown(thing: Thing, item: Item): PushMessage | undefined {
    const { user, sources } = this.#options;
    const held = this.#held.get(thingKey(thing));
    const reads = held && sources[thing.kind].reads(user, thing.id);
    if (reads === undefined) return undefined;
    if (reads === "all" || item.hidden === undefined) {
      if (reads === "visible" && item.id !== "") held?.seen.add(item.id);
      return item.message;
    }
    return held?.seen.delete(item.id) ? item.hidden : undefined;
  }
}

function sessionKey({ kind, id, access }: Session): string {
  const reach = access === undefined ? [] : [access.tenant, ...[...access.scopes].toSorted()];
  return [kind, id, ...reach].join(" ");
}
