import type { scenes as english } from "../en/scenes.ts";
import type { Translated } from "../text.ts";

/** The texts of scenes and groups, in German. */
export const scenes: Translated<typeof english> = {
  "scenes.title": "Szenen und Gruppen",
  "scenes.none": "Es gibt noch keine Szenen.",
  "scenes.new": "Neue Szene",
  "scenes.notYours": "Ihre Rolle ändert keine Szenen und Gruppen.",
  "scene.devices": "Geräte",
  "scene.devicesHow":
    "Ein Gerät, das Sie hinzufügen, wird so übernommen, wie es jetzt ist. Ändern Sie, was Sie möchten; alles andere bleibt, wie es ist.",
  "scene.leave": "So lassen",
  "scene.nothing": "Die Szene ändert an diesem Gerät noch nichts.",
  "scene.asNow": "Wie es jetzt ist",
  "scene.allNow": "Alle übernehmen, wie sie jetzt sind",
  "scene.times": "Zeiten",
  "scene.timesHow": "Wann die Szene von selbst an- und ausgeht.",
  "scene.run": "Jetzt einschalten",
  "outcome.title": "Was daraus wurde",
  "outcome.never": "Die Szene war noch nie an.",
  "outcome.at": "Eingeschaltet {time}",
  "outcome.sent": "unterwegs",
  "outcome.confirmed": "erledigt",
  "outcome.failed": "fehlgeschlagen",
  "outcome.timedOut": "hat nicht geantwortet",
  "outcome.skipped": "ausgelassen",
  "groups.title": "Gruppen",
  "groups.none": "Es gibt noch keine Gruppen.",
  "groups.new": "Neue Gruppe",
  "group.on": "{n} von {all} an",
  "group.members": "Mitglieder",
  "group.all": "Alle Mitglieder",
  "group.nothing": "Die Mitglieder haben nichts gemeinsam, was sich einstellen lässt.",
};
