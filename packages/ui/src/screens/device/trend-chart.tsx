import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type History, history } from "../../api/rows.ts";
import { momentOf, nameOfAttribute, percentOf, textOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { now } from "../../store/clock.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { shownAttributes } from "./attributes.ts";
import { drawn, stretchesOf, summaryOfAll } from "./trend.ts";

/** Hours that a drawing may show. */
const spans = [24, 168, 720] as const;
const hourMs = 3_600_000;
const size = { width: 600, height: 160 };

/** The drawing, and the same in words: they are its name for readers of screens. */
function Chart(props: {
  readonly device: Device;
  readonly attribute: string;
  readonly history: History;
}): JSX.Element {
  const { device, attribute, history: found } = props;
  const stretches = stretchesOf(found);
  const summary = summaryOfAll(stretches);
  if (summary === undefined) return <Empty title={t("trend.none")} />;
  const { line, band } = drawn(stretches, found, size);
  const [from, to] = [momentOf(found.from), momentOf(found.to)];
  const text = (value: number): string => textOf(device, attribute, value);
  const isYesNo = typeof device.state[attribute] === "boolean";
  const words = isYesNo
    ? t("trend.share", { from, to, value: textOf(device, attribute, true), share: percentOf(summary.mean) })
    : t("trend.summary", {
        from,
        to,
        min: text(summary.min),
        max: text(summary.max),
        mean: text(summary.mean),
      });
  return (
    <figure class="trend">
      <svg viewBox={`0 -4 ${size.width} ${size.height + 8}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="band" d={band} />
        <path class="line" d={line} />
      </svg>
      <figcaption class="muted">{words}</figcaption>
    </figure>
  );
}

/** What a device reported of one of its attributes over a day, a week or a month. */
export function Trend({ device }: { readonly device: Device }): JSX.Element | null {
  const { id, state } = device;
  const all = shownAttributes(device).filter((name) => typeof state[name] !== "string");
  const chosen = useSignal(all.find((name) => typeof state[name] === "number") ?? all[0] ?? "");
  const hours = useSignal<number>(spans[0]);
  const about = useComputed(() => `${id} ${chosen.value} ${hours.value}`);
  const { asked, again } = useAnswer(
    (signal) => history(id, chosen.peek(), now.peek() - hours.peek() * hourMs, signal),
    about.value,
  );
  const { value: answer } = asked;
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
      <div class="chips" role="group" aria-label={t("trend.span")}>
        {spans.map((span) => (
          <button
            key={span}
            type="button"
            class="chip"
            aria-pressed={hours.value === span}
            onClick={() => (hours.value = span)}
          >
            {t(`trend.${span}`)}
          </button>
        ))}
      </div>
      <AnswerFace
        answer={answer}
        again={again}
        show={(found) => <Chart device={device} attribute={chosen.value} history={found} />}
      />
    </section>
  );
}
