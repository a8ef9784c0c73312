import type { Text } from "../text.ts";

/** The texts of the energy, in English. */
export const energy = {
  "energy.title": "Energy",
  "energy.now": "Now {power}",
  "energy.span": "Time",
  "energy.today": "Today",
  "energy.week": "7 days",
  "energy.month": "30 days",
  "energy.byTime": "Energy by time",
  "energy.byRoom": "By room",
  "energy.whoAll": "Who used it",
  "energy.whoAt": "Who used it: {time}",
  "energy.noPrices": "The hub knows no prices, so there is no cost.",
  "energy.unpriced": "{energy} had no known price.",
  "energy.other": "Other",
  "energy.main": "Main meter of the home",
  "energy.mainNone": "None: the devices are added up",
  "energy.mainSaved": "The main meter is saved",
  "energy.ahead": "Prices ahead",
  "energy.cheapest": "Cheapest three hours in a row: {from} to {to}.",
  "energy.plan": "Use the cheapest hours in a rule",
  "energy.cheapHour": "{price}, cheapest",
  "energy.csv": "Save as CSV",
  "energy.none": "No device tells what it uses.",
  "energy.noneHow": "Plugs and meters that measure power show up here.",
} as const satisfies Readonly<Record<string, Text>>;
