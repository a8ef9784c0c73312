// Whether this browser is a panel on the wall, which shows one thing until somebody leaves it.
import { signal } from "@preact/signals";
import { keep, kept } from "../browser.ts";
import { type PinLock, tryPin } from "./pin.ts";

/** What a panel shows that shows the home and not a room; no room has such an id. */
export const wholeHome = "home";

export interface Panel extends PinLock {
  /** The id of a room, or `wholeHome`. */
  readonly of: string;
}

export const panel = signal<Panel | null>(null);

async function set(next: Panel | null): Promise<void> {
  panel.value = next;
  await keep("panel", next ?? undefined);
}

/** Goes on as the panel that this browser was at the last visit. */
export async function openPanel(): Promise<void> {
  panel.value = (await kept<Panel>("panel")) ?? null;
}

/** Makes this browser a panel, also after it is opened anew. @param pin empty, or as `isPin` demands */
export async function startPanel(of: string, pin: string): Promise<void> {
  await set({ of, pin, wrong: 0, until: 0 });
}

export async function endPanel(): Promise<void> {
  await set(null);
}

/** Ends the panel if the PIN is right. @param at now (ms since the epoch) @returns whether it was */
export async function leavePanel(typed: string, at: number): Promise<boolean> {
  const { value } = panel;
  if (value === null) return true;
  const { opens, lock } = tryPin(value, typed, at);
  await set(opens ? null : { ...value, ...lock });
  return opens;
}
