import type { custom as english } from "../en/custom.ts";
import type { Translated } from "../text.ts";

/** The texts of custom rules and of drawings of machines, in Swedish. */
export const custom: Translated<typeof english> = {
  "custom.title": "Egna regler",
  "custom.how":
    "En egen regel är en egen sorts regel: en tillståndsmaskin, skriven som data. Hubben kontrollerar den, kör dess tester och prövar den på den senaste veckan innan den installeras.",
  "custom.none": "Ingen är installerad.",
  "custom.version": "Version {version}, {time}",
  "custom.rules": { one: "{n} regel", other: "{n} regler" },
  "custom.new": "Börja med ett exempel",
  "custom.follow": "Lampor följer en annan",
  "custom.linger": "Lampor lyser en stund till",
  "custom.source": "Källtext",
  "custom.line": "Rad {line}",
  "custom.check": "Kontrollera och pröva",
  "custom.install": "Installera",
  "custom.installed": "{type} är installerad",
  "custom.trying": "Hubben kontrollerar och prövar källtexten.",
  "custom.tests": { one: "Dess test går igenom.", other: "Alla {n} tester går igenom." },
  "custom.noTests": "Den har inga tester.",
  "custom.noDevices": "Hemmet har inga enheter att pröva den på.",
  "custom.commands": {
    one: "{n} kommando, högst {most} per minut.",
    other: "{n} kommandon, högst {most} per minut.",
  },
  "custom.stopped": "Hubben skulle ha stoppat den: {time}",
  "custom.doings": "Vad dess regler gör",
  "custom.noRules": "Ingen regel är av den här sorten ännu.",
  "custom.rule": "Regel",
  "custom.log": "Logg",
  "custom.refresh": "Uppdatera",
  "custom.silent": "Den har inte gjort eller sagt något ännu.",
  "diagram.title": "Hur den fungerar",
  "diagram.live": "Var den står nu",
  "diagram.after": "efter {time}",
  "diagram.inWords": "Samma sak i ord",
  "diagram.current": "Nu i: {states}",
};
