import type { api as english } from "../en/api.ts";
import type { Translated } from "../text.ts";

/** The texts of the screen of the API, in Swedish. */
export const api: Translated<typeof english> = {
  "api.title": "API",
  "api.how":
    "Vad den här sidan gör kan program också göra. Ett anrop härifrån görs med din nyckel och dina rättigheter.",
  "api.search": "Sök på sökväg eller syfte",
  "api.none": "Ingen ändpunkt är sådan.",
  "api.required": "krävs",
  "api.body": "Innehåll (JSON)",
  "api.curl": "Som kommando",
  "api.ask": "Fråga",
  "api.change": "Skicka och ändra hemmet",
  "api.answer": "Svar",
  "api.noJson": "Innehållet är inte JSON.",
  "api.copy": "Kopiera kommandot",
  "api.copied": "Kommandot är kopierat",
  "api.sure": "Detta ändrar hemmet genast.",
  "api.send": "Skicka",
  "api.leave": "Skicka inte",
};
