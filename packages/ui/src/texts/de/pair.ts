import type { pair as english } from "../en/pair.ts";
import type { Translated } from "../text.ts";

/** The texts of the wizard that adds devices, in German. */
export const pair: Translated<typeof english> = {
  "pair.title": "Geräte hinzufügen",
  "pair.how": "Stellen Sie das neue Gerät in die Nähe des Hubs und schalten Sie es ein.",
  "pair.denied": "Geräte fügen Verwalter hinzu.",
  "pair.search": "Alles in der Nähe",
  "pair.searchHow": "Der Hub lauscht auf seinen Funk- und anderen Netzen und zeigt, was sich meldet.",
  "pair.searchNow": "Suchen",
  "pair.433How": "Ein 433-MHz-Gerät von {maker}. Keine Suche findet es.",
  "pair.433Now": "{name} koppeln",
  "pair.433Press": "{name} wird gekoppelt. Erscheint es nicht, drücken Sie seine Taste.",
  "pair.searching": "Suche",
  "pair.near":
    "Bringen Sie das neue Gerät in den Kopplungsmodus, wie es seine Anleitung sagt. Wählen Sie, was bleiben soll.",
  "pair.begins": "Die Suche beginnt.",
  "pair.found": { one: "{n} Gerät gefunden", other: "{n} Geräte gefunden" },
  "pair.shared": "Eine Suche lief schon: Ihre Funde stehen auch hier.",
  "pair.finds": "Gefundene Geräte",
  "pair.unknown": "Unbekanntes Gerät",
  "pair.keptElsewhere": "{name} hat jemand anders behalten",
  "pair.gone": "{name} ist nicht mehr da",
  "stage.joining": "Tritt bei",
  "stage.asked": "Tun Sie am Gerät, was seine Anleitung sagt.",
  "stage.joined": "Beigetreten. Der Hub fragt, was es kann.",
  "stage.ready": "Bereit.",
  "pair.early": "Noch nicht bereit und nicht behalten, wenn Sie jetzt weitergehen: {names}",
  "pair.leaving":
    "Verlassen Sie diese Seite, endet die Suche: Behalten wird, was gewählt und bereit ist, der Rest nicht.",
  "pair.keep": { one: "{n} Gerät behalten", other: "{n} Geräte behalten" },
  "pair.stop": "Aufhören und nichts behalten",
  "pair.kept": "Behalten: {names}.",
  "pair.notKept": "Nicht behalten: {names}.",
  "pair.place": { one: "Name und Raum Ihres Geräts", other: "Namen und Räume Ihrer Geräte" },
  "pair.try": "Ausprobieren",
  "pair.done": "Fertig",
  "pair.added": { one: "{n} Gerät ist hinzugefügt", other: "{n} Geräte sind hinzugefügt" },
  "pair.home": "Zum Zuhause",
  "pair.more": "Mehr hinzufügen",
};
