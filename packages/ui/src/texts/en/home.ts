import type { Text } from "../text.ts";

/** The texts of the home, its rooms and alarms, in English. */
export const home = {
  "summary.setTo": "set to {value}",
  "summary.openBy": "{value} open",
  "home.scenes": "Scenes",
  "home.editScenes": "Edit scenes",
  "home.noRoom": "Without a room",
  "home.empty": "There are no devices yet.",
  "home.emptyHow": "As soon as the hub has found some, they are here.",
  "home.alarms": { one: "{n} open alarm", other: "{n} open alarms" },
  "home.open": "Show {name}",
  "favourite.one": "Favourite",
  "favourite.all": "Favourites",
  "favourite.made": "{name} is a favourite now",
  "favourite.gone": "{name} is no favourite any more",
  "rooms.title": "Your devices are in no rooms yet",
  "rooms.how": "Their names suggest these rooms. Choose those that you want.",
  "rooms.none": "Their names suggest no rooms. Each device can be put into a room on its own page.",
  "rooms.count": { one: "{n} device", other: "{n} devices" },
  "rooms.apply": "Make these rooms",
  "rooms.made": "The rooms are made",
  "alarms.title": "Alarms",
  "alarms.none": "No alarm is open.",
  "alarms.close": "Close the alarm",
  "alarms.closed": "The alarm is closed",
  "alarms.closeAll": "Close all {n}",
  "alarms.closedAll": "{n} alarms are closed",
  "presence.say": "This device says that I am at home",
  "presence.how":
    "While this page is in sight here, on the network of the home, rules about who comes and goes take you to be at home, and for half an hour after. A page that is closed or hidden says nothing: with a phone in the pocket you then count as away.",
} as const satisfies Readonly<Record<string, Text>>;
