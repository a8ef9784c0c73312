import type { Arguments } from "../chart.ts";
import { keep, out } from "../chart.ts";
import type { Effect } from "../effect.ts";
import { turn } from "../effect.ts";
import { devices, ranges } from "../field.ts";
import { compileRange, rangesAt } from "../schedule/index.ts";
import { template } from "../template.ts";
import type { View } from "../view.ts";

interface Context {
  /** The next edge (ms), as it was seen last: when it is not yet due, the clock or the place has changed. */
  readonly next: number | null;
}

function isDue(view: View, { next }: Context): boolean {
  return next !== null && view.now >= next;
}

/** Whether the newest of the edges of all ranges is a start; where several fall together, one of them. */
function hasBegun(view: View): boolean {
  const newest = view
    .ranges("ranges")
    .flatMap((range) => compileRange(range).edgeBefore(view.now, view.place) ?? []);
  const last = Math.max(...newest.map(({ at }) => at));
  return newest.some(({ at, edge }) => at === last && edge === "start");
}

const switched = (isOn: boolean) =>
  out<Context>(({ event: { view } }): readonly Effect[] => turn(view.devices("devices"), isOn));
const look = keep<Context>(({ event: { view } }) => ({
  next: rangesAt(view.ranges("ranges"), view.now, view.place).next,
}));

const atEdges = [
  {
    guard: ({ context, event: { view } }: Arguments<Context>) =>
      isDue(view, context) && hasBegun(view) && view.isWithin("ranges"),
    target: "running",
    actions: [switched(true), look],
  },
  // A time without an end.
  {
    guard: ({ context, event: { view } }: Arguments<Context>) => isDue(view, context) && hasBegun(view),
    target: "resting",
    actions: [switched(true), look],
  },
  {
    guard: ({ context, event: { view } }: Arguments<Context>) =>
      isDue(view, context) && !view.isWithin("ranges"),
    target: "resting",
    actions: [switched(false), look],
  },
  { actions: [look] },
] as const;

/** Devices are on in time ranges, which may go by the sun. */
export const sunSchedule = template<Context>({
  configType: "SUN_SCHEDULE",
  version: 1,
  priority: 80,
  class: "RULE",
  icon: "schedule",
  inputs: {},
  outputs: { devices: devices(["ON_OFF"], 1, 32) },
  extras: { ranges: ranges(1, 8) },
  late: { late: "fire" },
  times: (view) => view.ranges("ranges"),
  chart: {
    context: { next: null },
    initial: "beginning",
    states: {
      beginning: {
        entry: [look],
        always: [
          {
            guard: ({ event: { view } }) => view.isWithin("ranges"),
            target: "running",
            actions: [switched(true)],
          },
          { target: "resting" },
        ],
      },
      running: { on: { time: atEdges } },
      resting: { idle: true, on: { time: atEdges } },
    },
  },
  texts: {
    en: {
      name: "Schedule",
      summary: "Devices go on and off at times of the day or of the sun",
      description:
        "At the start of each time range the devices go on, at its end they go off; where ranges overlap, at the end of the last. Starts and ends are times of the day, or so long before or after sunrise and sunset. What somebody switches by hand stays so for two hours, or until the range has ended.",
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
