import type { rules as english } from "../en/rules.ts";
import type { Translated } from "../text.ts";

/** The texts of the rules and proposals, in German. */
export const rules: Translated<typeof english> = {
  "rules.none": "Es gibt noch keine Regeln.",
  "rules.noneHow": "Wählen Sie einen der Vorschläge unten.",
  "rules.whyNot": "Warum nicht?",
  "rules.whyNotOf": "Warum tut {name} nichts?",
  "rules.remove": "{name} entfernen",
  "rules.removed": "{name} ist entfernt",
  "proposals.title": "Vorschläge",
  "proposals.none":
    "Nichts vorzuschlagen. Ordnen Sie Geräte Räumen zu: Regeln verbinden, was in einem Raum ist.",
  "proposals.try": "Was hätte sie getan?",
  "proposals.save": "Speichern und einschalten",
  "proposals.saved": "{name} ist an",
  "whatif.title": "Was {name} getan hätte",
  "whatif.count": {
    one: "Sie hätte seit {from} {n} Mal reagiert.",
    other: "Sie hätte seit {from} {n} Mal reagiert.",
  },
  "whatif.more": "Die ersten {n} sind zu sehen.",
  "rules.new": "Neue Regel",
  "whatif.because": "wegen {reason}",
  "whatif.after": "einige Zeit nach {reason}",
  "whatif.new": { one: "{n} Befehl ist neu.", other: "{n} Befehle sind neu." },
  "whatif.gone": { one: "{n} fehlt.", other: "{n} fehlen." },
  "whatif.goneWhich": "Was sie nicht getan hätte",
  "whatif.young":
    "Der Hub hört von diesem Zuhause erst seit {from}: je länger er läuft, desto mehr sagt dies.",
};
