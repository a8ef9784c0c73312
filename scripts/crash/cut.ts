// Computes what a power cut leaves of the files that a process was writing. Pure: operations and chance in, files
// out.
import { posix } from "node:path";
import { applyName, type Change, Disk, Image } from "./disk.ts";
import type { Operation } from "./operations.ts";
import type { Random } from "./random.ts";

/** A disk writes a sector completely or not at all. */
const sectorBytes = 512;

/** Files by path. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** What happens to a change that no flush covered. */
type Fate = "kept" | "dropped" | "torn" | "sized";

/**
 * The file in which the process under test reports which commits it offered and which were acknowledged. It is
 * never cut.
 */
export const said = "said";
/** LMDB's table of readers: shared memory, meaningless after a power cut. */
const shared = "lock.mdb";

/**
 * Returns the files after a power cut behind the first `position` operations. Chance decides for every change
 * without a completed flush of its file whether it is on disk: completely, in part, or not. Order plays no role.
 * @param base the files on disk before the first operation
 */
export function cutAt(
  base: Files,
  operations: readonly Operation[],
  position: number,
  random: Random,
): Files {
  const disk = new Disk(base);
  const noted: Uint8Array[] = [base.get(said) ?? Buffer.alloc(0)];
  for (const operation of operations.slice(0, position)) {
    if ("name" in operation && operation.name === said) {
      if (operation.kind === "write") noted.push(operation.bytes);
    } else if (!("name" in operation) || posix.basename(operation.name) !== shared) {
      disk.follow(operation);
    }
  }
  const contents = contentsOf(disk, random);
  const files = new Map<string, Uint8Array>();
  for (const [name, content] of base) {
    if (!disk.everNamed.has(name) && posix.basename(name) !== shared) files.set(name, content);
  }
  for (const [name, inode] of namesOf(disk, random)) {
    const content = contents.get(inode);
    if (content !== undefined) files.set(name, content);
  }
  return files.set(said, Buffer.concat(noted));
}

/** Returns contents by inode, without files that never reached the disk. */
function contentsOf(disk: Disk, random: Random): Map<string, Uint8Array> {
  const inodes = [...disk.files.keys()];
  // The disk has written one file and not yet the others.
  const favoured = inodes.length > 0 && random.chance(0.3) ? random.pick(inodes) : undefined;
  const weights = random.pick<readonly Fate[]>([
    ["kept", "dropped", "torn", "sized"],
    ["kept", "kept", "kept", "kept", "kept", "torn"],
    ["dropped", "dropped", "dropped", "dropped", "sized", "kept"],
    ["kept", "dropped"],
  ]);
  const contents = new Map<string, Uint8Array>();
  for (const [inode, { durable, pending }] of disk.files) {
    for (const { change } of pending) {
      let fate = random.pick(weights);
      if (favoured !== undefined) fate = inode === favoured ? "kept" : "dropped";
      applyPart(durable, change, fate, random);
    }
    contents.set(inode, durable.content);
  }
  return contents;
}

function applyPart(image: Image, change: Change, fate: Fate, random: Random): void {
  if (fate === "dropped") return;
  if (change.kind === "truncate" || fate === "kept") {
    image.apply(change);
    return;
  }
  const { position, bytes } = change;
  if (fate === "sized") {
    image.extend(position + bytes.length);
    return;
  }
  const isPrefix = random.chance(0.5);
  const prefix = random.below(bytes.length + 1);
  for (let from = 0; from < bytes.length;) {
    const sectorEnd = (Math.floor((position + from) / sectorBytes) + 1) * sectorBytes - position;
    const to = Math.min(sectorEnd, bytes.length);
    const isThere = isPrefix ? from < prefix : random.chance(0.5);
    if (isThere) image.apply({ kind: "write", position: position + from, bytes: bytes.subarray(from, to) });
    from = to;
  }
}

/** Applies changes of names in order, because a file system journals them. */
function namesOf(disk: Disk, random: Random): Map<string, string> {
  const names = new Map(disk.names);
  const reached = random.below(disk.nameChanges.length + 1);
  for (const change of disk.nameChanges.slice(0, reached)) applyName(names, change);
  return names;
}
