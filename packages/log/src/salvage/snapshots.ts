import { closeSync, existsSync, openSync } from "node:fs";
import { readBase } from "../base.ts";
import type { Snapshot } from "../event-log.ts";
import { dataFile } from "../lmdb-file.ts";
import { readSnapshot } from "../snapshot.ts";
import { LmdbPages, type Value } from "./pages.ts";

/**
 * Returns the newest whole snapshot and the newest whole base of a log, in whatever state the rest of its file
 * is. Like `salvage`, it reads the pages without LMDB. Both may be ahead of the commits that can still be read.
 * @param formats the format of the snapshot and of the base
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

/** Reads the parts of snapshots in a file. */
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
