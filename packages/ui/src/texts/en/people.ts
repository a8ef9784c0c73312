import type { Text } from "../text.ts";

/** The texts of the people and their keys, in English. */
export const people = {
  "people.title": "People",
  "people.letIn": "Let somebody in",
  "people.letInHow": "Their browser shows a code. Type it here.",
  "people.code": "Code",
  "people.look": "Look",
  "people.asks": "{name} at {address} asks to come in.",
  "people.as": "Let in as",
  "people.myself": "myself",
  "people.panel": "a panel on the wall",
  "people.approve": "Let in",
  "people.approved": "{name} is let in",
  "people.keys": "Devices that are in",
  "people.noKeys": "No device has a key of the hub itself.",
  "people.until": "until {time}",
  "people.current": "this device",
  "people.revoke": "Shut out {name}",
  "people.revoked": "{name} is shut out",
  "people.all": "Who may do what",
  "role.64": "owner: may do everything",
  "role.32": "administrator: may set up the home and its people",
  "role.8": "member: may use and arrange everything",
  "role.4": "guest from afar: may look",
  "role.2": "guest: may use the home on its network",
} as const satisfies Readonly<Record<string, Text>>;
