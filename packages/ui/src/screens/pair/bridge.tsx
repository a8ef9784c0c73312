import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { pairBridge } from "../../api/pairing.ts";
import { pause } from "../../browser.ts";
import { Button } from "../../parts/button.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { reasonOf } from "../../store/commands.ts";
import { home, sync } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";
import { newcomersSince } from "./newcomers.ts";

/** For how long a bridge that was found is asked for its key (ms), and how often the page looks meanwhile. */
const askedForMs = 30_000;
const everyMs = 1000;

/** Brings in a lighting bridge, whose button somebody presses, with all that it has. */
export function Bridge(props: {
  readonly stop: () => void;
  readonly done: (ids: readonly string[]) => void;
}): JSX.Element {
  const { stop, done } = props;
  const before = useRef<ReadonlySet<string>>(new Set(home.of.devices.ids.peek()));
  const state = useSignal<"looks" | "waits" | "over" | "none">("looks");
  const problem = useSignal("");
  const round = useSignal(0);
  const come = newcomersSince(before.current);
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
        if (newcomersSince(before.current).length > 0) return;
        await pause(everyMs, left.signal);
        sync.hurry();
      }
      if (answer.ok && !left.signal.aborted) state.value = "over";
    };
    void ask();
    return () => left.abort();
  }, [begun]);
  const isHere = come.length > 0;
  const isBusy = !isHere && (state.value === "looks" || state.value === "waits");
  return (
    <>
      <h1 tabIndex={-1}>{t("hue.title")}</h1>
      <p role="status">{isHere ? t("hue.here") : t(`bridge.${state.value}`)}</p>
      <Problem>{problem.value}</Problem>
      <div class="row">
        <Button isMain={isHere} isBlocked={!isHere} onClick={() => done(come)}>
          {t("bacnet.next", { n: come.length })}
        </Button>
        <LiveButton isBlocked={isBusy} onClick={() => void round.value++}>
          {t("hue.again")}
        </LiveButton>
        <button type="button" class="button" onClick={stop}>
          {t("pair.back")}
        </button>
      </div>
    </>
  );
}
