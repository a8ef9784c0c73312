import { number, option } from "../catalogue/field.ts";
import type { View } from "../machine/view.ts";
import type { Judged } from "./parts/watching.ts";
import { watching } from "./parts/watching.ts";

/** Returns whether a number has passed the limit; it is back only when it is inside by the hysteresis. */
function judge(value: unknown, view: View): Judged {
  if (typeof value !== "number" || Number.isNaN(value)) return "between";
  const past = (value - view.number("limit")) * (view.text("side") === "below" ? -1 : 1);
  if (past > 0) return "yes";
  return past <= -view.number("hysteresis") ? "no" : "between";
}

/** Acts while a number of any device is above or below a limit, with hysteresis. */
export const numberLimit = watching({
  configType: "NUMBER_LIMIT",
  priority: 72,
  icon: "gauge",
  shows: "number",
  condition: {
    side: option(["above", "below"]),
    limit: { ...number("NUMBER", null, -1e9, 1e9), min: 1 },
    hysteresis: number("NUMBER", 0, 0, 1e9),
  },
  judge,
  texts: {
    en: {
      name: "Number above or below",
      summary: "Acts while any number of a device is past a limit",
      description:
        "When the named value of the devices is above or below the limit for the given time, the chosen devices go on and the scene is turned on. When it is back by the hysteresis, the devices go off.",
      fields: {
        side: ["Side", "Above or below the limit"],
        limit: ["Limit", "In the unit of the value"],
        hysteresis: ["Hysteresis", "How far inside the limit it must be to be back"],
      },
    },
    fi: {
      name: "Luku yli tai alle rajan",
      summary: "Toimii, kun laitteen luku on rajan väärällä puolella",
      description:
        "Kun laitteiden nimetty arvo on annetun ajan yli tai alle rajan, valitut laitteet kytketään päälle ja tilanne aktivoidaan. Kun arvo on palannut hystereesin verran, laitteet sammuvat.",
      fields: {
        side: ["Puoli", "Rajan yli vai alle"],
        limit: ["Raja", "Arvon omassa yksikössä"],
        hysteresis: ["Hystereesi", "Kuinka paljon rajan sisällä sen on oltava palatakseen"],
      },
    },
    sv: {
      name: "Tal över eller under",
      summary: "Agerar medan ett tal hos en enhet har passerat en gräns",
      description:
        "När det angivna värdet hos enheterna ligger över eller under gränsen under den givna tiden slås de valda enheterna på och scenen aktiveras. När värdet är tillbaka med hysteresen stängs enheterna av.",
      fields: {
        side: ["Sida", "Över eller under gränsen"],
        limit: ["Gräns", "I värdets egen enhet"],
        hysteresis: ["Hysteres", "Hur långt innanför gränsen det måste vara för att räknas som tillbaka"],
      },
    },
    de: {
      name: "Zahl über oder unter",
      summary: "Handelt, solange eine Zahl eines Geräts eine Grenze passiert hat",
      description:
        "Liegt der genannte Wert der Geräte für die angegebene Zeit über oder unter der Grenze, so gehen die gewählten Geräte an und die Szene wird eingeschaltet. Ist er um die Hysterese zurück, gehen die Geräte aus.",
      fields: {
        side: ["Seite", "Über oder unter der Grenze"],
        limit: ["Grenze", "In der Einheit des Werts"],
        hysteresis: ["Hysterese", "Wie weit innerhalb der Grenze er sein muss, um zurück zu sein"],
      },
    },
  },
});
