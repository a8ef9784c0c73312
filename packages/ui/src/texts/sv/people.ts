import type { people as english } from "../en/people.ts";
import type { Translated } from "../text.ts";

/** The texts of the people and their keys, in Swedish. */
export const people: Translated<typeof english> = {
  "people.title": "Personer",
  "people.letIn": "Släpp in någon",
  "people.letInHow": "Deras webbläsare visar en kod. Skriv den här.",
  "people.code": "Kod",
  "people.look": "Titta",
  "people.asks": "{name} på {address} ber att få komma in.",
  "people.as": "Släpp in som",
  "people.myself": "mig själv",
  "people.panel": "en panel på väggen",
  "people.approve": "Släpp in",
  "people.approved": "{name} är insläppt",
  "people.keys": "Enheter som är inne",
  "people.noKeys": "Ingen enhet har en nyckel från hubben själv.",
  "people.until": "till {time}",
  "people.current": "den här enheten",
  "people.revoke": "Stäng ute {name}",
  "people.revoked": "{name} är utestängd",
  "people.all": "Vem får göra vad",
  "role.64": "ägare: får göra allt",
  "role.32": "administratör: får ställa in hemmet och dess personer",
  "role.8": "medlem: får använda och ordna allt",
  "role.4": "gäst på avstånd: får titta",
  "role.2": "gäst: får använda hemmet i dess nät",
};
