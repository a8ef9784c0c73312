import { signal } from "@preact/signals";

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

/** Shows a message. */
export function notify(text: string, more: { isError?: boolean; undo?: () => Promise<void> } = {}): void {
  const { isError = false, undo } = more;
  const notice: Notice = { id: ++last, text, isError, ...(undo && { undo }) };
  notices.value = [...notices.value.slice(-2), notice];
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
