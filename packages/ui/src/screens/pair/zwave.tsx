import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { useEffect } from "preact/hooks";
import {
  cancelExclusion,
  enterPin,
  exclusion,
  inclusion,
  startExclusion,
  startInclusion,
  type ZwaveState,
} from "../../api/pairing.ts";
import { followStatus } from "../../parts/follow-status.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { reasonOf } from "../../store/commands.ts";
import { type Key, t } from "../../texts/texts.ts";

/** What a status of joining means to somebody who waits; other statuses are of no use to them. */
const joining: Partial<Record<ZwaveState["status"], Key>> = {
  RUNNING: "zwave.listens",
  SUCCESS: "zwave.joined",
  TIMEOUT: "zwave.over",
  ERROR: "zwave.failed",
};

const leaving: Partial<Record<ZwaveState["status"], Key>> = {
  RUNNING: "zwave.takesOut",
  SUCCESS: "zwave.isOut",
  TIMEOUT: "zwave.noneOut",
  ERROR: "zwave.noneOut",
};

/** A device that joins with the safest keys wants the digits of its label first. */
function Pin({ dsk }: { readonly dsk: string }): JSX.Element {
  const problem = useSignal("");
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("pin");
    const answer = await enterPin(typeof typed === "string" ? typed.trim() : "");
    problem.value = answer.ok ? "" : reasonOf(answer);
  };
  return (
    <form class="card" onSubmit={(event) => void send(event)}>
      <label class="field">
        <span>{t("zwave.pin")}</span>
        <input type="text" name="pin" inputMode="numeric" autoComplete="off" maxLength={5} />
      </label>
      <p class="muted">{t("zwave.dsk", { dsk })}</p>
      <Problem>{problem.value}</Problem>
      <LiveButton isMain>{t("zwave.enter")}</LiveButton>
    </form>
  );
}

/** A device that belongs to another network joins no other before it is taken out. */
function TakeOut(): JSX.Element {
  const state = useSignal<ZwaveState | undefined>(undefined);
  const problem = useSignal("");
  const round = useSignal(0);
  const { value: begun } = round;
  useEffect(() => {
    if (begun === 0) return undefined;
    const left = new AbortController();
    const take = async (): Promise<void> => {
      const answer = await startExclusion();
      problem.value = answer.ok ? "" : reasonOf(answer);
      if (!answer.ok) return;
      state.value = answer.value;
      await followStatus(exclusion, state, left.signal, ({ status }) => status !== "RUNNING");
      if (!left.signal.aborted) await startInclusion();
    };
    void take();
    return () => {
      left.abort();
      if (state.peek()?.status === "RUNNING") void cancelExclusion();
    };
  }, [begun]);
  const text = state.value && leaving[state.value.status];
  return (
    <details class="card">
      <summary>{t("zwave.other")}</summary>
      <p role="status">{text === undefined ? t("zwave.otherHow") : t(text)}</p>
      <Problem>{problem.value}</Problem>
      <LiveButton isBlocked={state.value?.status === "RUNNING"} onClick={() => void round.value++}>
        {t("zwave.takeOut")}
      </LiveButton>
    </details>
  );
}

/** What Z-Wave asks for while a search runs. @param isChosen whether somebody adds a Z-Wave device */
export function Zwave({ isChosen }: { readonly isChosen: boolean }): JSX.Element {
  const state = useSignal<ZwaveState | undefined>(undefined);
  useEffect(() => {
    const left = new AbortController();
    void followStatus(inclusion, state, left.signal, ({ status }) => status === "NO_ZWAVE");
    return () => left.abort();
  }, []);
  const now = state.value;
  const text = now?.waitsFor === "NETWORK" ? "zwave.early" : now && joining[now.status];
  return (
    <>
      {isChosen && text !== undefined && <p>{t(text)}</p>}
      {now?.pinRequired === true && <Pin dsk={now.dsk ?? ""} />}
      {isChosen && <TakeOut />}
    </>
  );
}
