import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Answer } from "../../api/call.ts";
import { type EnergyQuestion, type SummedHistory, summedHistory } from "../../api/energy.ts";
import { saveText } from "../../browser.ts";
import { dayIn, hourIn, kWhOf, moneyOf, wattsOf } from "../../format.ts";
import { patient, useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { now } from "../../store/clock.ts";
import { home } from "../../store/home.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { MainMeter, mainMeter } from "./main-meter.tsx";
import { PricesAhead } from "./prices-ahead.tsx";
import {
  byTime,
  csvOf,
  inAll,
  joined,
  meterOf,
  otherId,
  powerNow,
  type Share,
  shares,
  type Used,
  wholeAndParts,
} from "./sums.ts";

const spans = { today: "energy.today", week: "energy.week", month: "energy.month" } as const;
type Span = keyof typeof spans;
const dayMs = 86_400_000;
/** Days before today. */
const daysBefore: Readonly<Record<Span, number>> = { today: 0, week: 6, month: 29 };
/** As many as the hub sums up for one question. */
const seriesMost = 32;
const noRoom = "";

function devicesNow(): readonly Device[] {
  return home.of.devices.list();
}

type Series = EnergyQuestion["series"];

/** Asks for all series, as many at a time as the hub takes. */
async function askAll(
  series: Series,
  question: Omit<EnergyQuestion, "series">,
  signal: AbortSignal,
): Promise<Answer<SummedHistory>> {
  const answers: SummedHistory[] = [];
  for (let at = 0; at < series.length; at += seriesMost) {
    const part = series.slice(at, at + seriesMost);
    const answer = await patient((left) => summedHistory({ ...question, series: part }, left), signal);
    if (!answer.ok) return answer;
    answers.push(answer.value);
  }
  const value = joined(answers);
  if (value === undefined)
    return { ok: false, status: 404, message: "", retryAfterS: undefined, oldest: undefined, errors: [] };
  return { ok: true, value };
}

/** Asks what was used: today by the hour, which begins at midnight of the hub's zone, else by the day. */
async function askFor(span: Span, series: Series, signal: AbortSignal): Promise<Answer<SummedHistory>> {
  const to = Math.floor(now.peek());
  const days = {
    bucket: "day",
    from: Math.max(0, to - daysBefore[span] * dayMs),
    to,
    prices: span !== "today",
  } as const;
  if (span !== "today") return askAll(series, days, signal);
  const day = await askAll(series.slice(0, 1), days, signal);
  if (!day.ok) return day;
  const from = day.value.starts[0] ?? to;
  return askAll(series, { bucket: "hour", from, to, prices: true }, signal);
}

/** Asks what was used, and says in the answer for when: until it comes, another answer may be there. */
async function askOf(
  of: Span,
  series: Series,
  signal: AbortSignal,
): Promise<Answer<{ readonly of: Span; readonly found: SummedHistory }>> {
  const answer = await askFor(of, series, signal);
  return answer.ok ? { ok: true, value: { of, found: answer.value } } : answer;
}

function usedText({ kWh, cost }: Used, currency: string | null): string {
  const energy = kWhOf(kWh);
  return cost === null || currency === null ? energy : `${energy}, ${moneyOf(cost, currency)}`;
}

/** Rows with a bar each, longest for the most. */
function Row(props: {
  readonly name: string;
  readonly used: Used;
  readonly most: number;
  readonly currency: string | null;
}): JSX.Element {
  const { name, used, most, currency } = props;
  const width = most > 0 ? Math.max(0, (used.kWh / most) * 100) : 0;
  return (
    <>
      <span class="energy-name">{name}</span>
      <span class="energy-bar" aria-hidden="true">
        <span style={{ width: `${width}%` }} />
      </span>
      <span class="energy-value">{usedText(used, currency)}</span>
    </>
  );
}

function Shares({
  all,
  currency,
}: {
  readonly all: readonly Share[];
  readonly currency: string | null;
}): JSX.Element {
  const most = all[0]?.kWh ?? 0;
  return (
    <ul class="plain energy">
      {all.map((share) => (
        <li key={share.id} class="energy-row">
          <Row name={share.name} used={share} most={most} currency={currency} />
        </li>
      ))}
    </ul>
  );
}

function Whole(props: {
  readonly found: SummedHistory;
  readonly span: Span;
  readonly main: string | undefined;
}): JSX.Element {
  const { found, span, main } = props;
  const place = useSignal<number | null>(null);
  const isByRoom = useSignal(false);
  const { currency, timezone, starts } = found;
  const { whole, parts } = wholeAndParts(found, main);
  const times = byTime(whole);
  const total = inAll(whole);
  const most = Math.max(0, ...times.map(({ kWh }) => kWh));
  const titleOf = (at: number): string => (span === "today" ? hourIn(at, timezone) : dayIn(at, timezone));
  const nameOf = (id: string): string => home.of.devices.of(id).value?.name ?? id;
  const other = { id: otherId, name: t("energy.other") };
  const ofDevice = (id: string): { id: string; name: string } =>
    id === otherId ? other : { id, name: nameOf(id) };
  const ofRoom = (device: string): { id: string; name: string } => {
    if (device === otherId) return { ...other, id: "other" };
    const [id = noRoom] = home.of.devices.of(device).value?.room ?? [];
    return { id, name: home.of.rooms.of(id).value?.name ?? t("home.noRoom") };
  };
  const chosen = place.value;
  const at = chosen === null ? undefined : starts[chosen];
  return (
    <>
      <section class="card" aria-labelledby="energy-total">
        <h2 id="energy-total">{t(spans[span])}</h2>
        <p class="energy-total">{usedText(total, currency)}</p>
        {currency === null && <p class="muted">{t("energy.noPrices")}</p>}
        {currency !== null && total.unpriced > 0 && (
          <p class="muted">{t("energy.unpriced", { energy: kWhOf(total.unpriced) })}</p>
        )}
        <ul class="plain energy" aria-label={t("energy.byTime")}>
          {times.map((used, index) => (
            <li key={starts[index]}>
              <button
                type="button"
                class="energy-row"
                aria-pressed={chosen === index}
                onClick={() => (place.value = chosen === index ? null : index)}
              >
                <Row name={titleOf(starts[index] ?? 0)} used={used} most={most} currency={currency} />
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section class="card" aria-labelledby="energy-shares">
        <h2 id="energy-shares">
          {at === undefined ? t("energy.whoAll") : t("energy.whoAt", { time: titleOf(at) })}
        </h2>
        <label class="check">
          <input
            type="checkbox"
            checked={isByRoom.value}
            onChange={(event) => (isByRoom.value = event.currentTarget.checked)}
          />
          <span>{t("energy.byRoom")}</span>
        </label>
        <Shares all={shares(parts, isByRoom.value ? ofRoom : ofDevice, chosen)} currency={currency} />
        <button type="button" class="button" onClick={() => saveText("energy.csv", csvOf(found, nameOf))}>
          {t("energy.csv")}
        </button>
      </section>
    </>
  );
}

function Metered({
  series,
  main,
}: {
  readonly series: Series;
  readonly main: string | undefined;
}): JSX.Element {
  const span = useSignal<Span>("today");
  const about = `${span.value} ${series.map(({ deviceId }) => deviceId).join()}`;
  const { asked, again } = useAnswer((signal) => askOf(span.peek(), series, signal), about);
  return (
    <>
      <fieldset class="segments">
        <legend class="hidden">{t("energy.span")}</legend>
        {(Object.keys(spans) as Span[]).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="span"
              checked={span.value === name}
              onChange={() => (span.value = name)}
            />
            <span>{t(spans[name])}</span>
          </label>
        ))}
      </fieldset>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={({ of, found }) => <Whole key={of} found={found} span={of} main={main} />}
      />
    </>
  );
}

/** What the home uses now, today and lately, by device and room, and what it cost. */
export function EnergyScreen(): JSX.Element {
  const devices = devicesNow();
  const series = devices.flatMap((device) => meterOf(device) ?? []);
  const { asked, again } = useAnswer(mainMeter, "main");
  const main = asked.value.state === "done" ? asked.value.value : undefined;
  const watts = powerNow(devices, main);
  return (
    <>
      <h1 tabIndex={-1}>{t("energy.title")}</h1>
      {watts !== undefined && <p class="energy-total">{t("energy.now", { power: wattsOf(watts) })}</p>}
      {series.length > 0 && <Metered series={series} main={main} />}
      {series.length > 0 && (
        <MainMeter ids={series.map(({ deviceId }) => deviceId)} main={main} changed={again} />
      )}
      <PricesAhead />
      {series.length === 0 && home.isTold.value && (
        <Empty title={t("energy.none")}>
          <p>{t("energy.noneHow")}</p>
        </Empty>
      )}
    </>
  );
}
