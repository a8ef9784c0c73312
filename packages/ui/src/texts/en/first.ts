import type { Text } from "../text.ts";

/** The texts of the first steps in a new home and of its place, in English. */
export const first = {
  "first.title": "First steps",
  "first.next": "Done, or not now",
  "first.end": "Leave out all of these",
  "first.place": "Where is this home?",
  "first.sticks": "Radios that wait for a use",
  "first.pair": "Add devices",
  "first.rooms": "Put devices into rooms",
  "first.rules": "Let rules do the work",
  "first.pairHow": {
    one: "The home has {n} device. The hub finds more when you ask it to search.",
    other: "The home has {n} devices. The hub finds more when you ask it to search.",
  },
  "first.takeStick": "Use {model}",
  "first.stickTaken": "{model} is in use",
  "first.rulesHow":
    "The hub proposes rules that fit this home. Each can be tried on the past before it is saved.",
  "first.toRules": "To the proposals",
  "place.name": "Name of the home",
  "place.zone": "Time zone",
  "place.here": "Use {zone}, as this device does",
  "place.saved": "Saved",
  "place.ofZone": "The sun is that of the time zone's city. Say more exactly",
  "place.exact": "Place, for the times of the sun",
  "place.latitude": "Latitude, degrees north",
  "place.longitude": "Longitude, degrees east",
  "place.how": "What you change here is saved when you leave the field.",
} as const satisfies Readonly<Record<string, Text>>;
