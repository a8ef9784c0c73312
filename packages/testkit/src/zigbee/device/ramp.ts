import type { Host } from "./cluster.ts";

/** The smallest time step of a moving value, ms. */
const finest = 100;

/** A value that moves to another over time. On a device without a clock (in no network) it arrives at once. */
export class Ramp {
  #cancel: () => void = () => undefined;
  #until = 0;

  /** @param step called with the values in between, and with `to` at the end. */
  start(
    host: Host,
    move: { from: number; to: number; ms: number },
    step: (value: number, isEnd: boolean) => void,
  ): void {
    this.stop();
    const { from, to, ms } = move;
    if (ms <= 0 || from === to || !host.isOnline) return step(to, true);
    const began = host.now();
    this.#until = began + ms;
    const tick = Math.max(finest, ms / 100);
    const go = (): void => {
      this.#cancel = host.after(Math.min(tick, this.#until - host.now()), () => {
        const isEnd = host.now() >= this.#until;
        if (!isEnd) go();
        step(isEnd ? to : from + ((to - from) * (host.now() - began)) / ms, isEnd);
      });
    };
    go();
  }

  stop(): void {
    this.#cancel();
    this.#until = 0;
  }

  /** Returns the remaining time. */
  remainingMs(host: Host): number {
    return Math.max(0, this.#until - host.now());
  }
}
