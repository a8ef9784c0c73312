import type { AlarmKind, Device } from "@ledge/model";
import { rising, sirens, tell } from "./parts/alarming.ts";
import { out } from "../machine/chart.ts";
import type { Transition } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { light, set, sound, turn } from "../machine/effect.ts";
import { devices, flag, sensors } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

/** The alarm for each attribute of a detector. */
const kinds: readonly (readonly [attribute: string, alarm: AlarmKind])[] = [
  ["alert", "SMOKE"],
  ["coDetected", "CARBON_MONOXIDE"],
  ["highTemp", "HEAT"],
];

/** Returns the detectors that alarmed in their last report: one that falls silent in a fire is not clear. */
const alarming = (view: View): readonly Device[] =>
  view.devices("alarm").filter((device) => view.lastShown("alarm", device) === true);

const isOver = (view: View): boolean =>
  alarming(view).length === 0 &&
  !view.devices("alarm").some((device) => kinds.some(([, kind]) => view.isRaised(kind, device)));

function tellOf(view: View, device: Device, ...only: readonly string[]): readonly Effect[] {
  return kinds
    .filter(([attribute]) => device.state[attribute] === true)
    .filter(([attribute]) => only.length === 0 || only.includes(attribute))
    .flatMap(([, kind]) => tell(view, kind, device));
}

function protect(view: View): readonly Effect[] {
  return [
    ...sound(view.devices("siren"), true),
    ...light(view.devices("lights")),
    ...turn(view.devices("cut"), false),
    ...(view.flag("unlock") ? set(view.devices("locks"), { locked: false }) : []),
  ];
}

const over: Transition<object> = {
  guard: ({ event: { view } }) => isOver(view),
  target: "watching",
  actions: [out(({ event: { view } }) => sound(view.devices("siren"), false))],
};

/**
 * Sounds sirens, lights the way out and stops ventilation at smoke, carbon monoxide or heat, until people end
 * the alarm.
 */
export const smokeCoAlarm = template({
  configType: "SMOKE_CO_ALARM",
  version: 1,
  priority: 130,
  class: "SAFETY",
  icon: "smoke",
  inputs: { alarm: sensors(["SMOKE", "CO", "HIGH_TEMP"], 1, 64) },
  outputs: {
    siren: devices(sirens, 0, 64),
    lights: devices(["ON_OFF", "CONTROL_LIGHT"], 0, 64),
    cut: devices(["ON_OFF", "FAN_MODE", "VU"], 0, 16),
    locks: devices(["LOCK"], 0, 8),
  },
  extras: { unlock: flag(false, { for: "locks" }) },
  late: { late: "fire" },
  hears: ["closed"],
  chart: {
    context: {},
    initial: "watching",
    states: {
      watching: {
        idle: true,
        always: { guard: ({ event: { view } }) => view.any("alarm") === true, target: "alarmed" },
      },
      alarmed: {
        entry: [
          out(({ event: { view } }) => [
            ...protect(view),
            ...alarming(view).flatMap((device) => tellOf(view, device)),
          ]),
        ],
        on: {
          "in.alarm": [
            {
              guard: ({ event: { view } }) => rising(view) !== undefined,
              actions: [
                out(({ event: { view } }) => {
                  const { device, attribute } = view.change ?? {};
                  return [
                    ...protect(view),
                    ...(device === undefined ? [] : tellOf(view, device, attribute ?? "")),
                  ];
                }),
              ],
            },
            over,
          ],
          closed: over,
        },
      },
    },
  },
  texts: {
    en: {
      name: "Smoke and carbon monoxide",
      summary: "Sirens, lights and an alarm when a detector goes off",
      description:
        "When a detector of smoke, carbon monoxide or heat goes off, the sirens sound, the lights go to full brightness, ventilation stops and an alarm names the room. The sirens end when all detectors are clear and somebody has closed the alarm; everything else stays as it is.",
      fields: {
        alarm: ["Detectors", "Any of them sets the alarm off"],
        siren: ["Sirens", "What sounds"],
        lights: ["Lights", "What shows the way out"],
        cut: ["Ventilation", "What is turned off, so that nothing fans a fire"],
        locks: ["Locks", "What is unlocked, if you want it"],
        unlock: ["Unlock", "Whether the locks open, so that people get out and helpers in"],
      },
    },
    fi: {
      name: "Savu ja häkä",
      summary: "Sireenit, valot ja hälytys, kun varoitin laukeaa",
      description:
        "Kun savu-, häkä- tai lämpövaroitin laukeaa, sireenit soivat, valot palavat täydellä teholla, ilmanvaihto pysähtyy ja hälytys kertoo huoneen. Sireenit vaikenevat, kun yksikään varoitin ei hälytä ja joku on sulkenut hälytyksen; kaikki muu jää ennalleen.",
      fields: {
        alarm: ["Varoittimet", "Mikä tahansa niistä laukaisee hälytyksen"],
        siren: ["Sireenit", "Mitkä soivat"],
        lights: ["Valot", "Mitkä valaisevat tien ulos"],
        cut: ["Ilmanvaihto", "Mitkä kytketään pois, jottei mikään lietso paloa"],
        locks: ["Lukot", "Mitkä avataan, jos niin haluat"],
        unlock: ["Avaa lukot", "Avataanko lukot, jotta ihmiset pääsevät ulos ja auttajat sisään"],
      },
    },
    sv: {
      name: "Rök och kolmonoxid",
      summary: "Sirener, ljus och larm när en detektor löser ut",
      description:
        "När en detektor för rök, kolmonoxid eller hetta löser ut ljuder sirenerna, lamporna lyser med full styrka, ventilationen stannar och larmet nämner rummet. Sirenerna tystnar när ingen detektor larmar och någon har stängt larmet; allt annat förblir som det är.",
      fields: {
        alarm: ["Detektorer", "Var och en av dem utlöser larmet"],
        siren: ["Sirener", "Det som ljuder"],
        lights: ["Lampor", "Det som visar vägen ut"],
        cut: ["Ventilation", "Det som slås av, så att inget ger elden luft"],
        locks: ["Lås", "Det som låses upp, om du vill"],
        unlock: ["Lås upp", "Om låsen öppnas, så att människor kommer ut och hjälpare in"],
      },
    },
    de: {
      name: "Rauch und Kohlenmonoxid",
      summary: "Sirenen, Licht und Alarm, wenn ein Melder auslöst",
      description:
        "Löst ein Melder für Rauch, Kohlenmonoxid oder Hitze aus, so heulen die Sirenen, die Lampen leuchten mit voller Kraft, die Lüftung steht still und ein Alarm nennt den Raum. Die Sirenen verstummen, wenn kein Melder mehr anschlägt und jemand den Alarm geschlossen hat; alles andere bleibt, wie es ist.",
      fields: {
        alarm: ["Melder", "Jeder von ihnen löst den Alarm aus"],
        siren: ["Sirenen", "Was heult"],
        lights: ["Lampen", "Was den Weg hinaus zeigt"],
        cut: ["Lüftung", "Was ausgeschaltet wird, damit nichts ein Feuer anfacht"],
        locks: ["Schlösser", "Was aufgeschlossen wird, wenn Sie es wünschen"],
        unlock: ["Aufschließen", "Ob die Schlösser öffnen, damit Menschen hinaus- und Helfer hereinkommen"],
      },
    },
  },
});
