import type { Difference } from "../../api/rows.ts";
import { compareTexts } from "../../store/collection.ts";

/** A device by its id and name. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** A room that names of devices suggest, such as Kitchen for "Kitchen ceiling" and "Kitchen motion". */
export interface Suggested {
  readonly name: string;
  readonly ids: readonly string[];
}

const least = 2;

/**
 * Returns the rooms that the names of devices suggest: the longest beginning of whole words that at least two devices
 * share, sorted by name. A device is in one room at most.
 */
export function suggestedRooms(devices: readonly Named[]): readonly Suggested[] {
  const beginnings = new Map<string, number>();
  for (const { name } of devices)
    for (const beginning of beginningsOf(name))
      beginnings.set(beginning, (beginnings.get(beginning) ?? 0) + 1);
  const rooms = new Map<string, string[]>();
  for (const { id, name } of devices) {
    const shared = beginningsOf(name).filter((beginning) => (beginnings.get(beginning) ?? 0) >= least);
    const longest = shared.at(-1);
    if (longest !== undefined) rooms.set(longest, [...(rooms.get(longest) ?? []), id]);
  }
  return [...rooms]
    .filter(([, ids]) => ids.length >= least)
    .map(([name, ids]) => ({ name, ids }))
    .toSorted((a, b) => compareTexts(a.name, b.name));
}

/** Returns the beginnings of a name in whole words, without the whole name, the shortest first. */
function beginningsOf(name: string): readonly string[] {
  const words = name.trim().split(/\s+/);
  return words.slice(0, -1).map((_, index) => words.slice(0, index + 1).join(" "));
}

/** What rooms would change in the home. */
export interface Effect {
  /** How many rooms are new. */
  readonly rooms: number;
  /** How many devices get into a room. */
  readonly devices: number;
  /** The names of all else that changes. */
  readonly others: readonly string[];
}

/** Returns what the differences that the hub has found come to. */
export function effectOf(differences: readonly Difference[]): Effect {
  const effect = { rooms: 0, devices: 0, others: [] as string[] };
  for (const { object, change, name } of differences)
    if (object === "room" && change === "create") effect.rooms++;
    else if (object === "device" && change === "change") effect.devices++;
    else effect.others.push(name);
  return effect;
}
