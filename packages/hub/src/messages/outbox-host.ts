import type { Clock, Kernel } from "@ledge/kernel";
import type { Language } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";
import type { Notes } from "../notes/notes.ts";

/** The parts of the hub that the outbox uses. */
export interface OutboxHost {
  readonly kernel: Pick<Kernel, "get" | "all" | "size" | "now" | "subscribe">;
  readonly clock: Pick<Clock, "after">;
  readonly notes: Pick<Notes, "note">;
  readonly logger: Logger;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** The language for messages without recipients, and for users whose language is unknown. */
  readonly language: Language;
}
