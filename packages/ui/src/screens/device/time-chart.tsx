import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { History } from "../../api/rows.ts";
import { saveText } from "../../browser.ts";
import { momentOf, nameOfAttribute, percentOf, scaleOf, stampOf, textOf } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { useGestures } from "./gestures.ts";
import { drawn, type Stretch, stretchesOf, summaryOfAll } from "./trend.ts";
import { trendTable } from "./trend-table.ts";
import { panned, shortest, type Span, zoomed } from "./zoom.ts";

const size = { width: 600, height: 160 };
const part = 0.5;
/** Which part of a drawing may be missing up to now while it counts as the newest. */
const nearly = 0.05;

/** What the drawing shows, in words: they are its name for readers of screens. */
function wordsOf(device: Device, attribute: string, history: History, stretches: readonly Stretch[]): string {
  const summary = summaryOfAll(stretches);
  if (summary === undefined) return t("trend.none");
  const [from, to] = [momentOf(history.from), momentOf(history.to)];
  const text = (value: number): string => textOf(device, attribute, value);
  if (typeof device.state[attribute] === "boolean")
    return t("trend.share", {
      from,
      to,
      value: textOf(device, attribute, true),
      share: percentOf(summary.mean),
    });
  const { min, max, mean } = summary;
  return t("trend.summary", { from, to, min: text(min), max: text(max), mean: text(mean) });
}

/** Saves what the drawing shows. */
function save(device: Device, attribute: string, stretches: readonly Stretch[], span: Span): void {
  const isYesOrNo = typeof device.state[attribute] === "boolean";
  const name = nameOfAttribute(device, attribute);
  const head = {
    from: t("trend.from"),
    to: t("trend.to"),
    value: isYesOrNo ? `${name}: ${textOf(device, attribute, true)}` : name,
    least: t("trend.least"),
    mean: t("trend.mean"),
    greatest: t("trend.greatest"),
  };
  const scale = scaleOf(device, attribute, isYesOrNo);
  saveText("history.csv", trendTable(stretches, span, scale, head, stampOf));
}

/** What moves and stretches the time that is shown, for keys and for whoever does not know the gestures. */
function Ways(props: {
  readonly span: Span;
  readonly latest: number;
  readonly show: (span: Span) => void;
}): JSX.Element {
  const { span, latest, show } = props;
  // Whoever sees the newest goes on seeing it.
  const at = latest - span.to <= (span.to - span.from) * nearly ? 1 : part;
  return (
    <div class="chips" role="group" aria-label={t("trend.ways")}>
      <Button onClick={() => show(panned(span, -part, latest))}>{t("trend.earlier")}</Button>
      <Button isBlocked={span.to >= latest} onClick={() => show(panned(span, part, latest))}>
        {t("trend.later")}
      </Button>
      <Button
        isBlocked={span.to - span.from <= shortest}
        onClick={() => show(zoomed(span, part, at, latest))}
      >
        {t("trend.closer")}
      </Button>
      <Button onClick={() => show(zoomed(span, 1 / part, at, latest))}>{t("trend.wider")}</Button>
    </div>
  );
}

/** A drawing of what a device reported, whose time somebody moves and stretches. */
export function TimeChart(props: {
  readonly device: Device;
  readonly attribute: string;
  readonly history: History;
  /** What is shown, which may be more or less than the history. */
  readonly span: Span;
  /** The hub has not said yet what it knows of all that is shown. */
  readonly isComing: boolean;
  readonly latest: number;
  readonly show: (span: Span) => void;
}): JSX.Element {
  const { device, attribute, history, span, isComing, latest, show } = props;
  const drawing = useGestures({ span, latest, show });
  const stretches = useMemo(() => stretchesOf(history), [history]);
  const { line, band } = drawn(stretches, span, size);
  return (
    <>
      <figure class="trend" aria-busy={isComing}>
        <svg
          ref={drawing}
          viewBox={`0 -4 ${size.width} ${size.height + 8}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path class="band" d={band} />
          <path class="line" d={line} />
        </svg>
        <figcaption class="muted">
          {isComing
            ? t("trend.window", { from: momentOf(span.from), to: momentOf(span.to) })
            : wordsOf(device, attribute, history, stretches)}
        </figcaption>
      </figure>
      <Ways span={span} latest={latest} show={show} />
      <Button
        isBlocked={isComing || stretches.length === 0}
        onClick={() => save(device, attribute, stretches, span)}
      >
        {t("devices.save")}
      </Button>
    </>
  );
}
