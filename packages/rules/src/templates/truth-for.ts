import { flag } from "../catalogue/field.ts";
import type { View } from "../machine/view.ts";
import type { Judged } from "./parts/watching.ts";
import { watching } from "./parts/watching.ts";

function judge(value: unknown, view: View): Judged {
  if (typeof value !== "boolean") return "between";
  return value === view.flag("wanted") ? "yes" : "no";
}

/** Acts while a value of any device that is true or false is so for a time. */
export const truthFor = watching({
  configType: "TRUTH_FOR",
  priority: 71,
  icon: "toggle",
  shows: "boolean",
  condition: {
    wanted: flag(true),
  },
  judge,
  texts: {
    en: {
      name: "True or false",
      summary: "Acts while any yes-or-no value of a device is so for a time",
      description:
        "When the named value of the devices has been true (or false) for the given time, the chosen devices go on and the scene is turned on. When it changes, the devices go off.",
      fields: {
        wanted: ["True", "Whether the rule waits for true or for false"],
      },
    },
    fi: {
      name: "Tosi tai epätosi",
      summary: "Toimii, kun laitteen kyllä/ei-arvo pysyy annettuna",
      description:
        "Kun laitteiden nimetty arvo on ollut tosi (tai epätosi) annetun ajan, valitut laitteet kytketään päälle ja tilanne aktivoidaan. Kun arvo muuttuu, laitteet sammuvat.",
      fields: {
        wanted: ["Tosi", "Odottaako sääntö arvoa tosi vai epätosi"],
      },
    },
    sv: {
      name: "Sant eller falskt",
      summary: "Agerar medan ett ja-eller-nej-värde hos en enhet håller i sig",
      description:
        "När det angivna värdet hos enheterna har varit sant (eller falskt) under den givna tiden slås de valda enheterna på och scenen aktiveras. När det ändras stängs enheterna av.",
      fields: {
        wanted: ["Sant", "Om regeln väntar på sant eller falskt"],
      },
    },
    de: {
      name: "Wahr oder falsch",
      summary: "Handelt, solange ein Ja-oder-nein-Wert eines Geräts anhält",
      description:
        "War der genannte Wert der Geräte für die angegebene Zeit wahr (oder falsch), so gehen die gewählten Geräte an und die Szene wird eingeschaltet. Ändert er sich, gehen die Geräte aus.",
      fields: {
        wanted: ["Wahr", "Ob die Regel auf wahr oder auf falsch wartet"],
      },
    },
  },
});
