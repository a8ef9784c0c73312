import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { processLog } from "../../api/system.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { t } from "../../texts/texts.ts";
import { type Level, levels, linesLike, linesOf, type LogLine } from "./log-lines.ts";

/** As many lines are drawn at first, and with each press for more. */
const step = 200;

function Lines({ of }: { readonly of: readonly LogLine[] }): JSX.Element {
  const text = useSignal("");
  const least = useSignal<Level>("info");
  const most = useSignal(step);
  const shown = linesLike(of, text.value, least.value);
  return (
    <>
      <label class="field">
        <span>{t("log.search")}</span>
        <input type="search" value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
      </label>
      <label class="field">
        <span>{t("log.least")}</span>
        <select
          value={least.value}
          onChange={({ currentTarget: { value } }) => {
            least.value = levels.find((level) => level === value) ?? "info";
          }}
        >
          {levels.map((level) => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </select>
      </label>
      <p role="status" class="muted">
        {t("log.lines", { n: shown.length })}
      </p>
      {shown.length > 0 && (
        <pre role="region" tabIndex={0} aria-label={t("log.title")}>
          {shown
            .slice(0, most.value)
            .map((line) => (line.level === null ? line.text : `${line.time} ${line.level} ${line.text}`))
            .join("\n")}
        </pre>
      )}
      {shown.length > most.value && (
        <button type="button" class="button" onClick={() => (most.value += step)}>
          {t("log.more", { n: shown.length - most.value })}
        </button>
      )}
    </>
  );
}

function Asked(): JSX.Element {
  const { asked, again } = useAnswer(processLog, "log");
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={(log) => (
        <>
          <button type="button" class="button" onClick={again}>
            {t("health.again")}
          </button>
          <Lines of={linesOf(log)} />
        </>
      )}
    />
  );
}

/** What the hub's program has written down of itself: read once somebody wants to know. */
export function LogCard(): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <details class="card" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t("log.title")}</summary>
      <p>{t("log.how")}</p>
      {isOpen.value && <Asked />}
    </details>
  );
}
