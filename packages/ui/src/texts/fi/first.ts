import type { first as english } from "../en/first.ts";
import type { Translated } from "../text.ts";

/** The texts of the first steps in a new home and of its place, in Finnish. */
export const first: Translated<typeof english> = {
  "first.title": "Ensimmäiset askeleet",
  "first.next": "Tehty tai ei nyt",
  "first.end": "Jätä kaikki väliin",
  "first.place": "Missä tämä koti on?",
  "first.sticks": "Käyttöä odottavat radiot",
  "first.pair": "Lisää laitteita",
  "first.rooms": "Sijoita laitteet huoneisiin",
  "first.rules": "Anna sääntöjen tehdä työ",
  "first.pairHow": {
    one: "Kodissa on {n} laite. Keskitin löytää lisää, kun pyydät sitä etsimään.",
    other: "Kodissa on {n} laitetta. Keskitin löytää lisää, kun pyydät sitä etsimään.",
  },
  "first.takeStick": "Ota käyttöön {model}",
  "first.stickTaken": "{model} on käytössä",
  "first.rulesHow":
    "Keskitin ehdottaa tähän kotiin sopivia sääntöjä. Jokaista voi kokeilla menneeseen ennen tallennusta.",
  "first.toRules": "Ehdotuksiin",
  "place.name": "Kodin nimi",
  "place.zone": "Aikavyöhyke",
  "place.here": "Käytä {zone}, kuten tämä laite",
  "place.saved": "Tallennettu",
  "place.ofZone": "Aurinko on aikavyöhykkeen kaupungin mukaan. Tarkenna",
  "place.exact": "Paikka, auringon aikoja varten",
  "place.latitude": "Leveysaste, pohjoista",
  "place.longitude": "Pituusaste, itäistä",
  "place.how": "Muutokset tallennetaan, kun poistut kentästä.",
};
