import type { energy as english } from "../en/energy.ts";
import type { Translated } from "../text.ts";

/** The texts of the energy, in German. */
export const energy: Translated<typeof english> = {
  "energy.title": "Energie",
  "energy.now": "Jetzt {power}",
  "energy.span": "Zeitraum",
  "energy.today": "Heute",
  "energy.week": "7 Tage",
  "energy.month": "30 Tage",
  "energy.byTime": "Energie nach Zeit",
  "energy.byRoom": "Nach Räumen",
  "energy.whoAll": "Wer sie verbraucht hat",
  "energy.whoAt": "Wer sie verbraucht hat: {time}",
  "energy.noPrices": "Der Hub kennt keine Preise, also keine Kosten.",
  "energy.unpriced": "Für {energy} war kein Preis bekannt.",
  "energy.other": "Übriges",
  "energy.main": "Hauptzähler des Hauses",
  "energy.mainNone": "Keiner: die Geräte werden addiert",
  "energy.mainSaved": "Der Hauptzähler ist gespeichert",
  "energy.ahead": "Kommende Preise",
  "energy.cheapest": "Die drei billigsten Stunden am Stück: {from} bis {to}.",
  "energy.plan": "Die billigsten Stunden in einer Regel nutzen",
  "energy.cheapHour": "{price}, am billigsten",
  "energy.csv": "Als CSV speichern",
  "energy.none": "Kein Gerät sagt, was es verbraucht.",
  "energy.noneHow": "Steckdosen und Zähler, die Leistung messen, stehen hier.",
};
