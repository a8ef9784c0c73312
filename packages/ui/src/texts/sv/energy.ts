import type { energy as english } from "../en/energy.ts";
import type { Translated } from "../text.ts";

/** The texts of the energy, in Swedish. */
export const energy: Translated<typeof english> = {
  "energy.title": "Energi",
  "energy.now": "Nu {power}",
  "energy.span": "Tid",
  "energy.today": "I dag",
  "energy.week": "7 dagar",
  "energy.month": "30 dagar",
  "energy.byTime": "Energi över tid",
  "energy.byRoom": "Per rum",
  "energy.whoAll": "Vad som använde den",
  "energy.whoAt": "Vad som använde den: {time}",
  "energy.noPrices": "Hubben känner inga priser, så ingen kostnad visas.",
  "energy.unpriced": "{energy} saknade känt pris.",
  "energy.other": "Övrigt",
  "energy.main": "Hemmets huvudmätare",
  "energy.mainNone": "Ingen: enheterna läggs ihop",
  "energy.mainSaved": "Huvudmätaren är sparad",
  "energy.ahead": "Kommande priser",
  "energy.cheapest": "De tre billigaste timmarna i rad: {from} till {to}.",
  "energy.plan": "Använd de billigaste timmarna i en regel",
  "energy.cheapHour": "{price}, billigast",
  "energy.csv": "Spara som CSV",
  "energy.none": "Ingen enhet talar om vad den använder.",
  "energy.noneHow": "Uttag och mätare som mäter effekt visas här.",
};
