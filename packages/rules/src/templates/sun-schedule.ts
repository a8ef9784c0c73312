import type { Action, Transition } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { turn } from "../machine/effect.ts";
import { devices, ranges } from "../catalogue/field.ts";
import { edges } from "../schedule/index.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** The time (ms since the epoch) up to which the rule has handled edges; 0 when it has just gone on. */
  readonly seen: number;
}

/** Returns what the newest edge since the last look asks for; undefined for nothing. */
function news(view: View, { seen }: Context): boolean | undefined {
  const { edges: found } = edges(view.ranges("ranges"), seen, view.now, view.place);
  const last = found.at(-1)?.at;
  const hasBegun = found.some(({ at, edge }) => edge === "start" && at === last);
  if (view.isWithin("ranges")) return found.some(({ edge }) => edge === "start") ? true : undefined;
  // A range that has begun and does not hold has no end.
  return last === undefined ? undefined : hasBegun;
}

const switched = (isOn: boolean): Action<Context> =>
  out(({ event: { view } }) => turn(view.devices("devices"), isOn));
const look = keep<Context>(({ event: { view } }) => ({ seen: view.now }));

const atFirst: readonly Transition<Context>[] = [
  {
    guard: ({ context: { seen }, event: { view } }) => seen === 0 && view.isWithin("ranges"),
    target: "running",
    actions: [switched(true), look],
  },
  { guard: ({ context: { seen } }) => seen === 0, actions: [look] },
];
const atEdges: readonly Transition<Context>[] = [
  {
    guard: ({ context, event: { view } }) => news(view, context) === true,
    target: "running",
    actions: [switched(true), look],
  },
  {
    guard: ({ context, event: { view } }) => news(view, context) === false,
    target: "resting",
    actions: [switched(false), look],
  },
  { actions: [look] },
];
/** Edges at the old local time are not made up for. */
const heard = { time: atEdges, zone: { actions: [look] } };

/** Keeps devices on within time ranges, which may follow the sun. */
export const sunSchedule = template<Context>({
  configType: "SUN_SCHEDULE",
  version: 1,
  priority: 80,
  class: "RULE",
  level: true,
  icon: "schedule",
  inputs: {},
  outputs: { devices: devices(["ON_OFF"], 1, 32) },
  extras: { ranges: ranges(1, 8) },
  late: { late: "fire" },
  times: (view) => view.ranges("ranges"),
  chart: {
    context: { seen: 0 },
    initial: "resting",
    states: {
      running: { on: heard },
      resting: { idle: true, always: atFirst, on: heard },
    },
  },
  texts: {
    en: {
      name: "Schedule",
      summary: "Devices go on and off at times of the day or of the sun",
      description:
        "At the start of each time range the devices go on, at its end they go off; where ranges overlap, at the end of the last. Starts and ends are times of the day, or a given time before or after sunrise and sunset. A device that somebody switches by hand stays so for two hours, or until the range has ended.",
      fields: {
        devices: ["Devices", "What goes on and off"],
        ranges: ["Times", "When the devices are on"],
      },
    },
    fi: {
      name: "Aikataulu",
      summary: "Laitteet kytkeytyvät päälle ja pois kellon tai auringon mukaan",
      description:
        "Kunkin aikavälin alussa laitteet kytkeytyvät päälle ja lopussa pois; päällekkäisten välien kohdalla viimeisen lopussa. Alut ja loput ovat kellonaikoja tai aikoja ennen tai jälkeen auringonnousun ja -laskun. Se, mitä joku kytkee käsin, pysyy niin kaksi tuntia tai kunnes väli on päättynyt.",
      fields: {
        devices: ["Laitteet", "Mitkä kytkeytyvät päälle ja pois"],
        ranges: ["Ajat", "Milloin laitteet ovat päällä"],
      },
    },
    sv: {
      name: "Tidsschema",
      summary: "Enheter slås på och av efter klockan eller solen",
      description:
        "När varje tidsintervall börjar slås enheterna på, när det slutar slås de av; där intervall överlappar när det sista slutar. Början och slut är klockslag, eller så länge före eller efter soluppgång och solnedgång. Det som någon slår på eller av för hand förblir så i två timmar, eller tills intervallet har slutat.",
      fields: {
        devices: ["Enheter", "Det som slås på och av"],
        ranges: ["Tider", "När enheterna är på"],
      },
    },
    de: {
      name: "Zeitplan",
      summary: "Geräte gehen nach der Uhr oder nach der Sonne an und aus",
      description:
        "Am Anfang jedes Zeitbereichs gehen die Geräte an, an seinem Ende aus; wo sich Bereiche überschneiden, am Ende des letzten. Anfang und Ende sind Uhrzeiten, oder so lange vor oder nach Sonnenaufgang und Sonnenuntergang. Was jemand von Hand schaltet, bleibt zwei Stunden so, oder bis der Bereich zu Ende ist.",
      fields: {
        devices: ["Geräte", "Was an- und ausgeht"],
        ranges: ["Zeiten", "Wann die Geräte an sind"],
      },
    },
  },
});
