import { closeSync, existsSync, openSync } from "node:fs";
import { readBase } from "../base.ts";
import type { Snapshot } from "../event-log.ts";
import { dataFile } from "../lmdb-file.ts";
import { readSnapshot } from "../snapshot.ts";
import { LmdbPages, type Value } from "./pages.ts";

/**
 * The newest whole snapshot and the newest whole base of a log, whatever else has become of its file. As `salvage`,
 * it reads the pages without LMDB. Either may be ahead of the commits that can still be read.
 * @param formats of each
 */
export function salvageSnapshots(
  folder: string,
  formats: { readonly snapshot: string; readonly base: string },
): { readonly snapshot: Snapshot | undefined; readonly base: Snapshot | undefined } {
  const path = dataFile(folder);
  const descriptor = existsSync(path) ? openSync(path, "r") : undefined;
  if (descriptor === undefined) return { snapshot: undefined, base: undefined };
  try {
    const parts = partsIn(LmdbPages.open(descriptor));
    const snapshot = readSnapshot(parts, formats.snapshot, Number.MAX_SAFE_INTEGER);
    const base = readBase(parts, ({ format }) => format === formats.base);
    return { snapshot, base };
  } finally {
    closeSync(descriptor);
  }
}

/** The parts of snapshots that a file holds. */
function partsIn(pages: LmdbPages | undefined): {
  readonly readSnapshotPart: (key: string) => Buffer | undefined;
  readonly snapshotKeys: (prefix: string) => readonly string[];
} {
  const values = new Map<string, Value>();
  for (const found of pages?.values("snapshot") ?? [])
    if (!("problem" in found)) values.set(found.key.toString("latin1").replace(/\0$/, ""), found);
  return {
    readSnapshotPart: (key) => {
      const value = values.get(key);
      return value && pages?.read(value);
    },
    snapshotKeys: (prefix) => [...values.keys()].filter((key) => key.startsWith(prefix)).toSorted(),
  };
}
