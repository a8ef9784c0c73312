import type { rules as english } from "../en/rules.ts";
import type { Translated } from "../text.ts";

/** The texts of the rules and proposals, in Swedish. */
export const rules: Translated<typeof english> = {
  "rules.none": "Det finns inga regler ännu.",
  "rules.noneHow": "Välj något av förslagen nedan.",
  "rules.whyNot": "Varför inte?",
  "rules.whyNotOf": "Varför gör {name} ingenting?",
  "rules.remove": "Ta bort {name}",
  "rules.removed": "{name} är borttagen",
  "proposals.title": "Förslag",
  "proposals.none": "Inget att föreslå. Placera enheter i rum: regler förenar det som finns i ett rum.",
  "proposals.try": "Vad skulle den ha gjort?",
  "proposals.save": "Spara och slå på",
  "proposals.saved": "{name} är på",
  "whatif.title": "Vad {name} skulle ha gjort",
  "whatif.count": {
    one: "Den skulle ha reagerat {n} gång sedan {from}.",
    other: "Den skulle ha reagerat {n} gånger sedan {from}.",
  },
  "whatif.more": "De första {n} visas.",
  "rules.new": "Ny regel",
  "whatif.because": "på grund av {reason}",
  "whatif.after": "en tid efter {reason}",
  "whatif.new": { one: "{n} kommando är nytt.", other: "{n} kommandon är nya." },
  "whatif.gone": { one: "{n} saknas.", other: "{n} saknas." },
  "whatif.goneWhich": "Vad den inte skulle ha gjort",
  "whatif.young":
    "Hubben har hört av det här hemmet först sedan {from}: ju längre den går, desto mer säger detta.",
};
