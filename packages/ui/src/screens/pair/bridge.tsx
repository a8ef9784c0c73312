import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { pairBridge } from "../../api/pairing.ts";
import { pause } from "../../browser.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { reasonOf } from "../../store/commands.ts";
import { sync } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";
import { useNewcomers } from "./newcomers.ts";
import { Onward } from "./onward.tsx";

/** For how long a bridge that was found is asked for its key (ms), and how often the page looks meanwhile. */
const askedForMs = 30_000;
const everyMs = 1000;

/** Brings in a lighting bridge, whose button somebody presses, with all that it has. */
export function Bridge(props: {
  readonly stop: () => void;
  readonly done: (ids: readonly string[]) => void;
}): JSX.Element {
  const { stop, done } = props;
  const come = useNewcomers();
  const state = useSignal<"looks" | "waits" | "over" | "none">("looks");
  const problem = useSignal("");
  const round = useSignal(0);
  const { value: begun } = round;
  useEffect(() => {
    const left = new AbortController();
    const ask = async (): Promise<void> => {
      state.value = "looks";
      const answer = await pairBridge();
      if (left.signal.aborted) return;
      problem.value = answer.ok || answer.status === 503 ? "" : reasonOf(answer);
      state.value = answer.ok ? "waits" : "none";
      for (let waited = 0; answer.ok && waited < askedForMs && !left.signal.aborted; waited += everyMs) {
        if (come.peek().length > 0) return;
        await pause(everyMs, left.signal);
        sync.hurry();
      }
      if (answer.ok && !left.signal.aborted) state.value = "over";
    };
    void ask();
    return () => left.abort();
  }, [begun]);
  const isHere = come.value.length > 0;
  const isBusy = !isHere && (state.value === "looks" || state.value === "waits");
  return (
    <>
      <h1 tabIndex={-1}>{t("hue.title")}</h1>
      <p role="status">{isHere ? t("hue.here") : t(`bridge.${state.value}`)}</p>
      <Problem>{problem.value}</Problem>
      <Onward come={come.value} done={done} stop={stop}>
        <LiveButton isBlocked={isBusy} onClick={() => void round.value++}>
          {t("hue.again")}
        </LiveButton>
      </Onward>
    </>
  );
}
