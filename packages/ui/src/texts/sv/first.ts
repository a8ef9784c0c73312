import type { first as english } from "../en/first.ts";
import type { Translated } from "../text.ts";

/** The texts of the first steps in a new home and of its place, in Swedish. */
export const first: Translated<typeof english> = {
  "first.title": "Första stegen",
  "first.next": "Gjort eller inte nu",
  "first.end": "Hoppa över alla",
  "first.place": "Var är det här hemmet?",
  "first.sticks": "Radior som väntar på användning",
  "first.pair": "Lägg till enheter",
  "first.rooms": "Placera enheter i rum",
  "first.rules": "Låt regler göra jobbet",
  "first.pairHow": {
    one: "Hemmet har {n} enhet. Hubben hittar fler när du ber den söka.",
    other: "Hemmet har {n} enheter. Hubben hittar fler när du ber den söka.",
  },
  "first.takeStick": "Använd {model}",
  "first.stickTaken": "{model} används",
  "first.rulesHow":
    "Hubben föreslår regler som passar hemmet. Varje kan prövas på det förflutna innan den sparas.",
  "first.toRules": "Till förslagen",
  "place.name": "Hemmets namn",
  "place.zone": "Tidszon",
  "place.here": "Använd {zone}, som den här enheten",
  "place.saved": "Sparat",
  "place.ofZone": "Solen är den i tidszonens stad. Ange noggrannare",
  "place.exact": "Plats, för solens tider",
  "place.latitude": "Latitud, grader nord",
  "place.longitude": "Longitud, grader öst",
  "place.how": "Det du ändrar här sparas när du lämnar fältet.",
};
