import { tell, untell } from "./parts/alarming.ts";
import { out } from "../machine/chart.ts";
import { duration, number, sensors } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

/** Hysteresis (%) above the limit: the level of a weak battery fluctuates. */
const margin = 10;

const limit = (view: View): number => view.number("limit") * 100;

/** The level (%), or the low flag of a device that reports no level. */
const shown = (view: View): unknown => view.each && view.reading("devices", view.each);

function isLow(view: View): boolean {
  const battery = shown(view);
  return typeof battery === "number" ? battery <= limit(view) : battery === true;
}

function isWell(view: View): boolean {
  const battery = shown(view);
  if (typeof battery === "number") return battery >= Math.min(limit(view) + margin, 100);
  return battery === false;
}

/** Warns about each low battery, and again until it has been changed. */
export const batteryLow = template({
  configType: "BATTERY_LOW",
  version: 1,
  priority: 30,
  class: "RULE",
  icon: "battery",
  inputs: { devices: sensors(["BATTERY_C", "BATTERY_U"], 1, 256) },
  outputs: {},
  extras: {
    limit: number("PERCENT", 0.2, 0.01, 0.9),
    repeat: duration(604_800_000, 3_600_000, 2_592_000_000),
  },
  each: "devices",
  late: { late: "fire" },
  chart: {
    context: {},
    initial: "well",
    delays: { repeat: ({ event: { view } }) => view.number("repeat") },
    states: {
      well: {
        idle: true,
        always: { guard: ({ event: { view } }) => isLow(view), target: "low" },
      },
      low: {
        entry: [
          out(({ event: { view } }) => (view.each === undefined ? [] : tell(view, "BATTERY_LOW", view.each))),
        ],
        always: {
          guard: ({ event: { view } }) => isWell(view),
          target: "well",
          actions: [
            out(({ event: { view } }) =>
              view.each === undefined ? [] : untell(view, ["BATTERY_LOW"], view.each),
            ),
          ],
        },
        after: { repeat: { target: "low", reenter: true } },
      },
    },
  },
  texts: {
    en: {
      name: "Low battery",
      summary: "Warns of batteries before they are empty",
      description:
        "When the battery of a device falls to the limit, or the device reports that it is low, a warning is raised and repeated. It closes when the battery has been changed.",
      fields: {
        devices: ["Devices", "Each is watched by itself"],
        limit: ["Limit", "How full a battery is when you are warned, if the device tells"],
        repeat: ["Repeat", "How often you are warned again"],
      },
    },
    fi: {
      name: "Paristo vähissä",
      summary: "Varoittaa paristoista ennen kuin ne tyhjenevät",
      description:
        "Kun laitteen paristo laskee rajaan tai laite ilmoittaa pariston olevan vähissä, annetaan varoitus, joka toistetaan. Se sulkeutuu, kun paristo on vaihdettu.",
      fields: {
        devices: ["Laitteet", "Kutakin valvotaan erikseen"],
        limit: ["Raja", "Kuinka täysi paristo on varoitettaessa, jos laite sen kertoo"],
        repeat: ["Toisto", "Kuinka usein varoitetaan uudelleen"],
      },
    },
    sv: {
      name: "Svagt batteri",
      summary: "Varnar för batterier innan de är tomma",
      description:
        "När batteriet i en enhet sjunker till gränsen, eller enheten säger att det är svagt, ges en varning som upprepas. Den stängs när batteriet har bytts.",
      fields: {
        devices: ["Enheter", "Var och en övervakas för sig"],
        limit: ["Gräns", "Hur fullt ett batteri är när du varnas, om enheten berättar det"],
        repeat: ["Upprepning", "Hur ofta du varnas på nytt"],
      },
    },
    de: {
      name: "Batterie schwach",
      summary: "Warnt vor Batterien, bevor sie leer sind",
      description:
        "Sinkt die Batterie eines Geräts auf die Grenze, oder meldet das Gerät sie als schwach, so kommt eine Warnung, die wiederholt wird. Sie schließt sich, wenn die Batterie gewechselt ist.",
      fields: {
        devices: ["Geräte", "Jedes wird für sich überwacht"],
        limit: ["Grenze", "Wie voll eine Batterie ist, wenn Sie gewarnt werden, falls das Gerät es meldet"],
        repeat: ["Wiederholung", "Wie oft Sie erneut gewarnt werden"],
      },
    },
  },
});
