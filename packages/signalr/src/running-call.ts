import type { Call, Connection, HubUser, StreamCall, StreamResult } from "./api.ts";
import { LazyAbort } from "./lazy-abort.ts";
import type { Codec, Item } from "./protocol/codec.ts";
import type { Frame } from "./protocol/messages.ts";

/** The client that calls. */
export interface Caller<User extends HubUser> {
  readonly connection: Connection<User>;
  readonly codec: Codec;
  /** @param isUrgent whether the message is not to wait for others. */
  send(frame: Frame, isUrgent: boolean): void;
}

/** A call that has begun. */
export class RunningCall<User extends HubUser> implements Call<User>, StreamCall<User> {
  readonly #caller: Caller<User>;
  readonly invocationId: string;
  readonly isStream: boolean;
  /** Whether a stream takes no more items. */
  isOver = false;
  readonly #aborting = new LazyAbort();
  /** Called at the abort, besides the signal. */
  onAbort: (() => void) | undefined;

  constructor(caller: Caller<User>, invocationId: string, isStream: boolean) {
    this.#caller = caller;
    this.invocationId = invocationId;
    this.isStream = isStream;
  }

  get connection(): Connection<User> {
    return this.#caller.connection;
  }

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  get isCongested(): boolean {
    return !this.isOver && this.connection.isCongested;
  }

  ready(): Promise<void> {
    return this.isOver ? Promise.resolve() : this.connection.ready();
  }

  write(item: Item): boolean {
    if (this.isOver || this.#aborting.isAborted) return false;
    this.#caller.send(this.#caller.codec.streamItem(this.invocationId, item), false);
    return !this.connection.isCongested;
  }

  abort(): void {
    this.isOver ||= this.isStream;
    this.#aborting.abort();
    this.onAbort?.();
  }
}

/** Sends items as fast as the client takes them. */
export async function pump<User extends HubUser>(
  items: Exclude<StreamResult, void>,
  call: RunningCall<User>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const stop = async (): Promise<void> => void (await iterator.return?.());
  // An iterator such as that of events.on ends by this; a generator has to finish what it awaits first.
  call.onAbort = () => void stop().catch(() => {});
  for (;;) {
    if (call.isCongested) await call.ready();
    if (call.isOver) return stop();
    const { done, value } = await iterator.next();
    if (done === true) return;
    try {
      call.write(value);
    } catch (error) {
      await stop();
      throw error;
    }
  }
}
