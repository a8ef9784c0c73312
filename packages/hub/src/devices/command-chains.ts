import type { LoggedEvent } from "@ledge/model";
import { eventRef, limits } from "@ledge/model";
import type { Confirmed } from "./intake.ts";

/** On whose behalf commands were given, so that what devices then report names its cause. */
export class CommandChains {
  readonly #byId = new Map<string, Confirmed>();

  /** Remembers the commands among events that stand at `firstIndex` and on in the commit at `timestamp`. */
  follow(timestamp: number, firstIndex: number, events: readonly LoggedEvent[]): void {
    for (const [index, event] of events.entries()) {
      if (event.type !== "CommandIssued") continue;
      const { id, origin, root, cause, depth } = event;
      const ref = eventRef(timestamp, firstIndex + index);
      this.#byId.set(id, { origin, cause: ref, root: root ?? cause ?? ref, depth: depth + 1 });
      this.#forgetOldest();
    }
  }

  /** The chain that follows from a command; undefined for one that is not remembered. */
  get(id: string): Confirmed | undefined {
    return this.#byId.get(id);
  }

  #forgetOldest(): void {
    if (this.#byId.size <= limits.commandChains) return;
    for (const oldest of this.#byId.keys()) {
      this.#byId.delete(oldest);
      return;
    }
  }
}
