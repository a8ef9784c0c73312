import { safetyAlarmKinds } from "./safety-alarm-texts.ts";

/**
 * What rules tell people, by kind. `{name}` is the device that it is about, or the rule; `{rule}` the rule's name;
 * what else a kind names, the template that raises it gives as a fact.
 */
export const ruleAlarmKinds = {
  ...safetyAlarmKinds,
  RULE_STOPPED: {
    level: "warn",
    title: {
      en: "A rule was stopped",
      fi: "Sääntö pysäytettiin",
      sv: "En regel stoppades",
      de: "Eine Regel wurde angehalten",
    },
    message: {
      en: "The rule {rule} {reason} and was turned off. Change it before you turn it on again.",
      fi: "Sääntö {rule} {reason} ja kytkettiin pois. Muuta sitä ennen kuin kytket sen uudelleen.",
      sv: "Regeln {rule} {reason} och stängdes av. Ändra den innan du slår på den igen.",
      de: "Die Regel {rule} {reason} und wurde ausgeschaltet. Ändern Sie sie, bevor Sie sie wieder einschalten.",
    },
  },
  RULE_BEGAN_ANEW: {
    level: "info",
    title: {
      en: "A rule began anew",
      fi: "Sääntö alkoi alusta",
      sv: "En regel började om",
      de: "Eine Regel hat neu begonnen",
    },
    message: {
      en: "The rule {name} works in another way since an update and has begun anew. What it was waiting for is forgotten.",
      fi: "Sääntö {name} toimii päivityksen jälkeen toisin ja on alkanut alusta. Se, mitä se odotti, on unohdettu.",
      sv: "Regeln {name} fungerar på ett annat sätt sedan en uppdatering och har börjat om. Det som den väntade på är glömt.",
      de: "Die Regel {name} arbeitet seit einer Aktualisierung anders und hat neu begonnen. Worauf sie wartete, ist vergessen.",
    },
  },
} as const;

/** Why a rule was stopped, as the alarm says it: by the reason of its STOP_RULE. */
export const ruleStopTexts = {
  loop: {
    en: "is set off by what it does itself",
    fi: "käynnistyy omasta toiminnastaan",
    sv: "utlöses av det den själv gör",
    de: "wird durch das ausgelöst, was sie selbst tut",
  },
  "too many commands": {
    en: "commands its devices too often",
    fi: "ohjaa laitteitaan liian usein",
    sv: "styr sina enheter för ofta",
    de: "steuert ihre Geräte zu oft",
  },
  faults: {
    en: "cannot be carried out",
    fi: "ei ole suoritettavissa",
    sv: "kan inte utföras",
    de: "kann nicht ausgeführt werden",
  },
} as const;
