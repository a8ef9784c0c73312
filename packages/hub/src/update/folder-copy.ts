import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { socketPath } from "@ledge/host/lock";
import { flushFolder } from "@ledge/log";
import { trialPrefix } from "../start/log-task.ts";
import { updateFolder } from "./update-file.ts";

/** What of a data folder belongs to its log: all but updates, the socket, and what is half-written. */
function entriesOf(folder: string): string[] {
  const others = new Set([basename(updateFolder(folder)), basename(socketPath(folder))]);
  return readdirSync(folder).filter(
    (name) => !others.has(name) && !name.startsWith(trialPrefix) && !name.endsWith(".new"),
  );
}

/** Returns the bytes of files that a copy of a data folder would have. */
export function sizeOfCopy(folder: string): number {
  return entriesOf(folder).reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);
}

/**
 * Copies a data folder that no hub has open, for an older release that cannot read what a newer one writes. A copy
 * that is there is whole, and stays.
 */
export function copyFolder(folder: string): void {
  const { copy, fresh, newer } = pathsIn(folder);
  if (existsSync(copy)) return;
  rmSync(fresh, { recursive: true, force: true });
  rmSync(newer, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  for (const name of entriesOf(folder)) copyInto(join(folder, name), join(fresh, name));
  flushFolder(fresh);
  renameSync(fresh, copy);
  flushFolder(updateFolder(folder));
}

/** Removes the copy, because the other slot gets another release. */
export function forgetCopy(folder: string): void {
  for (const path of Object.values(pathsIn(folder))) rmSync(path, { recursive: true, force: true });
}

/**
 * Puts the copy in the place of the data folder's contents, which are kept until the next update. An interrupted
 * run is completed by the next one.
 * @returns whether there was a copy
 */
export function restoreCopy(folder: string): boolean {
  const { copy, newer } = pathsIn(folder);
  if (!existsSync(copy)) return false;
  const isAside = join(newer, "whole");
  if (!existsSync(isAside)) {
    mkdirSync(newer, { recursive: true, mode: 0o700 });
    for (const name of entriesOf(folder)) renameSync(join(folder, name), join(newer, name));
    closeSync(openSync(isAside, "w", 0o600));
    flushFolder(newer);
  }
  for (const name of readdirSync(copy)) renameSync(join(copy, name), join(folder, name));
  flushFolder(folder);
  rmSync(copy, { recursive: true });
  flushFolder(updateFolder(folder));
  return true;
}

/** `copy`: of before the newer release began; `fresh`: one that is being made; `newer`: what was put aside for it. */
function pathsIn(folder: string): Readonly<Record<"copy" | "fresh" | "newer", string>> {
  const within = updateFolder(folder);
  return { copy: join(within, "before"), fresh: join(within, "before.new"), newer: join(within, "newer") };
}

function copyInto(from: string, to: string): void {
  const found = statSync(from);
  if (found.isDirectory()) {
    mkdirSync(to, { mode: 0o700 });
    for (const name of readdirSync(from)) copyInto(join(from, name), join(to, name));
    flushFolder(to);
  } else if (found.isFile()) {
    copyFileSync(from, to);
    const file = openSync(to, "r+");
    fsyncSync(file);
    closeSync(file);
  }
}

function sizeOf(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
