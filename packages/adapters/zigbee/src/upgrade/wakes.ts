import type { AdapterClock } from "@ledge/port";
import { Courses } from "../courses.ts";
import type { Hearing } from "../hearing.ts";
import type { Node } from "../nodes.ts";

/** How long a device that was heard may take to ask for an image itself, which is the surer way (ms). */
const ownQueryMs = 300;
/**
 * The pause before the device is heard again, by the number of failed attempts (ms): each costs it power. The first
 * attempt is made at the request, when the device most likely sleeps.
 */
const pausesMs = [0, 0, 60_000, 300_000, 1_800_000];

/** Options of `Wakes`. */
export interface WakesOptions {
  readonly clock: AdapterClock;
  readonly hearing: Hearing;
  /** Called when a device is awake. */
  readonly woke: (node: Node) => void;
}

/** Waits for devices that sleep to be awake: they receive only right after they have sent. */
export class Wakes {
  readonly #options: WakesOptions;
  readonly #waits = new Courses();
  /** How often each device was awake in vain. */
  readonly #failures = new Map<string, number>();

  constructor(options: WakesOptions) {
    this.#options = options;
  }

  /** Waits for the next frame of a device. */
  wait(node: Node): void {
    this.cancel(node);
    const pauseMs = pausesMs[Math.min(this.#failures.get(node.ieee) ?? 0, pausesMs.length - 1)] ?? 0;
    if (pauseMs === 0) this.#listen(node);
    else
      this.#waits.begin(node.ieee, {
        cancel: this.#options.clock.after(pauseMs, () => this.#listen(node)),
      });
  }

  /** Waits for the next frame of a device after a pause, because an attempt has failed. */
  waitAgain(node: Node): void {
    this.#failures.set(node.ieee, (this.#failures.get(node.ieee) ?? 0) + 1);
    this.wait(node);
  }

  /** Ends the wait, but remembers failures. */
  cancel({ ieee }: Pick<Node, "ieee">): void {
    this.#waits.end(ieee);
  }

  forget(ieee: string): void {
    this.cancel({ ieee });
    this.#failures.delete(ieee);
  }

  /** The network is down. */
  stop(): void {
    this.#waits.endAll();
    this.#failures.clear();
  }

  #listen(node: Node): void {
    const { clock, hearing, woke } = this.#options;
    const { ieee } = node;
    const heard = (): void => this.#waits.begin(ieee, { cancel: clock.after(ownQueryMs, () => woke(node)) });
    this.#waits.begin(ieee, { cancel: hearing.next(ieee, heard) });
  }
}
