import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { notePush } from "../tracing/tracing.ts";
import { heartbeat, type PushMessage } from "./pushes.ts";
import { type Item, type Thing, thingKey } from "./source.ts";

/** What a reader needs. */
export interface ReaderOptions {
  readonly clock: Clock;
  /** Returns whether the reader may get anything of a thing; left out, it may of all. */
  readonly sees?: ((thing: Thing) => boolean) | undefined;
  /** Returns what the user may get of a part of a thing now; undefined for nothing. */
  readonly shown: (thing: Thing, item: Item) => PushMessage | undefined;
  readonly snapshot: (thing: Thing) => AsyncIterable<Item>;
  /** Returns what follows a snapshot, if anything does. */
  readonly complete: (thing: Thing, count: number) => PushMessage | undefined;
}

interface Pending {
  readonly thing: Thing;
  readonly item: Item;
}

/** A snapshot that is being read. */
interface Snapshot {
  readonly thing: Thing;
  readonly items: AsyncIterator<Item>;
  /** Parts that have changed since it began: what it has of them may be older than what was pushed. */
  readonly changed: Set<string>;
  count: number;
}

/**
 * What waits for one stream, or for the fetches of one session. Each part of a thing waits at most once, in its
 * newest state, so a slow reader needs no more memory than the things that it watches.
 */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #pending = new Map<string, Pending>();
  /** Messages that end the watching of a thing. */
  #last: PushMessage[] = [];
  #owed: Thing[] = [];
  #snapshot: Snapshot | undefined;
  #isNew = true;
  #isEnded = false;
  #quietSince = 0;
  #wake: (() => void) | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Adds the newest state of a part. */
  mark(thing: Thing, item: Item): void {
    if (!this.#sees(thing)) return;
    const key = thingKey(thing);
    if (this.#snapshot && thingKey(this.#snapshot.thing) === key) this.#snapshot.changed.add(item.id);
    this.#pending.set(`${key} ${item.id}`, { thing, item });
    this.#wake?.();
  }

  /** Owes a snapshot of a thing. One that has begun goes on, and another one follows. */
  owe(thing: Thing): void {
    if (!this.#sees(thing)) return;
    const key = thingKey(thing);
    if (!this.#owed.some((owed) => thingKey(owed) === key)) this.#owed.push(thing);
    this.#wake?.();
  }

  /** Forgets all that waits of a thing. */
  drop(thing: Thing, last?: PushMessage): void {
    const key = thingKey(thing);
    this.#owed = this.#owed.filter((owed) => thingKey(owed) !== key);
    for (const [name, pending] of this.#pending)
      if (thingKey(pending.thing) === key) this.#pending.delete(name);
    if (this.#snapshot && thingKey(this.#snapshot.thing) === key) this.#stopSnapshot();
    if (last && this.#sees(thing)) this.#last.push(last);
    this.#wake?.();
  }

  /** The things whose snapshots are owed, or not complete yet. */
  get owedNow(): readonly Thing[] {
    return this.#snapshot ? [this.#snapshot.thing, ...this.#owed] : [...this.#owed];
  }

  /** Begins with a heartbeat again, for the next fetch of a session. */
  begin(): void {
    this.#isNew = true;
    this.#wake?.();
  }

  /** Ends the reader for good: `next` answers with nothing. */
  end(): void {
    this.#isEnded = true;
    this.#pending.clear();
    this.#owed = [];
    this.#stopSnapshot();
    this.#wake?.();
  }

  /**
   * Waits for messages: some of what waits, in the order in which it came, or a heartbeat.
   * @param signal ends the wait
   * @returns at most `limits.pushesAtOnce` messages; none when the reader has ended or the signal was aborted
   * @throws what reading a snapshot throws
   */
  async next(signal: AbortSignal): Promise<readonly PushMessage[]> {
    const { clock } = this.#options;
    while (!this.#isEnded && !signal.aborted) {
      const messages = this.#isNew ? [heartbeat(clock.wall())] : this.#take();
      this.#isNew = false;
      if (messages.length > 0) {
        this.#quietSince = clock.monotonic();
        return messages;
      }
      if (await this.#readOn()) continue;
      if (await this.#isQuiet(signal)) return [heartbeat(this.#options.clock.wall())];
    }
    return [];
  }

  #sees(thing: Thing): boolean {
    return this.#options.sees?.(thing) ?? true;
  }

  #take(): readonly PushMessage[] {
    const messages = this.#last.splice(0);
    for (const [key, { thing, item }] of this.#pending) {
      if (messages.length >= limits.pushesAtOnce) break;
      this.#pending.delete(key);
      const shown = this.#options.shown(thing, item);
      if (!shown) continue;
      notePush(thing.id, shown.push.type, this.#options.clock);
      messages.push(shown);
    }
    return messages;
  }

  /** Reads a slice of the snapshot that is due. Returns false when none is. */
  async #readOn(): Promise<boolean> {
    const snapshot = (this.#snapshot ??= this.#begun());
    if (snapshot === undefined) return false;
    const { thing, items, changed } = snapshot;
    for (let count = 0; count < limits.snapshotSlice; count++) {
      const { done, value: item } = await items.next();
      // The snapshot may have been stopped meanwhile.
      if (this.#snapshot !== snapshot) return true;
      if (done) {
        this.#snapshot = undefined;
        const complete = this.#options.complete(thing, snapshot.count);
        // A key of its own behind all parts: ids of parts are never empty.
        if (complete)
          this.#pending.set(`${thingKey(thing)} `, { thing, item: { id: "", message: complete } });
        return true;
      }
      const shown = this.#options.shown(thing, item);
      if (shown === undefined) continue;
      if (shown === item.message) snapshot.count++;
      if (!changed.has(item.id)) this.#pending.set(`${thingKey(thing)} ${item.id}`, { thing, item });
    }
    return true;
  }

  #begun(): Snapshot | undefined {
    const thing = this.#owed.shift();
    if (thing === undefined) return undefined;
    const items = this.#options.snapshot(thing)[Symbol.asyncIterator]();
    return { thing, items, changed: new Set(), count: 0 };
  }

  #stopSnapshot(): void {
    // Reading may fail while it is told to stop; nobody waits for it any more.
    this.#snapshot?.items.return?.()?.catch(() => {});
    this.#snapshot = undefined;
  }

  /**
   * Waits until something is to do, or the wait ends.
   * @returns whether a heartbeat is due instead
   */
  async #isQuiet(signal: AbortSignal): Promise<boolean> {
    const isWaiting = this.#isNew || this.#last.length + this.#pending.size + this.#owed.length > 0;
    if (isWaiting || this.#isEnded || signal.aborted) return false;
    const { clock } = this.#options;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const quietMs = clock.monotonic() - this.#quietSince;
    const cancel = clock.after(Math.max(0, limits.pushHeartbeatMs - quietMs), () => resolve(true));
    const wake = (): void => resolve(false);
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    const isQuiet = await promise;
    cancel();
    signal.removeEventListener("abort", wake);
    // A newer fetch may wait by now.
    if (this.#wake === wake) this.#wake = undefined;
    if (isQuiet) this.#quietSince = clock.monotonic();
    return isQuiet;
  }
}
