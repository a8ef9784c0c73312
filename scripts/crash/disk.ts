// A disk with a cache, as seen in the recorded system calls of a process.
import { posix } from "node:path";
import type { Operation } from "./operations.ts";

/** A change of a file's content that is not on disk yet. */
export type Change =
  | { readonly kind: "write"; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly size: number };

interface Pending {
  readonly ticket: string;
  change: Change;
  /** Whether the call has returned, so that a later flush covers it. */
  ended: boolean;
}

interface FileOnDisk {
  /** What a power cut leaves in any case. */
  readonly durable: Image;
  pending: Pending[];
}

/** A change in a folder, which is on disk only after a flush of the folder. */
type NameChange =
  | { readonly kind: "rename"; readonly from: string; readonly to: string; readonly inode: string }
  | { readonly kind: "unlink"; readonly name: string };

/** The content of a file, which grows as it is written to. */
export class Image {
  #buffer: Buffer;
  #size: number;

  constructor(content: Uint8Array = Buffer.alloc(0)) {
    this.#buffer = Buffer.from(content);
    this.#size = content.length;
  }

  get content(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  apply(change: Change): void {
    if (change.kind === "truncate") {
      if (change.size < this.#size) this.#buffer.fill(0, change.size, this.#size);
      this.extend(change.size);
      this.#size = change.size;
    } else {
      this.extend(change.position + change.bytes.length);
      change.bytes.copy(this.#buffer, change.position);
    }
  }

  /** Extends the content with zeros up to a size. Never shrinks it. */
  extend(size: number): void {
    if (size > this.#buffer.length) {
      const grown = Buffer.alloc(Math.max(size, 2 * this.#buffer.length));
      this.#buffer.copy(grown);
      this.#buffer = grown;
    }
    this.#size = Math.max(this.#size, size);
  }
}

/** Follows the operations one by one, and knows at any point what is on disk and what may be. */
export class Disk {
  /** Files by inode. */
  readonly files = new Map<string, FileOnDisk>();
  /** Names on disk with their inodes, for the files in the operations. */
  readonly names = new Map<string, string>();
  /** Every name that one of these files has had on disk, or may have. */
  readonly everNamed = new Set<string>();
  nameChanges: NameChange[] = [];
  /** Flushes in progress, by ticket, with their effect. */
  readonly #flushes = new Map<string, () => void>();
  /** Writes in progress, by ticket. */
  readonly #begun = new Map<
    string,
    { readonly file: FileOnDisk; readonly pending: Pending; readonly synchronous: boolean }
  >();
  readonly #base: ReadonlyMap<string, Uint8Array>;

  /** @param base files that were already on disk, by name */
  constructor(base: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#base = base;
  }

  follow(operation: Operation): void {
    switch (operation.kind) {
      case "write": {
        const { position, bytes, isSynchronous } = operation;
        this.#begin(operation, { kind: "write", position, bytes }, isSynchronous);
        break;
      }
      case "truncate":
        this.#begin(operation, { kind: "truncate", size: operation.size }, false);
        break;
      case "flush":
        this.#beginFlush(operation);
        break;
      case "rename":
        this.#file(operation);
        this.everNamed.add(operation.to);
        this.nameChanges.push({
          kind: "rename",
          from: operation.name,
          to: operation.to,
          inode: operation.inode,
        });
        break;
      case "unlink":
        this.#file(operation);
        this.nameChanges.push({ kind: "unlink", name: operation.name });
        break;
      case "lose":
        this.#lose(operation);
        break;
      case "end":
        this.#end(operation);
    }
  }

  #file({ inode, name }: { readonly inode: string; readonly name: string }): FileOnDisk {
    let file = this.files.get(inode);
    if (file === undefined) {
      file = { durable: new Image(this.#base.get(name)), pending: [] };
      this.files.set(inode, file);
      // On every file system that journals names, the flush of a new file also stores its name.
      this.names.set(name, inode);
      this.everNamed.add(name);
    }
    return file;
  }

  #begin(
    operation: { ticket: string; inode: string; name: string },
    change: Change,
    synchronous: boolean,
  ): void {
    const file = this.#file(operation);
    const pending = { ticket: operation.ticket, change, ended: false };
    file.pending.push(pending);
    this.#begun.set(operation.ticket, { file, pending, synchronous });
  }

  #beginFlush({ ticket, inode, name }: { ticket: string; inode: string; name: string }): void {
    const file = this.files.get(inode);
    const covered = new Set(file?.pending.filter(({ ended }) => ended));
    const named = new Set(this.nameChanges.filter((change) => posix.dirname(nameOf(change)) === name));
    this.#flushes.set(ticket, () => {
      if (file !== undefined) settle(file, covered);
      for (const change of named) applyName(this.names, change);
      this.nameChanges = this.nameChanges.filter((change) => !named.has(change));
    });
  }

  #end({ ticket, result }: { readonly ticket: string; readonly result: number }): void {
    if (result >= 0) this.#flushes.get(ticket)?.();
    this.#flushes.delete(ticket);
    const begun = this.#begun.get(ticket);
    if (begun === undefined) return;
    this.#begun.delete(ticket);
    const { file, pending, synchronous } = begun;
    const { change } = pending;
    if (change.kind === "write" && result < change.bytes.length) {
      pending.change = { ...change, bytes: change.bytes.subarray(0, Math.max(result, 0)) };
    }
    pending.ended = true;
    if (synchronous && result >= 0) settle(file, new Set([pending]));
  }

  #lose({ inode, ticket }: { readonly inode: string; readonly ticket: string }): void {
    const file = this.files.get(inode);
    if (file === undefined) return;
    file.pending = file.pending.filter((pending) => !pending.ended && pending.ticket !== ticket);
  }
}

function settle(file: FileOnDisk, covered: ReadonlySet<Pending>): void {
  for (const [index, pending] of file.pending.entries()) {
    if (!covered.has(pending)) continue;
    file.durable.apply(pending.change);
    for (const earlier of file.pending.slice(0, index))
      earlier.change = superseded(earlier.change, pending.change);
  }
  file.pending = file.pending.filter((pending) => !covered.has(pending));
}

/**
 * Returns the part of an earlier change that can still reach the disk: where both wrote, the cache has the later
 * bytes.
 */
function superseded(earlier: Change, later: Change): Change {
  if (earlier.kind !== "write" || later.kind !== "write") return earlier;
  const from = Math.max(earlier.position, later.position);
  const to = Math.min(earlier.position + earlier.bytes.length, later.position + later.bytes.length);
  if (from >= to) return earlier;
  const bytes = Buffer.from(earlier.bytes);
  later.bytes.copy(bytes, from - earlier.position, from - later.position, to - later.position);
  return { ...earlier, bytes };
}

function nameOf(change: NameChange): string {
  return change.kind === "rename" ? change.to : change.name;
}

export function applyName(names: Map<string, string>, change: NameChange): void {
  if (change.kind === "rename") {
    if (names.get(change.from) === change.inode) names.delete(change.from);
    names.set(change.to, change.inode);
  } else {
    names.delete(change.name);
  }
}
