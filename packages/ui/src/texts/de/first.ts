import type { first as english } from "../en/first.ts";
import type { Translated } from "../text.ts";

/** The texts of the first steps in a new home and of its place, in German. */
export const first: Translated<typeof english> = {
  "first.title": "Erste Schritte",
  "first.next": "Erledigt oder nicht jetzt",
  "first.end": "Alle auslassen",
  "first.place": "Wo ist dieses Zuhause?",
  "first.sticks": "Funksticks, die niemand nutzt",
  "first.pair": "Geräte hinzufügen",
  "first.rooms": "Geräte auf Räume verteilen",
  "first.rules": "Regeln arbeiten lassen",
  "first.pairHow": {
    one: "Das Zuhause hat {n} Gerät. Der Hub findet mehr, wenn Sie ihn suchen lassen.",
    other: "Das Zuhause hat {n} Geräte. Der Hub findet mehr, wenn Sie ihn suchen lassen.",
  },
  "first.takeStick": "{model} nutzen",
  "first.stickTaken": "{model} wird genutzt",
  "first.rulesHow":
    "Der Hub schlägt Regeln vor, die zu diesem Zuhause passen. Jede lässt sich an der Vergangenheit erproben, bevor sie gespeichert wird.",
  "first.toRules": "Zu den Vorschlägen",
  "place.name": "Name des Zuhauses",
  "place.zone": "Zeitzone",
  "place.here": "{zone} nehmen wie dieses Gerät",
  "place.saved": "Gespeichert",
  "place.ofZone": "Die Sonne ist die der Stadt der Zeitzone. Genauer angeben",
  "place.exact": "Ort, für die Zeiten der Sonne",
  "place.latitude": "Breite, Grad Nord",
  "place.longitude": "Länge, Grad Ost",
  "place.how": "Was Sie hier ändern, wird gespeichert, sobald Sie das Feld verlassen.",
};
