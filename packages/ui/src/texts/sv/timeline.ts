import type { timeline as english } from "../en/timeline.ts";
import type { Translated } from "../text.ts";

/** The texts of the timeline, in Swedish. */
export const timeline: Translated<typeof english> = {
  "nav.timeline": "Tidslinje",
  "past.readOnly": "Hemmet som det var. Inget kan styras.",
  "past.back": "Tillbaka till nu",
  "past.putNames": "Ge tillbaka namn och rum från då",
  "past.putSettings": "Ge tillbaka inställningarna från då",
  "past.putRule": "Ge tillbaka {name} som det var då",
  "past.putBack": "{name} är som då: {time}",
  "past.title": "Förflutet",
  "past.same": "{name} har inte ändrats sedan dess.",
  "timeline.slider": "Tid",
  "timeline.span": "Tidsspann",
  "timeline.1": "1 timme",
  "timeline.24": "1 dag",
  "timeline.168": "7 dagar",
  "timeline.earlier": "Tidigare",
  "timeline.later": "Senare",
  "timeline.how": "Flytta reglaget för att se hemmet som det var.",
  "timeline.denied": "Gäster ser inte det förflutna.",
  "timeline.events": "Vad som hände",
  "timeline.none": "Inget är registrerat från den här tiden.",
  "timeline.counts": { one: "{n} händelse", other: "{n} händelser" },
  "timeline.alarms": { one: "{n} larm", other: "{n} larm" },
};
