import type { Device } from "@ledge/model";
import { pressed, sirens, tell } from "./parts/alarming.ts";
import { out } from "../machine/chart.ts";
import type { Effect } from "../machine/effect.ts";
import { light, sound } from "../machine/effect.ts";
import { devices, duration, sensors } from "../catalogue/field.ts";
import { template } from "../catalogue/template.ts";
import type { View } from "../machine/view.ts";

/** The buttons whose alarms nobody has closed. */
const calling = (view: View): readonly Device[] =>
  view.devices("btn").filter((button) => view.isRaised("EMERGENCY", button));

function call(view: View, buttons: readonly Device[]): readonly Effect[] {
  return [
    ...sound(view.devices("siren"), true),
    ...light(view.devices("lights")),
    ...buttons.flatMap((button) => tell(view, "EMERGENCY", button)),
  ];
}

const press = {
  guard: ({ event: { view } }: { event: { view: View } }) => pressed(view) !== undefined,
  actions: [out(({ event: { view } }) => call(view, [pressed(view) ?? []].flat()))],
};
const hush = out(({ event: { view } }) => sound(view.devices("siren"), false));

/** Calls for help at a press and repeats the call until somebody closes the alarm. */
export const emergencyButton = template({
  configType: "EMERGENCY_BUTTON",
  version: 1,
  priority: 125,
  class: "SAFETY",
  icon: "emergency",
  inputs: { btn: sensors(["EMERGENCY", "REMOTE_CONTROL"], 1, 8) },
  outputs: {
    lights: devices(["ON_OFF", "CONTROL_LIGHT"], 0, 64),
    siren: devices(sirens, 0, 8),
  },
  extras: { escalateAfter: duration(120_000, 10_000, 3_600_000) },
  late: { late: "fire" },
  hears: ["closed"],
  chart: {
    context: {},
    initial: "waiting",
    delays: { escalateAfter: ({ event: { view } }) => view.number("escalateAfter") },
    states: {
      waiting: { idle: true, on: { "in.btn": { ...press, target: "calling" } } },
      calling: {
        on: {
          "in.btn": { ...press, target: "calling", reenter: true },
          closed: {
            guard: ({ event: { view } }) => calling(view).length === 0,
            target: "waiting",
            actions: [hush],
          },
        },
        after: {
          escalateAfter: {
            target: "calling",
            reenter: true,
            actions: [out(({ event: { view } }) => call(view, calling(view)))],
          },
        },
      },
    },
  },
  texts: {
    en: {
      name: "Emergency button",
      summary: "A press calls for help until somebody answers",
      description:
        "When a button is pressed, an alarm names it and its room, the sirens sound and the lights go to full brightness. All this is repeated until somebody closes the alarm to say that help is coming; that also ends the sirens.",
      fields: {
        btn: ["Buttons", "Emergency buttons, or remote controls of which any button calls"],
        lights: ["Lights", "What burns at its brightest"],
        siren: ["Sirens", "What sounds until somebody answers"],
        escalateAfter: ["Call again after", "How long the call waits for an answer before it is made again"],
      },
    },
    fi: {
      name: "Hätäpainike",
      summary: "Painallus kutsuu apua, kunnes joku vastaa",
      description:
        "Kun painiketta painetaan, hälytys kertoo painikkeen ja huoneen, sireenit soivat ja valot palavat täydellä teholla. Kaikki toistetaan, kunnes joku sulkee hälytyksen: se kertoo avun olevan tulossa ja vaientaa sireenit.",
      fields: {
        btn: ["Painikkeet", "Hätäpainikkeet tai kaukosäätimet, joiden mikä tahansa painike kutsuu"],
        lights: ["Valot", "Mitkä palavat täydellä teholla"],
        siren: ["Sireenit", "Mitkä soivat, kunnes joku vastaa"],
        escalateAfter: ["Uusi kutsu", "Kuinka kauan vastausta odotetaan ennen uutta kutsua"],
      },
    },
    sv: {
      name: "Nödknapp",
      summary: "Ett tryck kallar på hjälp tills någon svarar",
      description:
        "När en knapp trycks in nämner ett larm knappen och dess rum, sirenerna ljuder och lamporna lyser med full styrka. Allt upprepas tills någon stänger larmet: det säger att hjälp är på väg och tystar sirenerna.",
      fields: {
        btn: ["Knappar", "Nödknappar, eller fjärrkontroller där varje knapp kallar"],
        lights: ["Lampor", "Det som lyser med full styrka"],
        siren: ["Sirener", "Det som ljuder tills någon svarar"],
        escalateAfter: ["Kalla igen efter", "Hur länge anropet väntar på svar innan det görs om"],
      },
    },
    de: {
      name: "Notrufknopf",
      summary: "Ein Druck ruft um Hilfe, bis jemand antwortet",
      description:
        "Wird ein Knopf gedrückt, so nennt ein Alarm ihn und seinen Raum, die Sirenen heulen und die Lampen leuchten mit voller Kraft. Alles wird wiederholt, bis jemand den Alarm schließt: Das sagt, dass Hilfe kommt, und die Sirenen verstummen.",
      fields: {
        btn: ["Knöpfe", "Notrufknöpfe, oder Fernbedienungen, bei denen jede Taste ruft"],
        lights: ["Lampen", "Was mit voller Kraft leuchtet"],
        siren: ["Sirenen", "Was heult, bis jemand antwortet"],
        escalateAfter: [
          "Erneut rufen nach",
          "Wie lange auf Antwort gewartet wird, bevor der Ruf wiederholt wird",
        ],
      },
    },
  },
});
