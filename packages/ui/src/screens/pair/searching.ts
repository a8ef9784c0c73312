import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { chooseFind, type Find, scan, stopScan } from "../../api/pairing.ts";
import { reasonOf } from "../../store/commands.ts";
import { sync } from "../../store/home.ts";
import { notify } from "../../store/notices.ts";
import { t } from "../../texts/texts.ts";
import { type Ending, endingOf, type Finds } from "./finds.ts";
import { follow, lostNameOf, nameOf, type Progress } from "./follow.ts";
import type { Way } from "./ways.ts";

/** A search, and what somebody may do with it. */
export interface Searching {
  readonly finds: ReadonlySignal<Finds>;
  readonly progress: ReadonlySignal<Progress>;
  /** What went wrong with what somebody did; empty when nothing did. */
  readonly problem: ReadonlySignal<string>;
  readonly isEnding: ReadonlySignal<boolean>;
  choose(find: Find, isKept: boolean): Promise<void>;
  /** Ends the search and keeps what is chosen. @returns what became of the finds; undefined when the hub refused */
  keep(): Promise<Ending | undefined>;
  /** Ends the search and keeps nothing. @returns whether the hub did */
  giveUp(): Promise<boolean>;
}

export function namesOf(finds: readonly Find[]): string {
  return finds.map(nameOf).join(", ");
}

/** What the hub keeps when the search ends now, and what not. */
function sayEnding({ kept, early, left }: Ending): void {
  const lost = [...early, ...left];
  const texts = [
    ...(kept.length > 0 ? [t("pair.kept", { names: namesOf(kept) })] : []),
    ...(lost.length > 0 ? [t("pair.notKept", { names: lost.map(lostNameOf).join(", ") })] : []),
  ];
  if (texts.length > 0) notify(texts.join(" "));
}

/** Asks the hub one thing after the other: a question that arrives after the end of a search would begin another. */
class Questions {
  #last: Promise<unknown> = Promise.resolve();

  inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#last.then(ask);
    this.#last = answer;
    return answer;
  }
}

/** Searches as long as the view is there. Whoever goes elsewhere hears what becomes of the finds. */
export function useSearch(way: Way): Searching {
  const finds = useSignal<Finds>(new Map());
  const progress = useSignal<Progress>({ state: "begins" });
  const problem = useSignal("");
  const isEnding = useSignal(false);
  const [{ questions, ended }] = useState(() => ({
    questions: new Questions(),
    ended: new AbortController(),
  }));
  useEffect(() => {
    const { signal } = ended;
    void follow({
      way,
      finds,
      progress,
      signal,
      ask: (ts) => questions.inTurn(async () => (signal.aborted ? undefined : await scan(ts))),
    });
    return () => {
      if (signal.aborted) return;
      ended.abort();
      void questions.inTurn(stopScan);
      sayEnding(endingOf(finds.peek()));
    };
  }, []);
  const set = (id: string, isKept: boolean): void => {
    const find = finds.peek().get(id);
    if (find !== undefined) finds.value = new Map(finds.peek()).set(id, { ...find, ignored: !isKept });
  };
  const end = async (): Promise<boolean> => {
    isEnding.value = true;
    const answer = await questions.inTurn(async () => {
      const stopped = await stopScan();
      if (stopped.ok) ended.abort();
      return stopped;
    });
    isEnding.value = false;
    problem.value = answer.ok ? "" : reasonOf(answer);
    if (answer.ok) sync.hurry();
    return answer.ok;
  };
  return {
    finds,
    progress,
    problem,
    isEnding,
    async choose({ id }, isKept) {
      set(id, isKept);
      const answer = await chooseFind(id, isKept);
      problem.value = answer.ok ? "" : reasonOf(answer);
      if (!answer.ok) set(id, !isKept);
    },
    async keep() {
      const ending = endingOf(finds.peek());
      return (await end()) ? ending : undefined;
    },
    async giveUp() {
      const { kept, early, left } = endingOf(finds.peek());
      isEnding.value = true;
      await Promise.all([...kept, ...early].map(({ id }) => chooseFind(id, false)));
      if (!(await end())) return false;
      sayEnding({ kept: [], early: [], left: [...kept, ...early, ...left] });
      return true;
    },
  };
}
