import type { Device } from "@ledge/model";
import { isSettable } from "@ledge/model";
import { byMotion } from "./parts/by-motion.ts";
import { keep, out } from "../machine/chart.ts";
import { clock, daily } from "../schedule/daily.ts";
import type { Effect } from "../machine/effect.ts";
import { set, shine } from "../machine/effect.ts";
import { devices, duration, number, ranges } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

type Attributes = Readonly<Record<string, unknown>>;

interface Context {
  /** The state before, of each lamp that the rule turned on. */
  readonly before: Readonly<Record<string, Attributes>>;
}

function isDue(view: View): boolean {
  return view.any("motion") === true && view.isWithin("times");
}

/** Returns the lamps that are off; the others are in use and stay as they are. */
function dark(view: View): readonly Device[] {
  return view
    .devices("lights")
    .filter((lamp) => lamp.state["isOn"] !== true && lamp.state["reachable"] === true);
}

const colour = { hs: ["hue", "saturation"], ct: ["temperature"] } as const;

/**
 * Returns the part of a lamp's state that the rule changes. Only the active colour mode counts; the
 * attributes of the others read -1.
 */
function stateOf(lamp: Device): Attributes {
  const { colorMode } = lamp.state;
  const mode = colorMode === "hs" || colorMode === "ct" ? colour[colorMode] : [...colour.hs, ...colour.ct];
  const kept = ["brightness", ...mode].filter((name) => {
    const value = lamp.state[name];
    return typeof value === "number" && value !== -1 && isSettable(lamp, name);
  });
  return { isOn: false, ...Object.fromEntries(kept.map((name) => [name, lamp.state[name]])) };
}

function restore(view: View, { before }: Context): readonly Effect[] {
  return view.devices("lights").flatMap((lamp) => {
    const was = before[lamp.id];
    return was === undefined ? [] : set([lamp], was);
  });
}

const leave = [
  out<Context>(({ context, event: { view } }) => restore(view, context)),
  keep<Context>(() => ({ before: {} })),
];

/** Lights dimly and warmly while somebody moves at night, then restores the lamps. */
export const nightLight = template<Context>({
  configType: "NIGHT_LIGHT",
  version: 1,
  priority: 60,
  class: "RULE",
  level: true,
  icon: "night",
  inputs: { motion: devices(["MOTION"], 1, 8) },
  outputs: { lights: devices(["BRIGHTNESS"], 1, 8) },
  extras: {
    level: number("PERCENT", 0.05, 0.01, 1),
    colorTemp: number("NUMBER", 2200, 1000, 10_000),
    times: ranges(0, 8, [daily(clock(22 * 60), clock(6 * 60))]),
    timeout: duration(90_000, 0, 3_600_000),
  },
  late: { late: "recheck" },
  times: (view) => view.ranges("times"),
  chart: {
    context: { before: {} },
    off: leave,
    ...byMotion<Context>({
      isDue,
      light: [
        keep(({ context, event: { view } }) => ({
          before: {
            ...Object.fromEntries(dark(view).map((lamp) => [lamp.id, stateOf(lamp)])),
            ...context.before,
          },
        })),
        out(({ event: { view } }) => shine(dark(view), view.number("level"), view.number("colorTemp"))),
      ],
      leave,
    }),
  },
  texts: {
    en: {
      name: "Night light",
      summary: "A dim warm light while somebody moves at night",
      description:
        "When one of the sensors sees motion at night, the lamps that are off go on, dim and warm. When none has seen motion for the given time, the lamps go back to what they were. Lamps that were already on stay as they are.",
      fields: {
        motion: ["Motion sensors", "Any of them turns the light on"],
        lights: ["Lamps", "What goes on"],
        level: ["Level", "How bright the lamps become"],
        colorTemp: ["Colour temperature", "In kelvin; lower is warmer"],
        times: ["Times", "When it is night: from 22 to 6 unless said otherwise"],
        timeout: ["Time without motion", "How long the lamps stay on after the last motion"],
      },
    },
    fi: {
      name: "Yövalo",
      summary: "Himmeä, lämmin valo öiseen liikkumiseen",
      description:
        "Kun jokin antureista havaitsee liikettä yöllä, sammuksissa olevat lamput syttyvät himmeinä ja lämpiminä. Kun liikettä ei ole havaittu annettuun aikaan, ne palaavat entiselleen. Jo palavat lamput jäävät ennalleen.",
      fields: {
        motion: ["Liiketunnistimet", "Mikä tahansa niistä sytyttää valon"],
        lights: ["Lamput", "Mitkä syttyvät"],
        level: ["Kirkkaus", "Kuinka kirkkaiksi lamput syttyvät"],
        colorTemp: ["Värilämpötila", "Kelvineinä; pienempi on lämpimämpi"],
        times: ["Ajat", "Milloin on yö: klo 22–6, ellei toisin sanota"],
        timeout: ["Aika ilman liikettä", "Kuinka kauan lamput palavat viimeisen liikkeen jälkeen"],
      },
    },
    sv: {
      name: "Nattljus",
      summary: "Ett svagt, varmt ljus när någon rör sig på natten",
      description:
        "När någon av sensorerna ser rörelse på natten tänds de lampor som är släckta, svagt och varmt. När ingen har sett rörelse under den angivna tiden blir de som de var. Lampor som redan lyser lämnas i fred.",
      fields: {
        motion: ["Rörelsesensorer", "Var och en av dem tänder ljuset"],
        lights: ["Lampor", "Det som tänds"],
        level: ["Nivå", "Hur starkt lamporna lyser"],
        colorTemp: ["Färgtemperatur", "I kelvin; lägre är varmare"],
        times: ["Tider", "När det är natt: klockan 22 till 6 om inget annat sägs"],
        timeout: ["Tid utan rörelse", "Hur länge lamporna lyser efter den sista rörelsen"],
      },
    },
    de: {
      name: "Nachtlicht",
      summary: "Ein schwaches, warmes Licht, wenn sich nachts jemand bewegt",
      description:
        "Sieht einer der Sensoren nachts Bewegung, gehen die Lampen, die aus sind, schwach und warm an. Hat keiner in der angegebenen Zeit Bewegung gesehen, sind sie wieder wie zuvor. Lampen, die schon an sind, bleiben, wie sie sind.",
      fields: {
        motion: ["Bewegungssensoren", "Jeder von ihnen schaltet das Licht ein"],
        lights: ["Lampen", "Was angeht"],
        level: ["Stufe", "Wie hell die Lampen werden"],
        colorTemp: ["Farbtemperatur", "In Kelvin; niedriger ist wärmer"],
        times: ["Zeiten", "Wann Nacht ist: von 22 bis 6 Uhr, wenn nichts anderes gesagt ist"],
        timeout: ["Zeit ohne Bewegung", "Wie lange die Lampen nach der letzten Bewegung an bleiben"],
      },
    },
  },
});
