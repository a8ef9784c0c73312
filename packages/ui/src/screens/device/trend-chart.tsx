import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Answer } from "../../api/call.ts";
import { type History, history } from "../../api/rows.ts";
import { nameOfAttribute } from "../../format.ts";
import { type Asked, useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Failed } from "../../parts/faces.tsx";
import { now } from "../../store/clock.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { shownAttributes } from "./attributes.ts";
import { TimeChart } from "./time-chart.tsx";
import type { Span } from "./zoom.ts";

/** Hours that a drawing may show. */
const spans = [24, 168, 720] as const;
const hourMs = 3_600_000;
/** How long the drawing rests before the hub is asked for what it shows (ms). */
const restMs = 400;

/** A history, and what it is of. */
interface Told {
  readonly of: string;
  readonly history: History;
}

/** What of an attribute is shown, and what the hub says of that. */
interface Shown {
  /** How many hours are shown unless somebody has zoomed. */
  readonly hours: ReadonlySignal<number>;
  /** What somebody has zoomed to; null: the last hours. */
  readonly view: Signal<Span | null>;
  readonly showLast: (hours: number) => void;
  readonly answer: Asked<Told>;
  readonly again: () => void;
  /** The newest answer about the attribute, while the next one is on its way too. */
  readonly told: History | undefined;
  /** The hub has not said yet what it knows of all that is shown. */
  readonly isComing: boolean;
}

/** Asks the hub for what is shown, a finer history of less time too, once the drawing rests. */
function useShown(id: string, attribute: string): Shown {
  const hours = useSignal<number>(spans[0]);
  const view = useSignal<Span | null>(null);
  /** What the hub is asked for. */
  const wanted = useSignal<Span | null>(null);
  const known = useRef<Told | undefined>(undefined);
  const of = `${id} ${attribute}`;
  const ask = async (signal: AbortSignal): Promise<Answer<Told>> => {
    const { from, to } = wanted.peek() ?? { from: now.peek() - hours.peek() * hourMs, to: undefined };
    const answer = await history(id, attribute, from, signal, to);
    return answer.ok ? { ok: true, value: { of, history: answer.value } } : answer;
  };
  const { asked, again } = useAnswer(ask, JSON.stringify([of, hours.value, wanted.value]));
  useEffect(() => {
    const timer = setTimeout(() => (wanted.value = view.value), restMs);
    return () => clearTimeout(timer);
  }, [view.value]);
  const { value: answer } = asked;
  if (answer.state === "done") known.current = answer.value;
  return {
    hours,
    view,
    showLast(count) {
      hours.value = count;
      view.value = wanted.value = null;
    },
    answer,
    again,
    told: known.current?.of === of ? known.current.history : undefined,
    isComing: answer.state === "loading" || view.value !== wanted.value,
  };
}

/** The last day, week or month, one press away. */
function Spans({ of: { hours, view, showLast } }: { readonly of: Shown }): JSX.Element {
  return (
    <div class="chips" role="group" aria-label={t("trend.span")}>
      {spans.map((span) => (
        <button
          key={span}
          type="button"
          class="chip"
          aria-pressed={view.value === null && hours.value === span}
          onClick={() => showLast(span)}
        >
          {t(`trend.${span}`)}
        </button>
      ))}
    </div>
  );
}

/** What a device reported of one of its attributes over a day, a week, a month, or what somebody has zoomed to. */
export function Trend({ device }: { readonly device: Device }): JSX.Element | null {
  const { id, state } = device;
  const all = shownAttributes(device).filter((name) => typeof state[name] !== "string");
  const chosen = useSignal(all.find((name) => typeof state[name] === "number") ?? all[0] ?? "");
  const shown = useShown(id, chosen.value);
  const { answer, again, told, view, isComing } = shown;
  if (all.length === 0 || (answer.state === "failed" && answer.failure.status === 403)) return null;
  return (
    <section class="card" aria-labelledby="trend-title">
      <h2 id="trend-title">{t("trend.title")}</h2>
      <label class="field">
        <span>{t("trend.of")}</span>
        <select value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value)}>
          {all.map((name) => (
            <option key={name} value={name}>
              {nameOfAttribute(device, name)}
            </option>
          ))}
        </select>
      </label>
      <Spans of={shown} />
      {told === undefined ? (
        <AnswerFace answer={answer} again={again} show={() => null} />
      ) : (
        <>
          <TimeChart
            device={device}
            attribute={chosen.value}
            history={told}
            span={view.value ?? told}
            isComing={isComing}
            latest={Math.max(now.peek(), told.to)}
            show={(span) => (view.value = span)}
          />
          {answer.state === "failed" && <Failed failure={answer.failure} again={again} />}
        </>
      )}
    </section>
  );
}
