import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { chooseFind, type Find, stopScan } from "../../api/pairing.ts";
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

/** Searches as long as the view is there. Whoever goes elsewhere hears what becomes of the finds. */
export function useSearch(way: Way): Searching {
  const finds = useSignal<Finds>(new Map());
  const progress = useSignal<Progress>({ state: "begins" });
  const problem = useSignal("");
  const isEnding = useSignal(false);
  const isEnded = useRef(false);
  useEffect(() => {
    const left = new AbortController();
    void follow({ way, finds, progress, signal: left.signal });
    return () => {
      left.abort();
      if (isEnded.current) return;
      void stopScan();
      sayEnding(endingOf(finds.peek()));
    };
  }, []);
  const set = (id: string, isKept: boolean): void => {
    const find = finds.peek().get(id);
    if (find !== undefined) finds.value = new Map(finds.peek()).set(id, { ...find, ignored: !isKept });
  };
  const end = async (): Promise<boolean> => {
    isEnding.value = true;
    const answer = await stopScan();
    isEnding.value = false;
    problem.value = answer.ok ? "" : reasonOf(answer);
    isEnded.current = answer.ok;
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
