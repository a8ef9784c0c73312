import { signal } from "@preact/signals";
import { key } from "../api/call.ts";
import { homeOf } from "./hub-key.ts";

/** A short message about what was done, which goes away by itself. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  /** Takes back what was done. */
  readonly undo?: () => Promise<void>;
}

export const notices = signal<readonly Notice[]>([]);

let last = 0;

/** Shows a message. Its way back ends with the home and user of now. */
export function notify(text: string, more: { isError?: boolean; undo?: () => Promise<void> } = {}): void {
  const { isError = false, undo } = more;
  const of = homeOf(key.peek() ?? "");
  const back = undo && (async (): Promise<void> => (homeOf(key.peek() ?? "") === of ? undo() : undefined));
  const notice: Notice = { id: ++last, text, isError, ...(back && { undo: back }) };
  notices.value = [...notices.value.slice(-2), notice];
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
