import type { Key } from "../../texts/texts.ts";

/** The roles that people have (hub-api 5.3), the highest first. */
const people = [64, 32, 8, 4, 2] as const;
type PersonRole = (typeof people)[number];

/** The guest who comes in from afar alone, and only looks. */
const remoteGuest = 4;

/** What roles differ in: a row of the API stands for each. */
interface Right {
  readonly text: Key;
  readonly row: { readonly method: "get" | "put" | "post"; readonly path: string };
  /** The lowest role that may. */
  readonly least: PersonRole;
}

export const rights: readonly Right[] = [
  { text: "right.see", row: { method: "get", path: "/devices" }, least: 2 },
  { text: "right.switch", row: { method: "put", path: "/devices/command" }, least: 2 },
  { text: "right.past", row: { method: "get", path: "/timeline" }, least: 8 },
  { text: "right.arrange", row: { method: "put", path: "/rules" }, least: 8 },
  { text: "right.close", row: { method: "put", path: "/alarms/close" }, least: 8 },
  { text: "right.pair", row: { method: "put", path: "/devices/configuration" }, least: 32 },
  { text: "right.hub", row: { method: "get", path: "/hub/health" }, least: 32 },
  { text: "right.people", row: { method: "put", path: "/hub/users" }, least: 64 },
  { text: "right.backup", row: { method: "post", path: "/hub/backup" }, least: 64 },
];

/** Returns the roles that have a right, the highest first. */
export function mayOf({ least, row }: Right): readonly PersonRole[] {
  return people.filter((role) => role >= least && (role !== remoteGuest || row.method === "get"));
}
