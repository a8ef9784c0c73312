import type { custom as english } from "../en/custom.ts";
import type { Translated } from "../text.ts";

/** The texts of custom rules and of drawings of machines, in German. */
export const custom: Translated<typeof english> = {
  "custom.title": "Eigene Regeln",
  "custom.how":
    "Eine eigene Regel ist eine selbst gemachte Regelart: ein Zustandsautomat, als Daten geschrieben. Der Hub prüft sie, führt ihre Tests aus und probiert sie an der letzten Woche, bevor er sie installiert.",
  "custom.none": "Keine ist installiert.",
  "custom.version": "Version {version}, {time}",
  "custom.rules": { one: "{n} Regel", other: "{n} Regeln" },
  "custom.new": "Mit einem Beispiel beginnen",
  "custom.follow": "Lampen folgen einer anderen",
  "custom.linger": "Lampen bleiben noch eine Weile an",
  "custom.source": "Quelltext",
  "custom.line": "Zeile {line}",
  "custom.check": "Prüfen und probieren",
  "custom.install": "Installieren",
  "custom.installed": "{type} ist installiert",
  "custom.trying": "Der Hub prüft und probiert den Quelltext.",
  "custom.tests": { one: "Ihr Test besteht.", other: "Alle {n} Tests bestehen." },
  "custom.noTests": "Sie hat keine Tests.",
  "custom.noDevices": "Das Zuhause hat keine Geräte, an denen sie sich probieren lässt.",
  "custom.commands": {
    one: "{n} Befehl, höchstens {most} in einer Minute.",
    other: "{n} Befehle, höchstens {most} in einer Minute.",
  },
  "custom.stopped": "Der Hub hätte sie angehalten: {time}",
  "custom.doings": "Was ihre Regeln tun",
  "custom.noRules": "Noch keine Regel ist von dieser Art.",
  "custom.rule": "Regel",
  "custom.log": "Protokoll",
  "custom.refresh": "Aktualisieren",
  "custom.silent": "Sie hat noch nichts getan und nichts gesagt.",
  "diagram.title": "Wie sie arbeitet",
  "diagram.live": "Wo sie gerade steht",
  "diagram.after": "nach {time}",
  "diagram.inWords": "Dasselbe in Worten",
  "diagram.current": "Jetzt in: {states}",
};
