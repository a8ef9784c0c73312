import type { home as english } from "../en/home.ts";
import type { Translated } from "../text.ts";

/** The texts of the home, its rooms and alarms, in Finnish. */
export const home: Translated<typeof english> = {
  "summary.setTo": "tavoite {value}",
  "summary.openBy": "{value} auki",
  "home.scenes": "Tilanteet",
  "home.editScenes": "Muokkaa tilanteita",
  "home.noRoom": "Ilman huonetta",
  "home.empty": "Laitteita ei vielä ole.",
  "home.emptyHow": "Ne ovat täällä heti, kun keskitin on löytänyt niitä.",
  "home.alarms": { one: "{n} avoin hälytys", other: "{n} avointa hälytystä" },
  "home.open": "Näytä {name}",
  "favourite.one": "Suosikki",
  "favourite.all": "Suosikit",
  "favourite.made": "{name} on nyt suosikki",
  "favourite.gone": "{name} ei ole enää suosikki",
  "rooms.title": "Laitteesi eivät ole vielä huoneissa",
  "rooms.how": "Niiden nimet ehdottavat näitä huoneita. Valitse, mitkä haluat.",
  "rooms.none": "Niiden nimet eivät ehdota huoneita. Laitteen voi sijoittaa huoneeseen sen omalla sivulla.",
  "rooms.count": { one: "{n} laite", other: "{n} laitetta" },
  "rooms.apply": "Luo nämä huoneet",
  "rooms.made": "Huoneet on luotu",
  "alarms.title": "Hälytykset",
  "alarms.none": "Avoimia hälytyksiä ei ole.",
  "alarms.close": "Sulje hälytys",
  "alarms.closed": "Hälytys on suljettu",
  "alarms.closeAll": "Sulje kaikki {n}",
  "alarms.closedAll": "{n} hälytystä on suljettu",
  "presence.say": "Tämä laite kertoo, että olen kotona",
  "presence.how":
    "Kun tämä sivu on näkyvissä tässä laitteessa kodin verkossa ja vielä puoli tuntia sen jälkeen, saapumista ja lähtemistä koskevat säännöt katsovat sinun olevan kotona. Suljettu tai piilossa oleva sivu ei kerro mitään: kun puhelin on taskussa, sinun katsotaan olevan poissa.",
};
