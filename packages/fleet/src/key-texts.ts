import { limits } from "@ledge/model";
import type { Batch } from "./register-store.ts";

/**
 * Refuses texts of a batch by which no store could find its rows again.
 * @throws RangeError
 */
export function requireKeyTexts({ source, upserts, removals, outbox }: Batch): void {
  requireKeyText("a source", source);
  for (const { register, id } of [...upserts, ...removals]) {
    requireKeyText("a register", register);
    requireKeyText("an id", id);
  }
  for (const { topic } of outbox) requireKeyText("a topic", topic);
}

function requireKeyText(what: string, text: string): void {
  const isFit =
    text.length > 0 && text.length <= limits.idChars && !text.includes("\u0000") && text.isWellFormed();
  if (!isFit) throw new RangeError(`${what} must have 1 to ${limits.idChars} characters, and no NUL`);
}
