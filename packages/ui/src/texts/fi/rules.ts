import type { rules as english } from "../en/rules.ts";
import type { Translated } from "../text.ts";

/** The texts of the rules and proposals, in Finnish. */
export const rules: Translated<typeof english> = {
  "rules.none": "Sääntöjä ei vielä ole.",
  "rules.noneHow": "Valitse jokin alla olevista ehdotuksista.",
  "rules.whyNot": "Miksi ei?",
  "rules.whyNotOf": "Miksi {name} ei tee mitään?",
  "rules.remove": "Poista {name}",
  "rules.removed": "{name} on poistettu",
  "proposals.title": "Ehdotukset",
  "proposals.none": "Ei ehdotettavaa. Vie laitteet huoneisiin: säännöt yhdistävät saman huoneen laitteita.",
  "proposals.try": "Mitä se olisi tehnyt?",
  "proposals.save": "Tallenna ja ota käyttöön",
  "proposals.saved": "{name} on käytössä",
  "whatif.title": "Mitä {name} olisi tehnyt",
  "whatif.count": {
    one: "Se olisi toiminut {n} kerran alkaen {from}.",
    other: "Se olisi toiminut {n} kertaa alkaen {from}.",
  },
  "whatif.more": "Näytetään {n} ensimmäistä.",
  "rules.new": "Uusi sääntö",
  "whatif.because": "syy: {reason}",
  "whatif.after": "jonkin ajan kuluttua: {reason}",
  "whatif.new": { one: "{n} komento on uusi.", other: "{n} komentoa on uusia." },
  "whatif.gone": { one: "{n} puuttuu.", other: "{n} puuttuu." },
  "whatif.goneWhich": "Mitä se ei olisi tehnyt",
  "whatif.young":
    "Keskitin on kuullut tästä kodista vasta {from} alkaen: mitä kauemmin se käy, sitä enemmän tämä kertoo.",
};
