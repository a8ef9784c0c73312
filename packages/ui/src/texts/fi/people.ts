import type { people as english } from "../en/people.ts";
import type { Translated } from "../text.ts";

/** The texts of the people and their keys, in Finnish. */
export const people: Translated<typeof english> = {
  "people.title": "Ihmiset",
  "people.letIn": "Päästä joku sisään",
  "people.letInHow": "Hänen selaimensa näyttää koodin. Kirjoita se tähän.",
  "people.code": "Koodi",
  "people.look": "Katso",
  "people.asks": "{name} osoitteesta {address} pyytää päästä sisään.",
  "people.as": "Päästä nimellä",
  "people.myself": "minä itse",
  "people.panel": "seinäpaneeli",
  "people.approve": "Päästä sisään",
  "people.approved": "{name} pääsi sisään",
  "people.keys": "Sisällä olevat laitteet",
  "people.noKeys": "Millään laitteella ei ole keskittimen omaa avainta.",
  "people.until": "{time} asti",
  "people.current": "tämä laite",
  "people.revoke": "Sulje pois {name}",
  "people.revoked": "{name} on suljettu pois",
  "people.all": "Kuka saa tehdä mitä",
  "role.64": "omistaja: saa tehdä kaiken",
  "role.32": "ylläpitäjä: saa muuttaa kotia ja sen ihmisiä",
  "role.8": "jäsen: saa käyttää ja järjestää kaikkea",
  "role.4": "etävieras: saa katsoa",
  "role.2": "vieras: saa käyttää kotia sen verkossa",
};
