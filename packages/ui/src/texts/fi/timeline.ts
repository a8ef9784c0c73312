import type { timeline as english } from "../en/timeline.ts";
import type { Translated } from "../text.ts";

/** The texts of the timeline, in Finnish. */
export const timeline: Translated<typeof english> = {
  "nav.timeline": "Aikajana",
  "past.readOnly": "Koti sellaisena kuin se oli. Mitään ei voi ohjata.",
  "past.back": "Takaisin nykyhetkeen",
  "past.putNames": "Palauta silloinen nimi ja huone",
  "past.putSettings": "Palauta silloiset asetukset",
  "past.putRule": "Palauta {name} silloiseen tilaan",
  "past.putBack": "{name} on kuten silloin: {time}",
  "past.title": "Menneisyys",
  "past.same": "{name} ei ole muuttunut sen jälkeen.",
  "timeline.slider": "Aika",
  "timeline.span": "Aikaväli",
  "timeline.1": "1 tunti",
  "timeline.24": "1 päivä",
  "timeline.168": "7 päivää",
  "timeline.earlier": "Aiemmin",
  "timeline.later": "Myöhemmin",
  "timeline.how": "Siirrä liukusäädintä, niin näet kodin sellaisena kuin se oli.",
  "timeline.denied": "Vieraat eivät näe mennyttä.",
  "timeline.events": "Mitä tapahtui",
  "timeline.none": "Tästä ajasta ei ole tallenteita.",
  "timeline.counts": { one: "{n} tapahtuma", other: "{n} tapahtumaa" },
  "timeline.alarms": { one: "{n} hälytys", other: "{n} hälytystä" },
};
