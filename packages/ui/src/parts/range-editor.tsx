import type { JSX } from "preact";
import type { TimePoint, TimeRange } from "@ledge/model";
import { clockIn, clockOfMinutes, dayName } from "../format.ts";
import { isKey, t } from "../texts/texts.ts";
import { kindOf, type PointKind, pointOf, sunEvents, withDay } from "./time-range.ts";

const days = [1, 2, 3, 4, 5, 6, 7] as const;

/** Days of the week, of which none stands for all. */
export function Days(props: {
  readonly days: readonly number[];
  readonly put: (days: readonly number[]) => void;
}): JSX.Element {
  return (
    <fieldset class="days">
      <legend>{props.days.length === 0 ? t("range.everyDay") : t("range.days")}</legend>
      {days.map((day) => (
        <label key={day} class="check">
          <input
            type="checkbox"
            checked={props.days.includes(day)}
            onChange={(event) => props.put(withDay(props.days, day, event.currentTarget.checked))}
          />
          {dayName(day)}
        </label>
      ))}
    </fieldset>
  );
}

function kindName(kind: PointKind): string {
  const key = `sun.${kind}`;
  return isKey(key) ? t(key) : kind;
}

const minuteMs = 60_000;

/** When a time range begins or ends. */
function Point(props: {
  readonly label: string;
  readonly of: TimePoint | null;
  readonly canBeNone: boolean;
  readonly put: (point: TimePoint | null) => void;
}): JSX.Element {
  const { label, of, canBeNone, put } = props;
  const kinds: readonly PointKind[] = ["clock", ...sunEvents, ...(canBeNone ? (["none"] as const) : [])];
  return (
    <div class="row">
      <span class="point" aria-hidden="true">
        {label}
      </span>
      <select
        aria-label={label}
        value={kindOf(of)}
        onChange={(event) => put(pointOf(event.currentTarget.value as PointKind, of))}
      >
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {kindName(kind)}
          </option>
        ))}
      </select>
      {of?.type === "TIME_OF_DAY" && (
        <input
          type="time"
          aria-label={t("range.clock", { point: label })}
          value={clockOfMinutes(of.value)}
          onInput={(event) => {
            const value = clockIn(event.currentTarget.value);
            if (value !== undefined) put({ ...of, value });
          }}
        />
      )}
      {of?.type === "SUN_EVENT" && (
        <label class="row">
          <input
            type="number"
            step="1"
            class="short"
            value={of.offsetMs / minuteMs}
            onInput={(event) => {
              const minutes = event.currentTarget.valueAsNumber;
              if (Number.isFinite(minutes)) put({ ...of, offsetMs: Math.round(minutes * minuteMs) });
            }}
          />
          {t("range.offset")}
        </label>
      )}
    </div>
  );
}

/** The editor of a time range. What it does not show, such as the bounds of a sunset, is kept. */
export function RangeEditor(props: {
  readonly label: string;
  readonly of: TimeRange;
  readonly put: (range: TimeRange) => void;
}): JSX.Element {
  const { label, of, put } = props;
  const { start, end, weekdays, validFrom, validTo, enabled } = of;
  const date = (name: "validFrom" | "validTo", text: string, value: string): JSX.Element => (
    <label class="row">
      {text}
      <input
        type="date"
        value={value}
        onInput={(event) => put({ ...of, [name]: event.currentTarget.value || null })}
      />
    </label>
  );
  return (
    <fieldset class="range">
      <legend class="hidden">{label}</legend>
      <Point
        label={t("range.start")}
        of={start}
        canBeNone={false}
        put={(point) => point && put({ ...of, start: point })}
      />
      <Point label={t("range.end")} of={end} canBeNone put={(point) => put({ ...of, end: point })} />
      <Days days={weekdays} put={(chosen) => put({ ...of, weekdays: [...chosen] })} />
      <details open={Boolean(validFrom) || Boolean(validTo) || !enabled}>
        <summary>{t("range.more")}</summary>
        {date("validFrom", t("range.from"), validFrom ?? "")}
        {date("validTo", t("range.to"), validTo ?? "")}
        <label class="check">
          <input
            type="checkbox"
            checked={enabled}
            onChange={(event) => put({ ...of, enabled: event.currentTarget.checked })}
          />
          {t("range.enabled")}
        </label>
      </details>
    </fieldset>
  );
}
