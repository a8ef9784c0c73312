import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Answer } from "../api/call.ts";
import { change, reasonOf } from "../store/commands.ts";
import { type Key, t } from "../texts/texts.ts";
import { type FieldFaults, faultsIn } from "./field-faults.ts";

/** A form that says at each field what is wrong with it. */
export interface CheckedForm<Field extends string> {
  /** By field, in words. */
  readonly faults: Signal<FieldFaults<Field>["of"]>;
  /** What is wrong besides; empty for nothing. */
  readonly problem: Signal<string>;
  /**
   * Sends the form, unless it has flaws or is on its way, and says that it is done.
   * @param back takes back what was done
   * @returns what the hub answered; undefined where it was not asked, or refused
   */
  readonly send: <T>(
    flaws: Readonly<Partial<Record<Field, Key>>>,
    ask: () => Promise<Answer<T>>,
    done: string,
    back?: () => Promise<Answer<unknown>>,
  ) => Promise<T | undefined>;
}

/** Returns the faults of a form with such fields, and what sends it. */
export function useCheckedForm<Field extends string>(fields: readonly Field[]): CheckedForm<Field> {
  const faults = useSignal({} as FieldFaults<Field>["of"]);
  const problem = useSignal("");
  const isSending = useRef(false);
  return {
    faults,
    problem,
    async send(flaws, ask, done, back) {
      // Somebody has pressed twice.
      if (isSending.current) return undefined;
      const words = Object.entries<Key>(flaws as Record<string, Key>).map(([field, key]) => [field, t(key)]);
      faults.value = Object.fromEntries(words) as FieldFaults<Field>["of"];
      problem.value = "";
      if (words.length > 0) return undefined;
      isSending.current = true;
      const answer = await ask();
      isSending.current = false;
      if (!answer.ok) {
        const { of, others } = faultsIn(answer, fields);
        faults.value = of;
        problem.value = answer.errors.length === 0 ? reasonOf(answer) : others.join(" ");
        return undefined;
      }
      await change(Promise.resolve(answer), done, back);
      return answer.value;
    },
  };
}
