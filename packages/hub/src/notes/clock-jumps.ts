import type { ClockJump } from "@ledge/kernel";
import type { Command } from "@ledge/model";
import type { Notes } from "./notes.ts";

/** Has jumps of the clock noted: those that are found while the kernel opens, once it is known whose they are. */
export class ClockJumps {
  readonly #early: ClockJump[] = [];
  #note: ((jump: ClockJump) => void) | undefined;

  add(jump: ClockJump): void {
    if (this.#note === undefined) this.#early.push(jump);
    else this.#note(jump);
  }

  /** From now on they are noted as the hub's. */
  noteWith(notes: Notes, hubId: string): void {
    this.#note = (jump) => void notes.note({ type: "NOTE_CLOCK_JUMP", id: hubId, ...jump } as Command);
    this.#early.splice(0).forEach(this.#note);
  }
}
