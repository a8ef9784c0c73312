import { safetyAlarmKinds } from "./safety-alarm-texts.ts";

/**
 * Alarms of rules, by kind. `{name}` is the device or the rule that the alarm is about, `{rule}` the rule's
 * name; other facts come from the template that raises the alarm.
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
      en: "The rule {name} {reason} and was turned off. Change it before you turn it on again.",
      fi: "Sääntö {name} {reason} ja kytkettiin pois. Muuta sitä ennen kuin kytket sen uudelleen.",
      sv: "Regeln {name} {reason} och stängdes av. Ändra den innan du slår på den igen.",
      de: "Die Regel {name} {reason} und wurde ausgeschaltet. Ändern Sie sie, bevor Sie sie wieder einschalten.",
    },
  },
  CUSTOM_NOTICE: {
    level: "info",
    title: { en: "A rule says", fi: "Sääntö ilmoittaa", sv: "En regel meddelar", de: "Eine Regel meldet" },
    message: {
      en: "The rule {name} says: {text}",
      fi: "Sääntö {name} ilmoittaa: {text}",
      sv: "Regeln {name} meddelar: {text}",
      de: "Die Regel {name} meldet: {text}",
    },
  },
  RULE_WORKS_HARD: {
    level: "warn",
    title: {
      en: "A rule works hard",
      fi: "Sääntö kuormittaa",
      sv: "En regel arbetar hårt",
      de: "Eine Regel arbeitet viel",
    },
    message: {
      en: "The rule {name} does more in its steps than it should. If that lasts it is turned off.",
      fi: "Sääntö {name} tekee askelissaan enemmän kuin sen pitäisi. Jos se jatkuu, sääntö kytketään pois.",
      sv: "Regeln {name} gör mer i sina steg än den borde. Om det fortsätter stängs den av.",
      de: "Die Regel {name} tut in ihren Schritten mehr, als sie sollte. Hält das an, wird sie ausgeschaltet.",
    },
  },
  SENSORS_SILENT: {
    level: "warn",
    title: {
      en: "No temperature is known",
      fi: "Lämpötilaa ei tiedetä",
      sv: "Ingen temperatur är känd",
      de: "Keine Temperatur ist bekannt",
    },
    message: {
      en: "The rule {name} has had no report from any of its sensors for {minutes} minutes and has set its devices to their safe state. Check the batteries and the range of the sensors. The alarm closes when one is heard again.",
      fi: "Sääntö {name} ei ole kuullut yhdestäkään anturistaan {minutes} minuuttiin ja on asettanut laitteensa turvalliseen tilaan. Tarkista anturien paristot ja kantama. Hälytys sulkeutuu, kun anturista kuullaan taas.",
      sv: "Regeln {name} har inte hört av någon av sina sensorer på {minutes} minuter och har ställt sina enheter i säkert läge. Kontrollera sensorernas batterier och räckvidd. Larmet stängs när en sensor hörs av igen.",
      de: "Die Regel {name} hat seit {minutes} Minuten von keinem ihrer Sensoren gehört und ihre Geräte in den sicheren Zustand versetzt. Prüfen Sie Batterien und Reichweite der Sensoren. Der Alarm schließt sich, wenn sich einer wieder meldet.",
    },
  },
  WINDOW_LEFT_OPEN: {
    level: "warn",
    title: {
      en: "A window was left open",
      fi: "Ikkuna jäi auki",
      sv: "Ett fönster står öppet",
      de: "Ein Fenster steht offen",
    },
    message: {
      en: "{windows} has been open for more than {minutes} minutes. The rule {name} has turned the heating up again. The alarm closes when all windows are closed.",
      fi: "{windows} on ollut auki yli {minutes} minuuttia. Sääntö {name} on palauttanut lämmityksen. Hälytys sulkeutuu, kun kaikki ikkunat ovat kiinni.",
      sv: "{windows} har varit öppet i mer än {minutes} minuter. Regeln {name} har återställt värmen. Larmet stängs när alla fönster är stängda.",
      de: "{windows} steht seit mehr als {minutes} Minuten offen. Die Regel {name} hat die Heizung wieder hochgestellt. Der Alarm schließt sich, wenn alle Fenster geschlossen sind.",
    },
  },
  LOAD_SHED: {
    level: "warn",
    title: {
      en: "A load was turned off",
      fi: "Kuorma sammutettiin",
      sv: "En last stängdes av",
      de: "Ein Verbraucher wurde abgeschaltet",
    },
    message: {
      en: "More than {limit} W were drawn. The rule {name} has turned off: {loads}. They come back when there is room; then the alarm closes.",
      fi: "Tehoa otettiin yli {limit} W. Sääntö {name} on sammuttanut: {loads}. Ne palautetaan, kun on tilaa; silloin hälytys sulkeutuu.",
      sv: "Mer än {limit} W togs ut. Regeln {name} har stängt av: {loads}. De kommer tillbaka när det finns plats; då stängs larmet.",
      de: "Mehr als {limit} W wurden gezogen. Die Regel {name} hat abgeschaltet: {loads}. Sie kommen zurück, wenn Platz ist; dann schließt sich der Alarm.",
    },
  },
  POWER_OVERLOAD: {
    level: "err",
    title: {
      en: "Too much power is drawn",
      fi: "Tehoa otetaan liikaa",
      sv: "För mycket effekt tas ut",
      de: "Es wird zu viel Leistung gezogen",
    },
    message: {
      en: "More than {limit} W are drawn, and the rule {name} has nothing left to turn off: a fuse may blow. Turn something off yourself. The alarm closes when less is drawn.",
      fi: "Tehoa otetaan yli {limit} W, eikä säännöllä {name} ole enää mitään sammutettavaa: sulake voi palaa. Sammuta itse jotakin. Hälytys sulkeutuu, kun tehoa otetaan vähemmän.",
      sv: "Mer än {limit} W tas ut och regeln {name} har inget kvar att stänga av: en säkring kan lösa ut. Stäng av något själv. Larmet stängs när mindre tas ut.",
      de: "Mehr als {limit} W werden gezogen, und die Regel {name} hat nichts mehr abzuschalten: Eine Sicherung kann auslösen. Schalten Sie selbst etwas ab. Der Alarm schließt sich, wenn weniger gezogen wird.",
    },
  },
  APPLIANCE_DONE: {
    level: "info",
    title: {
      en: "An appliance is done",
      fi: "Kone on valmis",
      sv: "En maskin är klar",
      de: "Ein Gerät ist fertig",
    },
    message: {
      en: "{name} is done.",
      fi: "{name} on valmis.",
      sv: "{name} är klar.",
      de: "{name} ist fertig.",
    },
  },
  RULE_BEGAN_ANEW: {
    level: "info",
    title: {
      en: "A rule restarted",
      fi: "Sääntö alkoi alusta",
      sv: "En regel började om",
      de: "Eine Regel hat neu begonnen",
    },
    message: {
      en: "The rule {name} works differently since an update and has restarted. It has forgotten what it was waiting for.",
      fi: "Sääntö {name} toimii päivityksen jälkeen toisin ja on alkanut alusta. Se, mitä se odotti, on unohdettu.",
      sv: "Regeln {name} fungerar på ett annat sätt sedan en uppdatering och har börjat om. Det som den väntade på är glömt.",
      de: "Die Regel {name} arbeitet seit einer Aktualisierung anders und hat neu begonnen. Worauf sie wartete, ist vergessen.",
    },
  },
} as const;

/** Why a rule was stopped, as a part of the alarm, by the reason of its STOP_RULE. */
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
  "too much work": {
    en: "does too much in its steps",
    fi: "tekee askelissaan liikaa",
    sv: "gör för mycket i sina steg",
    de: "tut in ihren Schritten zu viel",
  },
  faults: {
    en: "cannot be carried out",
    fi: "ei ole suoritettavissa",
    sv: "kan inte utföras",
    de: "kann nicht ausgeführt werden",
  },
} as const;
