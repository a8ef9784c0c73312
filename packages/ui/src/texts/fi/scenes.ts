import type { scenes as english } from "../en/scenes.ts";
import type { Translated } from "../text.ts";

/** The texts of scenes and groups, in Finnish. */
export const scenes: Translated<typeof english> = {
  "scenes.title": "Tilanteet ja ryhmät",
  "scenes.none": "Tilanteita ei vielä ole.",
  "scenes.new": "Uusi tilanne",
  "scenes.notYours": "Roolisi ei muuta tilanteita eikä ryhmiä.",
  "scene.devices": "Laitteet",
  "scene.devicesHow":
    "Lisätty laite tallentuu sellaisena kuin se nyt on. Muuta mitä haluat; muu jää ennalleen.",
  "scene.leave": "Jätä ennalleen",
  "scene.nothing": "Tilanne ei vielä muuta tätä laitetta.",
  "scene.asNow": "Kuten nyt",
  "scene.allNow": "Ota kaikki sellaisina kuin ne nyt ovat",
  "scene.times": "Ajat",
  "scene.timesHow": "Milloin tilanne alkaa ja päättyy itsestään.",
  "scene.run": "Ota käyttöön nyt",
  "outcome.title": "Miten kävi",
  "outcome.never": "Tilanne ei ole vielä ollut käytössä.",
  "outcome.at": "Otettu käyttöön {time}",
  "outcome.sent": "matkalla",
  "outcome.confirmed": "valmis",
  "outcome.failed": "epäonnistui",
  "outcome.timedOut": "ei vastannut",
  "outcome.skipped": "jätettiin pois",
  "groups.title": "Ryhmät",
  "groups.none": "Ryhmiä ei vielä ole.",
  "groups.new": "Uusi ryhmä",
  "group.on": "{n}/{all} päällä",
  "group.members": "Jäsenet",
  "group.all": "Kaikki jäsenet",
  "group.nothing": "Jäsenillä ei ole mitään yhteistä säädettävää.",
};
