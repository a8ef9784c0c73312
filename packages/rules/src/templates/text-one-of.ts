import { words } from "../catalogue/field.ts";
import type { View } from "../machine/view.ts";
import type { Judged } from "./parts/watching.ts";
import { watching } from "./parts/watching.ts";

function judge(value: unknown, view: View): Judged {
  if (typeof value !== "string" && typeof value !== "number") return "between";
  return view.texts("words").includes(String(value)) ? "yes" : "no";
}

/** Acts while a text of any device is one of a list. Numbered choices count by their digits. */
export const textOneOf = watching({
  configType: "TEXT_ONE_OF",
  priority: 70,
  icon: "list",
  shows: "text",
  condition: {
    words: words(1, 32),
  },
  judge,
  texts: {
    en: {
      name: "Text of a list",
      summary: "Acts while any text of a device is one of a list",
      description:
        "When the named value of the devices has been one of the words for the given time, the chosen devices go on and the scene is turned on. When it is another word, the devices go off.",
      fields: {
        words: ["Words", "Which words count, exactly as the device says them"],
      },
    },
    fi: {
      name: "Teksti luettelosta",
      summary: "Toimii, kun laitteen teksti on jokin luettelon sanoista",
      description:
        "Kun laitteiden nimetty arvo on ollut jokin sanoista annetun ajan, valitut laitteet kytketään päälle ja tilanne aktivoidaan. Kun arvo on jokin muu sana, laitteet sammuvat.",
      fields: {
        words: ["Sanat", "Mitkä sanat ratkaisevat, täsmälleen laitteen antamassa muodossa"],
      },
    },
    sv: {
      name: "Text ur en lista",
      summary: "Agerar medan en text hos en enhet är ett av orden i en lista",
      description:
        "När det angivna värdet hos enheterna har varit ett av orden under den givna tiden slås de valda enheterna på och scenen aktiveras. När det är ett annat ord stängs enheterna av.",
      fields: {
        words: ["Ord", "Vilka ord som räknas, precis som enheten säger dem"],
      },
    },
    de: {
      name: "Text einer Liste",
      summary: "Handelt, solange ein Text eines Geräts auf einer Liste steht",
      description:
        "War der genannte Wert der Geräte für die angegebene Zeit eines der Wörter, so gehen die gewählten Geräte an und die Szene wird eingeschaltet. Ist er ein anderes Wort, gehen die Geräte aus.",
      fields: {
        words: ["Wörter", "Welche Wörter zählen, genau wie das Gerät sie nennt"],
      },
    },
  },
});
