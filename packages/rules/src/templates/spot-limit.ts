import type { Rejection, RuleConfig } from "@ledge/model";
import { limits, reject, slotAt } from "@ledge/model";
import type { Arguments } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { turn } from "../machine/effect.ts";
import { devices, duration, number } from "../catalogue/field.ts";
import type { Span } from "./parts/price-plan.ts";
import { spent } from "./parts/price-plan.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** The cuts of the last day. */
  readonly cuts: readonly Span[];
  /** When the present cut began; null outside a cut. */
  readonly since: number | null;
  /** The latest end of the present cut. */
  readonly until: number;
  /** The devices that were on when the cut began; the rule turns only these on again. */
  readonly loads: readonly string[];
}

const day = 86_400_000;
const quarter = limits.priceSlotMs;
/** A slot, less the moments that switching takes. */
const worthMs = quarter - 60_000;

function isDear(view: View, at: number): boolean {
  return (slotAt(view.prices, at)?.price ?? -Infinity) > view.number("cutAbove");
}

/** Returns whether the price is below the limit for going on again; an unknown price keeps nothing off. */
function isCheap(view: View, at: number): boolean {
  const resumeBelow = view.numberIfAny("resumeBelow") ?? view.number("cutAbove");
  return (slotAt(view.prices, at)?.price ?? -Infinity) < resumeBelow;
}

/** Returns how long (ms) devices may be off at a time, given the cuts in the 24 hours before it. */
function left(view: View, { cuts, since }: Context, at: number): number {
  const now = since === null ? [] : [{ start: since, end: at }];
  return view.number("maxCut") - spent([...cuts, ...now], at, day);
}

/** A cut begins only when there is time for a whole slot; otherwise devices would only switch off and on. */
function mayCut(view: View, context: Context, at: number): boolean {
  return isDear(view, at) && left(view, context, at) >= worthMs;
}

/** Returns in how many ms the next cut begins. */
function untilCut({ context, event: { view } }: Arguments<Context>): number {
  const next = view.prices.find(({ start }) => start > view.now && mayCut(view, context, start));
  return Math.max(1, Math.min((next?.start ?? Infinity) - view.now, day));
}

/** Returns in how many ms the cut ends. */
function untilEnd({ context: { until }, event: { view } }: Arguments<Context>): number {
  const next = view.prices.find(({ end }) => end > view.now && isCheap(view, end));
  return Math.max(1, Math.min(next?.end ?? Infinity, until) - view.now);
}

function limitsProblem({ extras }: RuleConfig): Rejection | undefined {
  const [cutAbove, resumeBelow] = ["cutAbove", "resumeBelow"].map((field) => {
    const [first] = extras[field] ?? [];
    return (first as { readonly value?: unknown } | undefined)?.value;
  });
  return resumeBelow !== undefined && Number(resumeBelow) > Number(cutAbove)
    ? reject("invalid", "resumeBelow is at most cutAbove", "extras.resumeBelow")
    : undefined;
}

const look = { target: "free", reenter: true } as const;
const lookOn = { target: "cut", reenter: true } as const;

/** Keeps devices off while energy is expensive, but never for too long in 24 hours. */
export const spotLimit = template<Context>({
  configType: "SPOT_LIMIT",
  version: 1,
  priority: 70,
  class: "RULE",
  level: true,
  icon: "price",
  feature: "SPOT_PRICES",
  inputs: {},
  outputs: { loads: devices(["ON_OFF"], 1, 8) },
  extras: {
    cutAbove: { ...number("PRICE", null, -10_000, 10_000), min: 1 },
    resumeBelow: number("PRICE", null, -10_000, 10_000),
    maxCut: duration(8 * quarter, quarter, day),
  },
  late: { late: "fire" },
  hears: ["price", "time"],
  check: limitsProblem,
  chart: {
    context: { cuts: [], since: null, until: 0, loads: [] },
    initial: "free",
    delays: { untilCut, untilEnd },
    states: {
      free: {
        idle: true,
        always: {
          guard: ({ context, event: { view } }) => mayCut(view, context, view.now),
          target: "cut",
          actions: [
            keep(({ event: { view } }) => ({
              since: view.now,
              loads: view
                .devices("loads")
                .filter(({ state }) => state["isOn"] === true)
                .map(({ id }) => id),
            })),
            out(({ event: { view } }) => {
              const on = view.devices("loads").filter(({ state }) => state["isOn"] !== false);
              return turn(on, false);
            }),
          ],
        },
        on: { price: look, time: look },
        after: { untilCut: look },
      },
      cut: {
        entry: [
          keep(({ context, event: { view } }) => {
            const more = view.now < context.until ? 0 : left(view, context, view.now);
            return more < worthMs ? {} : { until: view.now + more };
          }),
        ],
        always: {
          guard: ({ context, event: { view } }) => isCheap(view, view.now) || view.now >= context.until,
          target: "free",
          actions: [
            out(({ context, event: { view } }) =>
              turn(
                view.devices("loads").filter(({ id }) => context.loads.includes(id)),
                true,
              ),
            ),
            keep(({ context: { cuts, since }, event: { view } }) => ({
              cuts: [...cuts, { start: since ?? view.now, end: view.now }].filter(
                ({ end }) => end > view.now - day,
              ),
              since: null,
              loads: [],
            })),
          ],
        },
        on: { price: lookOn, time: lookOn },
        after: { untilEnd: lookOn },
      },
    },
  },
  texts: {
    en: {
      name: "Off while energy is dear",
      summary: "Devices go off while energy costs more than a limit",
      description:
        "When energy costs more than the limit, the devices go off; when it costs less than the other limit, those that were on go on again. They are never off for longer than the given time in 24 hours. While no price is known they stay as they are. When the rule goes off, devices that are off stay off.",
      fields: {
        loads: ["Devices", "What can do without energy for a while, such as heating"],
        cutAbove: ["Off above", "The price of a kWh above which the devices go off"],
        resumeBelow: [
          "On below",
          "The price of a kWh below which they go on again; the same limit, when none is given",
        ],
        maxCut: [
          "Longest time off",
          "How long they may be off in any 24 hours; then they go on whatever it costs",
        ],
      },
    },
    fi: {
      name: "Pois kalliin energian aikaan",
      summary: "Laitteet sammuvat, kun energia maksaa rajaa enemmän",
      description:
        "Kun energia maksaa rajaa enemmän, laitteet sammuvat; kun se maksaa toista rajaa vähemmän, päällä olleet kytkeytyvät taas päälle. Ne eivät ole pois päältä koskaan annettua aikaa pidempään 24 tunnin aikana. Jos hintaa ei tiedetä, ne jäävät ennalleen. Kun sääntö kytketään pois, sammutetut laitteet jäävät pois päältä.",
      fields: {
        loads: ["Laitteet", "Mikä pärjää hetken ilman energiaa, kuten lämmitys"],
        cutAbove: ["Pois yli", "kWh:n hinta, jota kalliimmalla laitteet sammuvat"],
        resumeBelow: [
          "Päälle alle",
          "kWh:n hinta, jota halvemmalla ne kytkeytyvät taas päälle; sama raja, ellei annettu",
        ],
        maxCut: [
          "Pisin aika pois",
          "Kuinka kauan ne saavat olla pois päältä 24 tunnissa; sitten ne kytkeytyvät päälle hinnasta riippumatta",
        ],
      },
    },
    sv: {
      name: "Av när energin är dyr",
      summary: "Enheter stängs av medan energin kostar mer än en gräns",
      description:
        "När energin kostar mer än gränsen stängs enheterna av; när den kostar mindre än den andra gränsen slås de som var på på igen. De är aldrig av längre än den angivna tiden under 24 timmar. Medan inget pris är känt förblir de som de är. När regeln stängs av förblir avstängda enheter av.",
      fields: {
        loads: ["Enheter", "Det som klarar sig utan energi en stund, till exempel värme"],
        cutAbove: ["Av över", "Priset på en kWh över vilket enheterna stängs av"],
        resumeBelow: [
          "På under",
          "Priset på en kWh under vilket de slås på igen; samma gräns om ingen anges",
        ],
        maxCut: [
          "Längsta tid av",
          "Hur länge de får vara av under 24 timmar; sedan slås de på vad det än kostar",
        ],
      },
    },
    de: {
      name: "Aus, solange Energie teuer ist",
      summary: "Geräte gehen aus, solange Energie mehr als eine Grenze kostet",
      description:
        "Kostet Energie mehr als die Grenze, gehen die Geräte aus; kostet sie weniger als die andere Grenze, gehen die wieder an, die an waren. Sie sind in 24 Stunden nie länger als die angegebene Zeit aus. Solange kein Preis bekannt ist, bleiben sie, wie sie sind. Geht die Regel aus, bleiben ausgeschaltete Geräte aus.",
      fields: {
        loads: ["Geräte", "Was eine Weile ohne Energie auskommt, etwa die Heizung"],
        cutAbove: ["Aus über", "Der Preis einer kWh, über dem die Geräte ausgehen"],
        resumeBelow: [
          "An unter",
          "Der Preis einer kWh, unter dem sie wieder angehen; dieselbe Grenze, wenn keine angegeben ist",
        ],
        maxCut: [
          "Längste Zeit aus",
          "Wie lange sie in 24 Stunden aus sein dürfen; dann gehen sie an, was es auch kostet",
        ],
      },
    },
  },
});
