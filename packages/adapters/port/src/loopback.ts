import type { AdapterChannel, Channel, HubChannel, Receiver } from "./channel.ts";
import type { FromAdapter, ToAdapter } from "./messages.ts";

/**
 * Makes a line within one process, for adapters that run beside the hub. It clones messages as a process
 * boundary would, and delivers them in order in a later microtask.
 * @throws DataCloneError when a posted message is not plain data.
 */
export function loopback(): { readonly hub: HubChannel; readonly adapter: AdapterChannel } {
  const hub = new LoopbackEnd<ToAdapter, FromAdapter>();
  const adapter = new LoopbackEnd<FromAdapter, ToAdapter>();
  hub.peer = adapter;
  adapter.peer = hub;
  return { hub, adapter };
}

class LoopbackEnd<Out, In> implements Channel<Out, In> {
  peer: LoopbackEnd<In, Out> | undefined;
  #receiver: Receiver<In> | undefined;
  readonly #arrived: In[] = [];
  #closed = false;
  #told = false;
  #held = false;

  post(message: Out): void {
    const copy = structuredClone(message);
    if (!this.#closed) this.peer?.arrive(copy);
  }

  open(receiver: Receiver<In>): void {
    if (this.#receiver) throw new Error("the line already has a receiver");
    this.#receiver = receiver;
    queueMicrotask(() => this.#deliver());
  }

  hold(held: boolean): void {
    this.#held = held;
    if (!held) queueMicrotask(() => this.#deliver());
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.peer?.close();
    queueMicrotask(() => this.#deliver());
  }

  arrive(message: In): void {
    this.#arrived.push(message);
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    if (!this.#receiver) return;
    while (!this.#held && this.#arrived.length > 0) this.#receiver.message(this.#arrived.shift() as In);
    if (this.#closed && !this.#held && !this.#told) {
      this.#told = true;
      this.#receiver.closed();
    }
  }
}
