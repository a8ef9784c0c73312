import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
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

/**
 * Follows a status as `followStatus` does, and anew after each `again`.
 * @returns the newest status, undefined before the first answer; and how often it was followed anew
 */
export function useStatus<T>(
  ask: (signal: AbortSignal) => Promise<Answer<T>>,
  isOver: (status: T) => boolean,
): { readonly state: Signal<T | undefined>; readonly rounds: number; readonly again: () => void } {
  const state = useSignal<T | undefined>(undefined);
  const round = useSignal(0);
  const { value: rounds } = round;
  useEffect(() => {
    const left = new AbortController();
    void followStatus(ask, state, left.signal, isOver);
    return () => left.abort();
  }, [rounds]);
  return { state, rounds, again: () => void round.value++ };
}
