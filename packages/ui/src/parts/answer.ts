import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Answer, Failure } from "../api/call.ts";
import { pause } from "../browser.ts";

/** What a screen has of a question to the hub. */
export type Asked<T> =
  | { readonly state: "loading" }
  | { readonly state: "done"; readonly value: T }
  | { readonly state: "failed"; readonly failure: Failure };

const tries = 4;
const busyMs = 700;

/** Whether the hub is busy with another question about the past. */
function isBusy({ status }: Failure): boolean {
  return status === 429 || status === 503;
}

/** Asks, and again while the hub is busy with another question about the past, `most` times in all. */
export async function patient<T>(
  ask: (signal: AbortSignal) => Promise<Answer<T>>,
  signal: AbortSignal,
  most = tries,
): Promise<Answer<T>> {
  for (let tried = 1; ; tried++) {
    const answer = await ask(signal);
    if (answer.ok || !isBusy(answer) || tried === most || signal.aborted) return answer;
    await pause(Math.max(busyMs, (answer.retryAfterS ?? 0) * 1000), signal);
  }
}

/** Returns how long after an answer the same is asked again (ms); null: not at all. */
export type LookAgain<T> = (asked: Asked<T>) => number | null;

/** Asks again for as long as the hub is busy: a small hub may be for longer than `patient` waits. */
export const whileBusy: LookAgain<unknown> = (asked) =>
  asked.state === "failed" && isBusy(asked.failure) ? busyMs : null;

const never = (): null => null;

/** Asks, and again as `lookAgain` says, until the signal aborts. The time runs from an answer: a slow one comes too. */
export async function followAnswer<T>(
  ask: (signal: AbortSignal) => Promise<Answer<T>>,
  show: (asked: Asked<T>) => void,
  signal: AbortSignal,
  lookAgain: LookAgain<T>,
): Promise<void> {
  while (!signal.aborted) {
    const answer = await patient(ask, signal);
    if (signal.aborted) return;
    const asked: Asked<T> = answer.ok
      ? { state: "done", value: answer.value }
      : { state: "failed", failure: answer };
    show(asked);
    const ms = lookAgain(asked);
    if (ms === null) return;
    await pause(ms, signal);
  }
}

/**
 * Asks the hub whenever `about` changes, and forgets the former question.
 * @param lookAgain follows what has not come to its end; without it the hub is asked once
 * @returns the state of the question, and how to ask again
 */
export function useAnswer<T>(
  ask: (signal: AbortSignal) => Promise<Answer<T>>,
  about: string,
  lookAgain: LookAgain<T> = never,
): { readonly asked: ReadonlySignal<Asked<T>>; again: () => void } {
  const asked = useSignal<Asked<T>>({ state: "loading" });
  const round = useSignal(0);
  const { value: count } = round;
  const last = useRef("");
  useEffect(() => {
    const left = new AbortController();
    if (last.current !== about) asked.value = { state: "loading" };
    last.current = about;
    void followAnswer(ask, (now) => void (asked.value = now), left.signal, lookAgain);
    return () => left.abort();
  }, [about, count]);
  return { asked, again: () => void round.value++ };
}
