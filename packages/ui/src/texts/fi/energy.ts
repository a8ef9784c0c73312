import type { energy as english } from "../en/energy.ts";
import type { Translated } from "../text.ts";

/** The texts of the energy, in Finnish. */
export const energy: Translated<typeof english> = {
  "energy.title": "Energia",
  "energy.now": "Nyt {power}",
  "energy.span": "Aika",
  "energy.today": "Tänään",
  "energy.week": "7 päivää",
  "energy.month": "30 päivää",
  "energy.byTime": "Energia ajan mukaan",
  "energy.byRoom": "Huoneittain",
  "energy.whoAll": "Mikä sen käytti",
  "energy.whoAt": "Mikä sen käytti: {time}",
  "energy.noPrices": "Keskitin ei tiedä hintoja, joten kuluja ei näytetä.",
  "energy.unpriced": "{energy} oli ilman tiedettyä hintaa.",
  "energy.other": "Muu",
  "energy.main": "Kodin päämittari",
  "energy.mainNone": "Ei mitään: laitteet lasketaan yhteen",
  "energy.mainSaved": "Päämittari on tallennettu",
  "energy.ahead": "Tulevat hinnat",
  "energy.cheapest": "Halvimmat kolme peräkkäistä tuntia: {from} – {to}.",
  "energy.plan": "Käytä halvimpia tunteja säännössä",
  "energy.cheapHour": "{price}, halvin",
  "energy.csv": "Tallenna CSV-tiedostona",
  "energy.none": "Mikään laite ei kerro kulutustaan.",
  "energy.noneHow": "Tehoa mittaavat pistorasiat ja mittarit näkyvät täällä.",
};
