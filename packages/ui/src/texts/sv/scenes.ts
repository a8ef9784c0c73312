import type { scenes as english } from "../en/scenes.ts";
import type { Translated } from "../text.ts";

/** The texts of scenes and groups, in Swedish. */
export const scenes: Translated<typeof english> = {
  "scenes.title": "Scener och grupper",
  "scenes.none": "Det finns inga scener ännu.",
  "scenes.new": "Ny scen",
  "scenes.notYours": "Din roll ändrar inga scener eller grupper.",
  "scene.devices": "Enheter",
  "scene.devicesHow":
    "En enhet som du lägger till tas som den är nu. Ändra vad du vill; resten lämnas som det är.",
  "scene.leave": "Lämna som det är",
  "scene.nothing": "Scenen ändrar ännu ingenting på enheten.",
  "scene.asNow": "Som det är nu",
  "scene.allNow": "Ta alla som de är nu",
  "scene.times": "Tider",
  "scene.timesHow": "När scenen slås på och av av sig själv.",
  "scene.run": "Slå på nu",
  "outcome.title": "Hur det gick",
  "outcome.never": "Scenen har inte slagits på ännu.",
  "outcome.at": "Slogs på {time}",
  "outcome.sent": "på väg",
  "outcome.confirmed": "klart",
  "outcome.failed": "misslyckades",
  "outcome.timedOut": "svarade inte",
  "outcome.skipped": "utelämnad",
  "groups.title": "Grupper",
  "groups.none": "Det finns inga grupper ännu.",
  "groups.new": "Ny grupp",
  "group.on": "{n} av {all} på",
  "group.members": "Medlemmar",
  "group.all": "Alla medlemmar",
  "group.nothing": "Medlemmarna har inget gemensamt som kan ställas in.",
};
