import type { JSX } from "preact";
import { sceneOutcome, type SceneOutcome } from "../../api/scenes.ts";
import { momentOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { nameOfTarget } from "../../parts/device-picker.tsx";
import { AnswerFace } from "../../parts/faces.tsx";
import type { Key } from "../../texts/texts.ts";
import { t } from "../../texts/texts.ts";

type Status = SceneOutcome["members"][string]["status"];

const words: Readonly<Record<Status, Key>> = {
  sent: "outcome.sent",
  confirmed: "outcome.confirmed",
  failed: "outcome.failed",
  "timed out": "outcome.timedOut",
  skipped: "outcome.skipped",
};

const lookMs = 500;

function Members({ of }: { readonly of: SceneOutcome }): JSX.Element {
  const { activatedAt, members } = of;
  if (activatedAt === null) return <p class="muted">{t("outcome.never")}</p>;
  return (
    <>
      <p class="muted">{t("outcome.at", { time: momentOf(activatedAt) })}</p>
      <ul class="plain" aria-live="polite">
        {Object.entries(members).map(([id, { status, reason }]) => (
          <li key={id} class="row">
            <span>{nameOfTarget(id)}</span>
            <span class={status === "confirmed" || status === "sent" ? "muted" : "problem"}>
              {t(words[status])}
            </span>
            {reason !== null && <span class="muted">{reason}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

function isUnderWay({ members }: SceneOutcome): boolean {
  return Object.values(members).some(({ status }) => status === "sent");
}

/** What became of each device of a scene; follows commands that are on their way. @param round changes at each try */
export function Outcome({ id, round }: { readonly id: string; readonly round: number }): JSX.Element {
  const { asked, again } = useAnswer(
    (signal) => sceneOutcome(id, signal),
    `${id} ${round}`,
    (now) => (now.state === "done" && isUnderWay(now.value) ? lookMs : null),
  );
  return (
    <section class="card" aria-labelledby="outcome-title">
      <h2 id="outcome-title">{t("outcome.title")}</h2>
      <AnswerFace answer={asked.value} again={again} show={(of) => <Members of={of} />} />
    </section>
  );
}
