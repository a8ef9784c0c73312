import type { api as english } from "../en/api.ts";
import type { Translated } from "../text.ts";

/** The texts of the screen of the API, in Finnish. */
export const api: Translated<typeof english> = {
  "api.title": "API",
  "api.how":
    "Minkä tämä sivu tekee, sen ohjelmatkin voivat tehdä. Kutsu tästä tehdään avaimellasi ja oikeuksillasi.",
  "api.search": "Hae polulla tai tarkoituksella",
  "api.none": "Sellaista päätepistettä ei ole.",
  "api.required": "pakollinen",
  "api.body": "Runko (JSON)",
  "api.curl": "Komentona",
  "api.ask": "Kysy",
  "api.change": "Lähetä ja muuta kotia",
  "api.answer": "Vastaus",
  "api.noJson": "Runko ei ole JSONia.",
  "api.copy": "Kopioi komento",
  "api.copied": "Komento on kopioitu",
  "api.sure": "Tämä muuttaa kotia heti.",
  "api.send": "Lähetä",
  "api.leave": "Älä lähetä",
};
