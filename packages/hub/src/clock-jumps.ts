import type { ClockJump, Kernel, KernelState } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import type { Command } from "@ledge/model";
import type { Logger } from "./logger.ts";

/** Records jumps of the clock: those from before there is a hub in the log, and while it takes nothing, later. */
export class ClockJumps {
  readonly #logger: Logger;
  #waiting: ClockJump[] = [];
  #record: ((jump: ClockJump) => Promise<void>) | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(jump: ClockJump): void {
    this.#waiting.push(jump);
    this.#recordAll();
  }

  /** From now on jumps are recorded with a hub. */
  recordWith(kernel: Kernel, hubId: string): void {
    this.#record = async (jump) => {
      const command = { type: "NOTE_CLOCK_JUMP", id: hubId, ...jump } as Command;
      await kernel.submit({ commands: [command], origin: "clock" });
    };
    kernel.subscribe({ stateChanged: (state: KernelState) => state === "serving" && this.#recordAll() });
    this.#recordAll();
  }

  #recordAll(): void {
    const record = this.#record;
    if (record === undefined) return;
    for (const jump of this.#waiting.splice(0)) {
      record(jump).catch((error: unknown) => {
        if (isReadOnly(error)) this.#waiting.push(jump);
        else this.#logger.error({ error, jump }, "a jump of the clock was not recorded");
      });
    }
  }
}
