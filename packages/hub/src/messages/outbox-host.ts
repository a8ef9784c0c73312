import type { Clock, Kernel } from "@ledge/kernel";
import type { Language } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";
import type { Notes } from "../notes/notes.ts";

/** What the outbox shares with the rest of the hub. */
export interface OutboxHost {
  readonly kernel: Pick<Kernel, "get" | "all" | "size" | "now" | "subscribe">;
  readonly clock: Pick<Clock, "after">;
  readonly notes: Pick<Notes, "note">;
  readonly logger: Logger;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Of what goes to nobody, or to a user whose language is not known. */
  readonly language: Language;
}
