import type { people as english } from "../en/people.ts";
import type { Translated } from "../text.ts";

/** The texts of the people and their keys, in German. */
export const people: Translated<typeof english> = {
  "people.title": "Personen",
  "people.letIn": "Jemanden einlassen",
  "people.letInHow": "Deren Browser zeigt einen Code. Geben Sie ihn hier ein.",
  "people.code": "Code",
  "people.look": "Nachsehen",
  "people.asks": "{name} unter {address} bittet um Einlass.",
  "people.as": "Einlassen als",
  "people.myself": "ich selbst",
  "people.panel": "ein Bedienfeld an der Wand",
  "people.approve": "Einlassen",
  "people.approved": "{name} ist eingelassen",
  "people.keys": "Geräte, die drin sind",
  "people.noKeys": "Kein Gerät hat einen Schlüssel des Hubs selbst.",
  "people.until": "bis {time}",
  "people.current": "dieses Gerät",
  "people.revoke": "{name} aussperren",
  "people.revoked": "{name} ist ausgesperrt",
  "people.all": "Wer was darf",
  "role.64": "Eigentümer: darf alles",
  "role.32": "Verwalter: darf Haus und Personen einrichten",
  "role.8": "Mitglied: darf alles nutzen und ordnen",
  "role.4": "Gast aus der Ferne: darf zusehen",
  "role.2": "Gast: darf das Haus in dessen Netz nutzen",
};
