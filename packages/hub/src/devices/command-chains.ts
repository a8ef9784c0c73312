import type { Cause, Origin } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Confirmed } from "./intake.ts";

/** On whose behalf commands were given, so that what devices then report names its cause. */
export class CommandChains {
  readonly #byId = new Map<string, Confirmed>();

  /** Remembers a command's event: its reference and its envelope. */
  add(id: string, ref: Cause, event: { origin: Origin; depth: number; root?: Cause; cause?: Cause }): void {
    this.#byId.set(id, {
      origin: event.origin,
      cause: ref,
      root: event.root ?? event.cause ?? ref,
      depth: event.depth + 1,
    });
    if (this.#byId.size <= limits.commandsRemembered) return;
    for (const oldest of this.#byId.keys()) {
      this.#byId.delete(oldest);
      break;
    }
  }

  get(id: string): Confirmed | undefined {
    return this.#byId.get(id);
  }
}
