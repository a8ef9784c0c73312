import type { Device, RuleConfig, TimeRange } from "@ledge/model";
import type { Arguments, Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { clock, daily } from "../schedule/daily.ts";
import type { Effect } from "../machine/effect.ts";
import { shine, turn } from "../machine/effect.ts";
import { devices, duration, number, timeOfDay, weekdays } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** The lamps that were off when the ramp began. */
  readonly lamps: readonly string[];
  /** Those of them that have gone on since. */
  readonly lit: readonly string[];
}

const minuteMs = 60_000;
const dayMinutes = 1440;
const mostSteps = 60;
const lateMaxMs = 1_800_000;

/** By CONFIG; a new CONFIG gets a new time range. */
const mornings = new WeakMap<RuleConfig, TimeRange>();

/** Returns the time range from the beginning of the ramp to the end of the hold, on the days of the alarm. */
function morningOf(view: View): TimeRange {
  const { config } = view.rule;
  let morning = mornings.get(config);
  if (morning === undefined) {
    const alarm = view.number("alarm");
    const start = alarm - Math.round(view.number("ramp") / minuteMs);
    const end = (alarm + Math.round(view.number("holdAfter") / minuteMs)) % dayMinutes;
    const days = (view.value("weekdays") ?? []) as readonly number[];
    // The ramp of an alarm soon after midnight begins on the day before.
    const begins = start < 0 ? days.map((day) => ((day + 5) % 7) + 1) : days;
    morning = daily(clock((start + dayMinutes) % dayMinutes), clock(end), begins);
    mornings.set(config, morning);
  }
  return morning;
}

/** Returns how long ago the ramp began (ms); undefined outside the range. */
function sinceStart(view: View): number | undefined {
  const since = view.since(morningOf(view));
  return since === null ? undefined : view.now - since;
}

/** Returns the length of the ramp, rounded to whole minutes like its time range. */
function rampMs(view: View): number {
  return Math.round(view.number("ramp") / minuteMs) * minuteMs;
}

function stepMs(view: View): number {
  return Math.ceil(rampMs(view) / mostSteps);
}

/** Returns how much of the ramp has passed, 0 to 1. */
function progress(view: View): number {
  return Math.min(1, (sinceStart(view) ?? 0) / rampMs(view));
}

function own(view: View, { lamps }: Context): readonly Device[] {
  return view.devices("lights").filter(({ id }) => lamps.includes(id));
}

function rise({ context, event: { view } }: Arguments<Context>): readonly Effect[] {
  const part = progress(view);
  if (part === 0) return [];
  const [from, to] = [view.number("tempFrom"), view.number("tempTo")];
  const brightness = Math.max(0.01, Math.round(view.number("endLevel") * part * 1000) / 1000);
  return shine(own(view, context), brightness, Math.round(from + (to - from) * part));
}

/** Somebody has turned a lamp off again. */
function isStopped({ context, event: { view } }: Arguments<Context>): boolean {
  return own(view, context).some(({ id, state }) => context.lit.includes(id) && state["isOn"] === false);
}

function isNewlyLit({ context, event: { view } }: Arguments<Context>): boolean {
  return own(view, context).some(({ id, state }) => state["isOn"] === true && !context.lit.includes(id));
}

const note = keep<Context>(({ context, event: { view } }) => ({
  lit: own(view, context).flatMap(({ id, state }) =>
    state["isOn"] === true || context.lit.includes(id) ? [id] : [],
  ),
}));

const ended: Transition<Context> = {
  guard: ({ event: { view } }) => sinceStart(view) === undefined,
  target: "waiting",
  actions: [out(({ context, event: { view } }) => turn(own(view, context), false))],
};

/** Brightens lamps slowly until the alarm, like a sunrise. */
export const sunriseWakeup = template<Context>({
  configType: "SUNRISE_WAKEUP",
  version: 1,
  priority: 45,
  class: "RULE",
  icon: "sunrise",
  inputs: {},
  outputs: { lights: devices(["BRIGHTNESS"], 1, 8) },
  extras: {
    alarm: timeOfDay(null, 1),
    weekdays: weekdays(),
    ramp: duration(1_800_000, 300_000, 7_200_000),
    endLevel: number("PERCENT", 1, 0.01, 1),
    tempFrom: number("NUMBER", 2200, 1000, 10_000),
    tempTo: number("NUMBER", 4000, 1000, 10_000),
    holdAfter: duration(1_800_000, 60_000, 14_400_000),
  },
  late: { late: "skip", lateMaxMs },
  hears: ["outputs"],
  times: (view) => [morningOf(view)],
  chart: {
    context: { lamps: [], lit: [] },
    initial: "waiting",
    delays: { step: ({ event: { view } }) => stepMs(view) - ((sinceStart(view) ?? 0) % stepMs(view)) },
    states: {
      waiting: {
        idle: true,
        entry: [keep(() => ({ lamps: [], lit: [] }))],
        always: [
          {
            guard: ({ event: { view } }) => (sinceStart(view) ?? Infinity) <= lateMaxMs,
            target: "rising",
            actions: [
              keep(({ event: { view } }) => ({
                lamps: view
                  .devices("lights")
                  .flatMap(({ id, state }) => (state["isOn"] === true ? [] : [id])),
              })),
            ],
          },
        ],
      },
      rising: {
        entry: [out(rise), note],
        always: ended,
        on: {
          "out.lights": [
            { guard: isStopped, target: "stopped" },
            { guard: isNewlyLit, actions: [note] },
          ],
        },
        after: {
          step: [
            // A lamp that goes off need not report its brightness.
            { guard: isStopped, target: "stopped" },
            { guard: ({ event: { view } }) => progress(view) === 1, target: "up", actions: [out(rise)] },
            { target: "rising", reenter: true },
          ],
        },
      },
      up: { always: ended },
      stopped: { always: { ...ended, actions: [] } },
    },
  },
  texts: {
    en: {
      name: "Wake-up light",
      summary: "Lamps grow bright until the alarm, as the sun rises",
      description:
        "Before the alarm the lamps go on dimly and warm, and grow brighter and colder step by step until the alarm. A while after it they go off. When somebody turns one of them off meanwhile, the rule stops for that day. Lamps that are already on stay as they are.",
      fields: {
        lights: ["Lamps", "What grows bright"],
        alarm: ["Alarm", "When the lamps are bright"],
        weekdays: ["Days", "On which days; on all, when none is given"],
        ramp: ["Sunrise", "How long before the alarm the lamps begin to shine"],
        endLevel: ["Level", "How bright the lamps are in the end"],
        tempFrom: ["First colour temperature", "In kelvin; lower is warmer"],
        tempTo: ["Last colour temperature", "In kelvin; higher is colder"],
        holdAfter: ["After the alarm", "How long the lamps stay on"],
      },
    },
    fi: {
      name: "Herätysvalo",
      summary: "Lamput kirkastuvat herätykseen mennessä kuin auringon noustessa",
      description:
        "Ennen herätystä lamput syttyvät himmeinä ja lämpiminä ja kirkastuvat ja kylmenevät askel askeleelta herätykseen asti. Jonkin ajan kuluttua siitä ne sammuvat. Jos joku sammuttaa niistä yhden sillä välin, kirkastuminen loppuu siltä päivältä. Jo palavat lamput jäävät ennalleen.",
      fields: {
        lights: ["Lamput", "Mitkä kirkastuvat"],
        alarm: ["Herätys", "Milloin lamput ovat kirkkaimmillaan"],
        weekdays: ["Päivät", "Minä päivinä; kaikkina, jos ei annettu"],
        ramp: ["Auringonnousu", "Kuinka kauan ennen herätystä lamput alkavat syttyä"],
        endLevel: ["Kirkkaus", "Kuinka kirkkaita lamput ovat lopuksi"],
        tempFrom: ["Ensimmäinen värilämpötila", "Kelvineinä; pienempi on lämpimämpi"],
        tempTo: ["Viimeinen värilämpötila", "Kelvineinä; suurempi on kylmempi"],
        holdAfter: ["Herätyksen jälkeen", "Kuinka kauan lamput palavat"],
      },
    },
    sv: {
      name: "Väckningsljus",
      summary: "Lampor lyser allt starkare fram till väckningen, som när solen går upp",
      description:
        "Före väckningen tänds lamporna svagt och varmt och blir steg för steg starkare och kallare fram till väckningen. En stund efter den släcks de. Om någon släcker en av dem under tiden är det slut för den dagen. Lampor som redan lyser lämnas i fred.",
      fields: {
        lights: ["Lampor", "Det som lyser allt starkare"],
        alarm: ["Väckning", "När lamporna lyser som starkast"],
        weekdays: ["Dagar", "Vilka dagar; alla om inget anges"],
        ramp: ["Soluppgång", "Hur länge före väckningen lamporna börjar lysa"],
        endLevel: ["Nivå", "Hur starkt lamporna lyser till slut"],
        tempFrom: ["Första färgtemperaturen", "I kelvin; lägre är varmare"],
        tempTo: ["Sista färgtemperaturen", "I kelvin; högre är kallare"],
        holdAfter: ["Efter väckningen", "Hur länge lamporna lyser"],
      },
    },
    de: {
      name: "Wecklicht",
      summary: "Lampen werden bis zum Wecken heller, wie wenn die Sonne aufgeht",
      description:
        "Vor dem Wecken gehen die Lampen schwach und warm an und werden bis dahin Schritt für Schritt heller und kälter. Eine Weile danach gehen sie aus. Schaltet jemand eine von ihnen inzwischen aus, ist es für diesen Tag vorbei. Lampen, die schon an sind, bleiben, wie sie sind.",
      fields: {
        lights: ["Lampen", "Was heller wird"],
        alarm: ["Wecken", "Wann die Lampen hell sind"],
        weekdays: ["Tage", "An welchen Tagen; an allen, wenn nichts angegeben ist"],
        ramp: ["Sonnenaufgang", "Wie lange vor dem Wecken die Lampen zu leuchten beginnen"],
        endLevel: ["Stufe", "Wie hell die Lampen am Ende sind"],
        tempFrom: ["Erste Farbtemperatur", "In Kelvin; niedriger ist wärmer"],
        tempTo: ["Letzte Farbtemperatur", "In Kelvin; höher ist kälter"],
        holdAfter: ["Nach dem Wecken", "Wie lange die Lampen an bleiben"],
      },
    },
  },
});
