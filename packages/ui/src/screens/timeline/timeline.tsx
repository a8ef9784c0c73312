import { type Signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Failure } from "../../api/call.ts";
import { pastRows, timeline } from "../../api/past.ts";
import { clockOf, momentOf } from "../../format.ts";
import { patient } from "../../parts/answer.ts";
import { Denied } from "../../parts/denied.tsx";
import { Failed } from "../../parts/faces.tsx";
import { Rooms } from "../../parts/rooms.tsx";
import { pastTime } from "../../store/clock.ts";
import { hubTime } from "../../store/home.ts";
import { drawThen, leaveNow } from "../../store/past.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";
import { type Archive, createArchive, type PastSource } from "./archive.ts";
import { barsOf, barsView } from "./bars.ts";
import { Events } from "./events.tsx";
import type { Player, Span } from "./film.ts";

const hourMs = 3_600_000;
/** Hours that the slider may span. */
const spans = [1, 24, 168] as const;
const slices = 120;
const pageEvents = 1000;
const restMs = 400;
/** Steps of the slider in a window. */
const steps = 2000;

/** The time (ms) whose whole home is drawn. The film knows less of it: no names, and no devices that came since its keyframe. */
let wholeAt: number | null = null;

/** The hub's past: one question at a time, again while the hub is busy. */
const source: PastSource = {
  counts: ({ from, until }, signal) =>
    patient((one) => timeline({ from, to: until, limit: 1, counts: slices }, one), signal),
  changes: ({ from, until }, before, signal) =>
    patient((one) => timeline({ from, to: until, limit: pageEvents, kind: "device", before }, one), signal),
  devices: (at, signal) => patient((one) => pastRows.devices(at, one), signal),
  async whole(at, signal): Promise<Failure | undefined> {
    for (const category of ["devices", "rooms", "scenes", "rules", "alarms"] as const) {
      const answer = await patient<object>((one) => pastRows[category](at, one), signal);
      if (!answer.ok) return answer;
      if (signal.aborted || pastTime.peek() !== at) continue;
      wholeAt = at;
      drawThen({ [category]: answer.value }, true);
    }
    return undefined;
  },
};

/** Draws the home of the slider's time, at most once a frame. */
function useFilm(archive: Archive): void {
  const shown = useRef<Player>(undefined);
  useSignalEffect(() => {
    const at = pastTime.value;
    void archive.reels.value;
    if (at === null) return undefined;
    const frame = requestAnimationFrame(() => {
      const player = archive.playerAt(at);
      if (player === undefined || wholeAt === at) return;
      const isNext = shown.current === player && wholeAt === null;
      const changed = player.seek(at);
      shown.current = player;
      wholeAt = null;
      drawThen({ devices: isNext ? changed : player.homeNow() }, false);
    });
    return () => cancelAnimationFrame(frame);
  });
}

function Slider(props: { archive: Archive; window: Span; rested: Signal<number | null> }): JSX.Element {
  const { archive, window, rested } = props;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const counts = archive.counts.value;
  const from = Math.max(window.from, archive.oldest.value);
  const at = pastTime.value ?? window.until;
  const alarms = counts.reduce((sum, slice) => sum + slice.alarms, 0);
  const events = counts.reduce((sum, slice) => sum + slice.events, 0);
  const rest = (time: number): void => {
    clearTimeout(timer.current);
    if (pastTime.peek() !== time) return;
    rested.value = time;
    archive.rest(time);
  };
  const move = (time: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => rest(time), restMs);
    leaveNow(time);
    archive.look(time);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="time-slider">
      <svg viewBox={barsView(window, from, slices)} preserveAspectRatio="none" aria-hidden="true">
        <path class="bars" d={barsOf(counts, "events")} />
        <path class="bars alarms" d={barsOf(counts, "alarms")} />
      </svg>
      <input
        type="range"
        aria-label={t("timeline.slider")}
        aria-valuetext={momentOf(at)}
        min={from}
        max={window.until}
        step={Math.ceil((window.until - from) / steps)}
        value={Math.min(window.until, Math.max(from, at))}
        onInput={(event) => move(event.currentTarget.valueAsNumber)}
        onChange={(event) => rest(event.currentTarget.valueAsNumber)}
      />
      <p class="row muted">
        <span>{momentOf(from)}</span>
        <output class="time-now">{`${momentOf(at)} · ${clockOf(at)}`}</output>
        <span>{momentOf(window.until)}</span>
      </p>
      <p class="muted" role="status">
        {counts.length > 0 &&
          `${t("timeline.counts", { n: events })}, ${t("timeline.alarms", { n: alarms })}`}
      </p>
    </div>
  );
}

function Shown(): JSX.Element {
  const hours = useSignal<number>(spans[1]);
  const end = useSignal(Math.max(hubTime(), pastTime.peek() ?? 0));
  const rested = useSignal<number | null>(pastTime.peek());
  const window = useComputed(() => ({ from: end.value - hours.value * hourMs, until: end.value }));
  const { value: span } = window;
  const archive = useMemo(() => createArchive(span, source), [span]);
  useFilm(archive);
  useEffect(() => {
    const left = new AbortController();
    const at = pastTime.peek();
    if (at !== null) archive.rest(at);
    void archive.read(left.signal);
    return () => left.abort();
  }, [archive]);
  const pan = (by: number): void => {
    end.value = Math.min(hubTime(), end.value + (by * hours.value * hourMs) / 2);
  };
  const { value: failure } = archive.failure;
  return (
    <>
      <h1 tabIndex={-1}>{t("nav.timeline")}</h1>
      <div class="chips" role="group" aria-label={t("timeline.span")}>
        <button type="button" class="chip" onClick={() => pan(-1)}>
          {t("timeline.earlier")}
        </button>
        {spans.map((span_) => (
          <button
            key={span_}
            type="button"
            class="chip"
            aria-pressed={hours.value === span_}
            onClick={() => (hours.value = span_)}
          >
            {t(`timeline.${span_}`)}
          </button>
        ))}
        <button type="button" class="chip" onClick={() => pan(1)}>
          {t("timeline.later")}
        </button>
      </div>
      <Slider archive={archive} window={span} rested={rested} />
      {failure && <Failed failure={failure} again={() => (end.value = end.peek() + 1)} />}
      {pastTime.value === null && <p>{t("timeline.how")}</p>}
      <Rooms />
      <Events until={pastTime.value === null ? end.value : (rested.value ?? end.value)} />
    </>
  );
}

/** The home as it was at any time: a slider, the rooms of then, and what happened. */
export function TimelineScreen(): JSX.Element {
  if (isAtLeast("IDENTIFIED_USER")) return <Shown />;
  return <Denied title={t("nav.timeline")} why={t("timeline.denied")} />;
}
