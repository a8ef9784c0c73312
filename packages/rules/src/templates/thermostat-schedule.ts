import type { Device, Rejection, RuleConfig, World } from "@ledge/model";
import { reject } from "@ledge/model";
import type { Arguments } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { set } from "../machine/effect.ts";
import { devices, number, ranges } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import { valueProblem } from "../catalogue/value.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** The edge since which the setpoint holds. */
  readonly edge: string;
  /** The thermostats that have not confirmed it. */
  readonly failed: readonly string[];
  /** How often the write was repeated. */
  readonly tries: number;
}
type Given = Arguments<Context>;

const maxRanges = 16;
const maxTries = 6;
const retryMs = 600_000;
const degrees = number("TEMPERATURE", null, 4, 35);

/** Returns a text for the newest active range, or for the time between ranges. */
function edgeOf(view: View): string {
  const [newest] = view.active("ranges");
  return newest === undefined ? "base" : `${newest.index}@${newest.since}`;
}

/** Returns the setpoint that a range carries itself; its type is not checked. */
const ownSetpoint = (range: object | undefined): unknown =>
  range !== undefined && "setpoint" in range ? (range.setpoint ?? undefined) : undefined;

function setpointOf(view: View): number {
  const [newest] = view.active("ranges");
  if (newest === undefined) return view.number("base");
  const own = ownSetpoint(view.ranges("ranges")[newest.index]);
  const setpoints = (view.value("setpoints") ?? []) as readonly number[];
  return typeof own === "number" ? own : (setpoints[newest.index] ?? view.number("base"));
}

/** Rejects a CONFIG in which a range has no setpoint: its own, or one of the list at its index. */
function setpointProblem({ extras: given }: RuleConfig, world: World): Rejection | undefined {
  const all = given["ranges"] ?? [];
  const listed = (given["setpoints"] ?? []).length;
  for (const [index, own] of all.map(ownSetpoint).entries()) {
    const problem =
      own === undefined ? undefined : valueProblem({ type: "TEMPERATURE", value: own }, degrees, world);
    if (problem !== undefined)
      return reject("invalid", `setpoint: ${problem}`, `extras.ranges.${index}.setpoint`);
  }
  const areNamed = all.every((range) => ownSetpoint(range) !== undefined);
  return listed === all.length || (listed === 0 && areNamed)
    ? undefined
    : reject("invalid", "each time range has one setpoint", "extras.setpoints");
}

function write(view: View, to: readonly Device[]): readonly Effect[] {
  const setpoint = setpointOf(view);
  const others = to.filter((device) => view.reading("thermostats", device) !== setpoint);
  return set(others, { targetTemperature: setpoint });
}

/** What people have set holds only until this edge. */
const begin = [
  out<Context>(({ event: { view } }) => {
    const all = view.devices("thermostats");
    return [...all.map(({ id }) => ({ do: "free", device: id }) as const), ...write(view, all)];
  }),
  keep<Context>(({ event: { view } }) => ({ edge: edgeOf(view), failed: [], tries: 0 })),
];
const isEdge = ({ context, event: { view } }: Given): boolean => edgeOf(view) !== context.edge;
const noteFailed = keep<Context>(({ context: { failed }, event: { view } }) => {
  const id = view.change?.device.id;
  return id === undefined ? {} : { failed: [...new Set([...failed, id])] };
});
const isUnknown = ({ context: { failed, tries }, event: { view } }: Given): boolean =>
  tries < maxTries && view.change !== undefined && !failed.includes(view.change.device.id);

/** Sets setpoints by time. It writes at edges only, so that a person's change holds until the next one. */
export const thermostatSchedule = template<Context>({
  configType: "THERMOSTAT_SCHEDULE",
  version: 1,
  priority: 95,
  class: "RULE",
  level: true,
  icon: "calendar",
  inputs: {},
  outputs: { thermostats: devices(["CONTROL_TEMPERATURE", "THERMOSTAT"], 1, 32) },
  extras: {
    ranges: ranges(1, maxRanges),
    setpoints: { ...degrees, max: maxRanges, standard: [] },
    base: { ...degrees, standard: 20 },
  },
  check: setpointProblem,
  late: { late: "fire" },
  times: (view) => view.ranges("ranges"),
  hears: ["failed"],
  chart: {
    context: { edge: "", failed: [], tries: 0 },
    initial: "holding",
    delays: { retry: () => retryMs },
    states: {
      holding: {
        idle: true,
        always: { guard: isEdge, actions: begin },
        on: { failed: { guard: isUnknown, target: "retrying", actions: [noteFailed] } },
      },
      retrying: {
        idle: true,
        always: { guard: isEdge, target: "holding", actions: begin },
        on: { failed: { guard: isUnknown, actions: [noteFailed] } },
        after: {
          retry: {
            target: "holding",
            actions: [
              out(({ context: { failed }, event: { view } }) =>
                write(
                  view,
                  view.devices("thermostats").filter(({ id }) => failed.includes(id)),
                ),
              ),
              keep(({ context: { tries } }) => ({ failed: [], tries: tries + 1 })),
            ],
          },
        },
      },
    },
  },
  texts: {
    en: {
      name: "Heating by time",
      summary: "Sets thermostats by time ranges",
      description:
        "Each time range has its setpoint; between the ranges the base applies. Where ranges overlap, the one that began last counts. A setpoint goes to the thermostats that show another one, at the moment when it begins; what somebody sets by hand holds until the next change. For thermostats that do not answer, it is repeated every ten minutes for an hour.",
      fields: {
        thermostats: ["Thermostats", "What is set"],
        ranges: ["Times", "When each setpoint holds; each may name its own, as setpoint"],
        setpoints: [
          "Setpoints",
          "One for each time range, in the same order; none where the times name them",
        ],
        base: ["Base", "The setpoint outside the time ranges"],
      },
    },
    fi: {
      name: "Lämmitys ajan mukaan",
      summary: "Asettaa termostaatit aikavälien mukaan",
      description:
        "Kullakin aikavälillä on voimassa sen asetusarvo ja niiden välillä perusarvo. Jos aikavälit ovat päällekkäin, viimeksi alkanut ratkaisee. Arvo kirjoitetaan sen alkaessa niihin termostaatteihin, jotka näyttävät muuta; se, mitä joku asettaa välillä, on voimassa seuraavaan muutokseen. Vastaamattomille termostaateille käsky toistetaan kymmenen minuutin välein tunnin ajan.",
      fields: {
        thermostats: ["Termostaatit", "Mitä asetetaan"],
        ranges: ["Ajat", "Milloin kukin asetusarvo on voimassa; kukin voi nimetä omansa (setpoint)"],
        setpoints: [
          "Asetusarvot",
          "Yksi kullekin aikavälille samassa järjestyksessä; ei yhtään, jos ajat nimeävät ne",
        ],
        base: ["Perusarvo", "Asetusarvo aikavälien ulkopuolella"],
      },
    },
    sv: {
      name: "Värme efter tid",
      summary: "Ställer termostater efter tidsintervall",
      description:
        "I varje tidsintervall gäller dess börvärde och däremellan grundvärdet. Där intervall överlappar gäller det som började sist. Ett börvärde skrivs när det börjar, till de termostater som visar ett annat; det någon ställer däremellan gäller till nästa ändring. Termostater som inte svarar får ordern igen var tionde minut i en timme.",
      fields: {
        thermostats: ["Termostater", "Det som ställs"],
        ranges: ["Tider", "När varje börvärde gäller; var och en kan ange sitt eget (setpoint)"],
        setpoints: ["Börvärden", "Ett för varje tidsintervall, i samma ordning; inget där tiderna anger dem"],
        base: ["Grundvärde", "Börvärdet utanför tidsintervallen"],
      },
    },
    de: {
      name: "Heizen nach Zeit",
      summary: "Stellt Thermostate nach Zeiträumen",
      description:
        "In jedem Zeitraum gilt sein Sollwert und dazwischen der Grundwert. Wo sich Zeiträume überschneiden, zählt der, der zuletzt begann. Ein Sollwert wird geschrieben, wenn er beginnt, an die Thermostate, die einen anderen zeigen; was jemand dazwischen einstellt, gilt bis zum nächsten Wechsel. Thermostaten, die nicht antworten, wird es eine Stunde lang alle zehn Minuten noch einmal gesagt.",
      fields: {
        thermostats: ["Thermostate", "Was gestellt wird"],
        ranges: ["Zeiten", "Wann welcher Sollwert gilt; jede kann ihren eigenen nennen (setpoint)"],
        setpoints: [
          "Sollwerte",
          "Einer je Zeitraum, in derselben Reihenfolge; keiner, wo die Zeiten sie nennen",
        ],
        base: ["Grundwert", "Der Sollwert außerhalb der Zeiträume"],
      },
    },
  },
});
