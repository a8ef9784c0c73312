import type { Device } from "@ledge/model";
import { byMotion } from "./parts/by-motion.ts";
import { keep, out } from "../machine/chart.ts";
import { set, turn } from "../machine/effect.ts";
import { devices, duration, number, ranges } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

interface Context {
  /** The lamps that the rule turned on; it turns off no others. */
  readonly lit: readonly string[];
}

/** Returns whether it is dark: below `maxLux`, or twilight; true while no sensor shows anything. */
function isDark(view: View): boolean {
  const [reading] = view.devices("lux").map((device) => view.reading("lux", device));
  if (reading === undefined) return true;
  return typeof reading === "number" ? reading < view.number("maxLux") : reading === true;
}

function isDue(view: View): boolean {
  const isTime = view.ranges("activeTimes").length === 0 || view.isWithin("activeTimes");
  return view.any("motion") === true && isTime && isDark(view);
}

function dark(view: View): readonly Device[] {
  return view.devices("lights").filter(({ state }) => state["isOn"] !== true);
}

/**
 * Lights while somebody moves in the dark, and for a while after. It ignores the light sensor while its own
 * lamps are on.
 */
export const motionLight = template<Context>({
  configType: "MOTION_LIGHT",
  version: 1,
  priority: 100,
  class: "RULE",
  level: true,
  icon: "motion",
  inputs: {
    motion: devices(["MOTION"], 1, 8),
    lux: devices(["LUX", "TWILIGHT"], 0, 1),
  },
  outputs: { lights: devices(["ON_OFF", "CONTROL_LIGHT"], 1, 32) },
  extras: {
    timeout: duration(120_000, 0, 3_600_000),
    maxLux: number("LUX", 50, 0, 100_000),
    level: number("PERCENT", null, 0.01, 1),
    activeTimes: ranges(0, 8),
  },
  late: { late: "recheck" },
  times: (view) => view.ranges("activeTimes"),
  chart: {
    context: { lit: [] },
    ...byMotion<Context>({
      isDue,
      rest: [keep(() => ({ lit: [] }))],
      light: [
        keep(({ context, event: { view } }) => ({
          lit: [...new Set([...context.lit, ...dark(view).map(({ id }) => id)])],
        })),
        out(({ event: { view } }) => {
          const level = view.numberIfAny("level");
          return level === undefined
            ? turn(dark(view), true)
            : set(dark(view), { isOn: true, brightness: level });
        }),
      ],
      leave: [
        out(({ context, event: { view } }) =>
          turn(
            view.devices("lights").filter(({ id }) => context.lit.includes(id)),
            false,
          ),
        ),
      ],
    }),
  },
  texts: {
    en: {
      name: "Light by motion",
      summary: "Lights go on when somebody moves and off a while after",
      description:
        "When one of the sensors sees motion and it is dark enough, the lights go on. When none has seen motion for the given time, the lights that the rule has turned on go off.",
      fields: {
        motion: ["Motion sensors", "Any of them turns the lights on"],
        lux: ["Light sensor", "Without one the lights go on in daylight too"],
        lights: ["Lights", "What goes on and off"],
        timeout: ["Time without motion", "How long the lights stay on after the last motion"],
        maxLux: ["Brightness limit", "The lights go on only below this brightness"],
        level: ["Level", "How bright the lights become; when nothing is given, as bright as they were"],
        activeTimes: ["Active times", "When the rule turns lights on; when none is given, always"],
      },
    },
    fi: {
      name: "Valo liikkeestä",
      summary: "Valot syttyvät liikkeestä ja sammuvat hetken kuluttua",
      description:
        "Kun jokin antureista havaitsee liikettä ja on riittävän pimeää, valot syttyvät. Kun liikettä ei ole havaittu annettuun aikaan, säännön sytyttämät valot sammuvat.",
      fields: {
        motion: ["Liiketunnistimet", "Mikä tahansa niistä sytyttää valot"],
        lux: ["Valoisuusanturi", "Ilman sitä valot syttyvät myös päivänvalossa"],
        lights: ["Valot", "Mitkä syttyvät ja sammuvat"],
        timeout: ["Aika ilman liikettä", "Kuinka kauan valot palavat viimeisen liikkeen jälkeen"],
        maxLux: ["Valoisuusraja", "Valot syttyvät vain tätä hämärämmässä"],
        level: ["Kirkkaus", "Kuinka kirkkaiksi valot syttyvät; ennalleen, jos ei annettu"],
        activeTimes: ["Voimassaoloajat", "Milloin sääntö sytyttää valoja; aina, jos ei annettu"],
      },
    },
    sv: {
      name: "Ljus vid rörelse",
      summary: "Lampor tänds när någon rör sig och släcks en stund efter",
      description:
        "När någon av sensorerna ser rörelse och det är tillräckligt mörkt tänds lamporna. När ingen har sett rörelse under den angivna tiden släcks de som regeln har tänt.",
      fields: {
        motion: ["Rörelsesensorer", "Var och en av dem tänder lamporna"],
        lux: ["Ljussensor", "Utan den tänds lamporna även i dagsljus"],
        lights: ["Lampor", "Det som tänds och släcks"],
        timeout: ["Tid utan rörelse", "Hur länge lamporna lyser efter den sista rörelsen"],
        maxLux: ["Ljusgräns", "Lamporna tänds bara när det är mörkare än så"],
        level: ["Nivå", "Hur starkt lamporna lyser; som de var om inget anges"],
        activeTimes: ["Aktiva tider", "När regeln tänder lampor; alltid om inget anges"],
      },
    },
    de: {
      name: "Licht bei Bewegung",
      summary: "Lampen gehen bei Bewegung an und eine Weile danach aus",
      description:
        "Wenn einer der Sensoren Bewegung sieht und es dunkel genug ist, gehen die Lampen an. Hat keiner in der angegebenen Zeit Bewegung gesehen, gehen die aus, die die Regel eingeschaltet hat.",
      fields: {
        motion: ["Bewegungssensoren", "Jeder von ihnen schaltet die Lampen ein"],
        lux: ["Lichtsensor", "Ohne ihn gehen die Lampen auch bei Tageslicht an"],
        lights: ["Lampen", "Was an- und ausgeht"],
        timeout: ["Zeit ohne Bewegung", "Wie lange die Lampen nach der letzten Bewegung an bleiben"],
        maxLux: ["Helligkeitsgrenze", "Die Lampen gehen nur an, wenn es dunkler ist"],
        level: ["Stufe", "Wie hell die Lampen werden; wie zuvor, wenn nichts angegeben ist"],
        activeTimes: ["Aktive Zeiten", "Wann die Regel Lampen einschaltet; immer, wenn nichts angegeben ist"],
      },
    },
  },
});
