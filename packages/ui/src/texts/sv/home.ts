import type { home as english } from "../en/home.ts";
import type { Translated } from "../text.ts";

/** The texts of the home, its rooms and alarms, in Swedish. */
export const home: Translated<typeof english> = {
  "summary.setTo": "inställd på {value}",
  "summary.openBy": "{value} öppen",
  "home.scenes": "Scener",
  "home.editScenes": "Redigera scener",
  "home.noRoom": "Utan rum",
  "home.empty": "Det finns inga enheter ännu.",
  "home.emptyHow": "De visas här så snart hubben har hittat några.",
  "home.alarms": { one: "{n} öppet larm", other: "{n} öppna larm" },
  "home.open": "Visa {name}",
  "favourite.one": "Favorit",
  "favourite.all": "Favoriter",
  "favourite.made": "{name} är nu en favorit",
  "favourite.gone": "{name} är inte längre en favorit",
  "rooms.title": "Dina enheter är inte i några rum ännu",
  "rooms.how": "Deras namn föreslår de här rummen. Välj de som du vill ha.",
  "rooms.none": "Deras namn föreslår inga rum. Varje enhet kan placeras i ett rum på sin egen sida.",
  "rooms.count": { one: "{n} enhet", other: "{n} enheter" },
  "rooms.apply": "Skapa rummen",
  "rooms.made": "Rummen är skapade",
  "alarms.title": "Larm",
  "alarms.none": "Inget larm är öppet.",
  "alarms.close": "Stäng larmet",
  "alarms.closed": "Larmet är stängt",
  "alarms.closeAll": "Stäng alla {n}",
  "alarms.closedAll": "{n} larm är stängda",
  "presence.say": "Den här enheten säger att jag är hemma",
  "presence.how":
    "Medan den här sidan syns här, på hemmets nät, räknar regler om vem som kommer och går dig som hemma, och en halvtimme efteråt. En sida som är stängd eller dold säger ingenting: med telefonen i fickan räknas du då som borta.",
};
