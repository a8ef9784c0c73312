import type { Rejection, RuleConfig, TimeRange } from "@ledge/model";
import { reject } from "@ledge/model";
import { ascending, numberIn } from "./parts/ascending.ts";
import { out } from "../machine/chart.ts";
import { clock, daily, sun } from "../schedule/daily.ts";
import type { Effect } from "../machine/effect.ts";
import { turn } from "../machine/effect.ts";
import { devices, duration, number, timeOfDay } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

const night = daily(sun("SUNSET"), sun("SUNRISE"));
const noon = 720;
/** By the minute of the day at which they begin. */
const lateHours = new Map<number, TimeRange>();

/** Returns the range from latestOff until noon, when the next evening can begin; undefined without latestOff. */
function lateHoursOf(view: View): TimeRange | undefined {
  const latestOff = view.numberIfAny("latestOff");
  if (latestOff === undefined) return undefined;
  const known = lateHours.get(latestOff) ?? daily(clock(latestOff), clock(noon));
  lateHours.set(latestOff, known);
  return known;
}

function isLate(view: View): boolean {
  const range = lateHoursOf(view);
  return range !== undefined && view.since(range) !== null;
}

/**
 * Returns whether it is dark by the sensor, or by the sun without one; undefined between the limits and while
 * unknown.
 */
function isDark(view: View): boolean | undefined {
  const [sensor] = view.devices("twilight");
  if (sensor === undefined) return view.since(night) !== null;
  const reading = view.reading("twilight", sensor);
  if (typeof reading === "boolean") return reading;
  if (typeof reading !== "number") return undefined;
  if (reading < view.number("onLux")) return true;
  return reading > view.number("offLux") ? false : undefined;
}

function switched(isOn: boolean) {
  return out(({ event: { view } }): readonly Effect[] => turn(view.devices("lights"), isOn));
}

const extras = {
  onLux: number("LUX", 20, 0, 100_000),
  offLux: number("LUX", 40, 0, 100_000),
  debounce: duration(300_000, 0, 3_600_000),
  latestOff: timeOfDay(null),
};
const luxProblem = ascending(extras, "onLux", "offLux");

function noonProblem(config: RuleConfig): Rejection | undefined {
  if (numberIn(config.extras, extras, "latestOff") !== noon) return undefined;
  return reject("invalid", "from noon to noon it would never be on", "extras.latestOff");
}

/** Keeps lights on from dusk until dawn, or until a time of the evening. */
export const twilightLight = template({
  configType: "TWILIGHT_LIGHT",
  version: 1,
  priority: 90,
  class: "RULE",
  level: true,
  icon: "twilight",
  inputs: { twilight: devices(["TWILIGHT", "LUX"], 0, 1) },
  outputs: { lights: devices(["ON_OFF", "CONTROL_LIGHT"], 1, 32) },
  extras,
  late: { late: "fire" },
  times: (view) => [view.devices("twilight").length === 0 ? night : [], lateHoursOf(view) ?? []].flat(),
  check: (config, world) => noonProblem(config) ?? luxProblem(config, world),
  chart: {
    context: {},
    initial: "bright",
    delays: { debounce: ({ event: { view } }) => view.number("debounce") },
    states: {
      bright: {
        idle: true,
        always: {
          guard: ({ event: { view } }) => isDark(view) === true && !isLate(view),
          target: "darkening",
        },
      },
      darkening: {
        always: {
          guard: ({ event: { view } }) => isDark(view) !== true || isLate(view),
          target: "bright",
        },
        after: { debounce: { target: "dark", actions: [switched(true)] } },
      },
      dark: {
        always: [
          { guard: ({ event: { view } }) => isLate(view), target: "bright", actions: [switched(false)] },
          { guard: ({ event: { view } }) => isDark(view) === false, target: "brightening" },
        ],
      },
      brightening: {
        always: [
          { guard: ({ event: { view } }) => isLate(view), target: "bright", actions: [switched(false)] },
          { guard: ({ event: { view } }) => isDark(view) !== false, target: "dark" },
        ],
        after: { debounce: { target: "bright", actions: [switched(false)] } },
      },
    },
  },
  texts: {
    en: {
      name: "Light in the dark",
      summary: "Lights go on at dusk and off at dawn",
      description:
        "When it has been dark for a while, the lights go on; when it has been bright for a while, they go off. The light sensor says how bright it is; without one it is dark from sunset to sunrise. With a latest time, they are off from then at the latest until noon.",
      fields: {
        twilight: ["Light sensor", "Without one the rule goes by the sun"],
        lights: ["Lights", "What goes on and off"],
        onLux: ["Dark below", "It is dark below this brightness"],
        offLux: ["Bright above", "It is bright above this brightness"],
        debounce: ["Wait", "How long it has to be dark or bright without a break"],
        latestOff: [
          "Off at the latest",
          "When the lights go off even though it is dark; never, when none is given",
        ],
      },
    },
    fi: {
      name: "Valo pimeällä",
      summary: "Valot syttyvät hämärän tullen ja sammuvat aamun valjetessa",
      description:
        "Kun on ollut hetken pimeää, valot syttyvät; kun on ollut hetken valoisaa, ne sammuvat. Valoisuuden kertoo anturi; ilman sitä on pimeää auringonlaskusta auringonnousuun. Jos viimeinen sammutusaika on annettu, valot sammuvat viimeistään silloin ja pysyvät sammuneina puoleenpäivään.",
      fields: {
        twilight: ["Valoisuusanturi", "Ilman sitä sääntö seuraa aurinkoa"],
        lights: ["Valot", "Mitkä syttyvät ja sammuvat"],
        onLux: ["Pimeän raja", "Tätä hämärämmässä on pimeää"],
        offLux: ["Valoisan raja", "Tätä kirkkaammassa on valoisaa"],
        debounce: ["Odotus", "Kuinka kauan on oltava yhtäjaksoisesti pimeää tai valoisaa"],
        latestOff: [
          "Viimeistään pois",
          "Milloin valot sammuvat pimeästä huolimatta; ei koskaan, jos ei annettu",
        ],
      },
    },
    sv: {
      name: "Ljus i mörkret",
      summary: "Lampor tänds i skymningen och släcks i gryningen",
      description:
        "När det har varit mörkt en stund tänds lamporna; när det har varit ljust en stund släcks de. Ljussensorn säger hur ljust det är; utan den är det mörkt från solnedgång till soluppgång. Med en senaste tid släcks de senast då och förblir släckta till klockan tolv på dagen.",
      fields: {
        twilight: ["Ljussensor", "Utan den går regeln efter solen"],
        lights: ["Lampor", "Det som tänds och släcks"],
        onLux: ["Mörkt under", "Under den här ljusstyrkan är det mörkt"],
        offLux: ["Ljust över", "Över den här ljusstyrkan är det ljust"],
        debounce: ["Väntan", "Hur länge det ska vara mörkt eller ljust utan avbrott"],
        latestOff: ["Av senast", "När lamporna släcks trots att det är mörkt; aldrig om inget anges"],
      },
    },
    de: {
      name: "Licht bei Dunkelheit",
      summary: "Lampen gehen in der Dämmerung an und am Morgen aus",
      description:
        "War es eine Weile dunkel, gehen die Lampen an; war es eine Weile hell, gehen sie aus. Wie hell es ist, sagt der Lichtsensor; ohne ihn ist es von Sonnenuntergang bis Sonnenaufgang dunkel. Mit einer spätesten Zeit gehen sie spätestens dann aus und bleiben es bis zum Mittag.",
      fields: {
        twilight: ["Lichtsensor", "Ohne ihn richtet sich die Regel nach der Sonne"],
        lights: ["Lampen", "Was an- und ausgeht"],
        onLux: ["Dunkel unter", "Unter dieser Helligkeit ist es dunkel"],
        offLux: ["Hell über", "Über dieser Helligkeit ist es hell"],
        debounce: ["Wartezeit", "Wie lange es ohne Unterbrechung dunkel oder hell sein muss"],
        latestOff: [
          "Spätestens aus",
          "Wann die Lampen trotz Dunkelheit ausgehen; nie, wenn nichts angegeben ist",
        ],
      },
    },
  },
});
