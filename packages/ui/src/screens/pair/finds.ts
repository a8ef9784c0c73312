import type { Find, ScanDelta } from "../../api/pairing.ts";

/** What a search has found, by id, in the order of discovery. */
export type Finds = ReadonlyMap<string, Find>;

/** Returns what is found after an answer of the hub. */
export function merged(known: Finds, { full, devices }: ScanDelta): Finds {
  const news = devices.map((find) => [find.id, find] as const);
  return new Map(full ? news : [...known, ...news]);
}

/** Returns what the search no longer finds. */
export function goneOf(before: Finds, after: Finds): readonly Find[] {
  return [...before.values()].filter(({ id }) => !after.has(id));
}

/** How far the pairing of a find is: `asked` waits for somebody to do something. */
export type Stage = "joining" | "asked" | "joined" | "ready";

/** Returns how far the pairing of a find is. */
export function stageOf({ pairingStatus, actionRequired }: Find): Stage {
  if (actionRequired) return "asked";
  if (pairingStatus === "CONNECTING") return "joining";
  return pairingStatus === "CONNECTED" ? "joined" : "ready";
}

/** Whether a find becomes a device if it is chosen and the search ends now (hub-api 2.4). */
export function isReady({ pairingStatus, status }: Find): boolean {
  return status !== null && pairingStatus !== "CONNECTING";
}

/** What becomes of the finds if the search ends now: `early` are chosen but not ready, and are not kept either. */
export interface Ending {
  readonly kept: readonly Find[];
  readonly early: readonly Find[];
  readonly left: readonly Find[];
}

/** Returns what becomes of the finds if the search ends now. */
export function endingOf(finds: Finds): Ending {
  const all = [...finds.values()];
  const chosen = all.filter(({ ignored }) => !ignored);
  return {
    kept: chosen.filter(isReady),
    early: chosen.filter((find) => !isReady(find)),
    left: all.filter(({ ignored }) => ignored),
  };
}
