import type { Signal } from "@preact/signals";
import type { Answer } from "../api/call.ts";
import { pause } from "../browser.ts";

const everyMs = 2000;

/** Asks every 2 s, also after a failure, until the signal aborts or `isOver` says so of an answer, and shows each answer. */
export async function followStatus<T>(
  ask: (signal: AbortSignal) => Promise<Answer<T>>,
  shown: Signal<T | undefined>,
  signal: AbortSignal,
  isOver: (status: T) => boolean = () => false,
): Promise<void> {
  while (!signal.aborted) {
    const answer = await ask(signal);
    if (signal.aborted) return;
    if (answer.ok) shown.value = answer.value;
    if (answer.ok && isOver(answer.value)) return;
    await pause(everyMs, signal);
  }
}
