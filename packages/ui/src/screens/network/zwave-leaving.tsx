import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import {
  cancelLeaving,
  type Leaving,
  leaving,
  type LeavingAsked,
  leave,
  mayEnd,
} from "../../api/zwave-leaving.ts";
import { useStatus } from "../../parts/follow-status.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { reasonOf } from "../../store/commands.ts";
import { type Key, t } from "../../texts/texts.ts";

/** What a status means to somebody who waits. */
const told: Partial<Record<Leaving["status"], Key>> = {
  RUNNING: "leaving.waits",
  SUCCESS: "leaving.done",
  TIMEOUT: "leaving.late",
  ERROR: "leaving.failed",
};

/** The question whether the stick shall leave, with the word that the hub wants for it. */
function Sure(props: {
  readonly asked: LeavingAsked;
  readonly answer: (isSure: boolean) => void;
}): JSX.Element {
  const { asked, answer } = props;
  return (
    <>
      <p role="alert">{t("leaving.sure", { network: asked.network ?? "" })}</p>
      <div class="row">
        <LiveButton isMain onClick={() => answer(true)}>
          {t("leaving.yes")}
        </LiveButton>
        <LiveButton onClick={() => answer(false)}>{t("leaving.no")}</LiveButton>
      </div>
    </>
  );
}

/** A Z-Wave stick that is in the network of another controller, and how it leaves that; nothing for other sticks. */
export function ZwaveLeaving(): JSX.Element | null {
  const { state, again } = useStatus(leaving, (now) => !mayEnd(now));
  const asked = useSignal<LeavingAsked | undefined>(undefined);
  const problem = useSignal("");

  const now = state.value;
  if (now === undefined || (now.isMember !== true && told[now.status] === undefined)) return null;

  const ask = async (confirm?: string): Promise<void> => {
    const answer = await leave(confirm);
    problem.value = answer.ok ? "" : reasonOf(answer);
    asked.value = answer.ok && !answer.value.done ? answer.value : undefined;
    again();
  };
  const stop = async (): Promise<void> => {
    const answer = await cancelLeaving();
    problem.value = answer.ok ? "" : reasonOf(answer);
    again();
  };
  const text = told[now.status];
  return (
    <section class="card" aria-labelledby="leaving-title">
      <h2 id="leaving-title">{t("leaving.title")}</h2>
      {now.isMember === true && now.status !== "RUNNING" && <p>{t("leaving.how")}</p>}
      <p role="status">{text !== undefined && t(text)}</p>
      <Problem>{problem.value}</Problem>
      {asked.value !== undefined && (
        <Sure
          asked={asked.value}
          answer={(isSure) => {
            const word = asked.value?.confirm ?? "";
            asked.value = undefined;
            if (isSure) void ask(word);
          }}
        />
      )}
      {now.status === "RUNNING" && <LiveButton onClick={() => void stop()}>{t("leaving.stop")}</LiveButton>}
      {now.isMember === true && now.status !== "RUNNING" && asked.value === undefined && (
        <LiveButton onClick={() => void ask()}>{t("leaving.begin")}</LiveButton>
      )}
    </section>
  );
}
