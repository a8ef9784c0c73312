import type { ClockJump } from "@ledge/kernel";
import type { Command } from "@ledge/model";
import type { Notes } from "./notes.ts";

/** Records clock jumps. Jumps from before the kernel is open wait until the hub's id is known. */
export class ClockJumps {
  readonly #early: ClockJump[] = [];
  #note: ((jump: ClockJump) => void) | undefined;

  add(jump: ClockJump): void {
    if (this.#note === undefined) this.#early.push(jump);
    else this.#note(jump);
  }

  /** From now on records jumps as those of this hub. */
  noteWith(notes: Notes, hubId: string): void {
    this.#note = (jump) => void notes.note({ type: "NOTE_CLOCK_JUMP", id: hubId, ...jump } as Command);
    this.#early.splice(0).forEach(this.#note);
  }
}
