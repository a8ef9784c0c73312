import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { ruleLog, type RuleLogEntry } from "../../api/custom-rules.ts";
import { LiveDiagram } from "../../diagram/live.tsx";
import { clockOf, momentOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { home } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";

/** What an entry of a rule's log says: its own words, or those of the event. */
function saidIn({ text, reason, state, event }: RuleLogEntry): string {
  if (text !== undefined) return text;
  if (reason !== undefined) return reason;
  return state === undefined ? event : `→ ${typeof state === "string" ? state : JSON.stringify(state)}`;
}

function Log({ id, round }: { readonly id: string; readonly round: number }): JSX.Element {
  const { asked, again } = useAnswer((signal) => ruleLog(id, signal), `${id} ${round}`);
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={({ entries }) => (
        <>
          {entries.length === 0 && <p class="muted">{t("custom.silent")}</p>}
          <ol class="chain">
            {entries.map((entry) => (
              <li key={entry.ref}>
                <time
                  dateTime={new Date(entry.timestamp).toISOString()}
                  title={momentOf(entry.timestamp)}
                  class="muted"
                >
                  {clockOf(entry.timestamp)}
                </time>
                <p>{saidIn(entry)}</p>
              </li>
            ))}
          </ol>
        </>
      )}
    />
  );
}

/** What the rules of a custom rule do: where they stand, and what they have done and said. */
export function Doings({ type }: { readonly type: string }): JSX.Element {
  const chosen = useSignal<string | null>(null);
  const round = useSignal(0);
  const ids = useComputed(() =>
    home.of.rules.ids.value.filter((id) => home.of.rules.of(id).value?.config.configType === type),
  ).value;
  const id = ids.find((each) => each === chosen.value) ?? ids[0];
  return (
    <section class="card" aria-labelledby="doings-title">
      <h2 id="doings-title">{t("custom.doings")}</h2>
      {id === undefined ? (
        <p class="muted">{t("custom.noRules")}</p>
      ) : (
        <>
          <label class="field">
            <span>{t("custom.rule")}</span>
            <select value={id} onChange={(event) => (chosen.value = event.currentTarget.value)}>
              {ids.map((each) => (
                <option key={each} value={each}>
                  {home.of.rules.of(each).value?.config.name ?? each}
                </option>
              ))}
            </select>
          </label>
          <LiveDiagram key={id} id={id} />
          <h3>{t("custom.log")}</h3>
          <button type="button" class="button" onClick={() => round.value++}>
            {t("custom.refresh")}
          </button>
          <Log id={id} round={round.value} />
        </>
      )}
    </section>
  );
}
