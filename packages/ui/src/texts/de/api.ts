import type { api as english } from "../en/api.ts";
import type { Translated } from "../text.ts";

/** The texts of the screen of the API, in German. */
export const api: Translated<typeof english> = {
  "api.title": "API",
  "api.how":
    "Was diese Seite kann, können auch Programme. Ein Aufruf von hier hat Ihren Schlüssel und Ihre Rechte.",
  "api.search": "Nach Pfad oder Zweck suchen",
  "api.none": "Kein Endpunkt ist so.",
  "api.required": "nötig",
  "api.body": "Inhalt (JSON)",
  "api.curl": "Als Befehl",
  "api.ask": "Fragen",
  "api.change": "Senden und das Zuhause ändern",
  "api.answer": "Antwort",
  "api.noJson": "Der Inhalt ist kein JSON.",
  "api.copy": "Befehl kopieren",
  "api.copied": "Der Befehl ist kopiert",
  "api.sure": "Das ändert das Zuhause sofort.",
  "api.send": "Senden",
  "api.leave": "Nicht senden",
};
