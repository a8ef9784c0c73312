import { fstatSync, readSync } from "node:fs";
import { newestMeta, type Meta } from "../lmdb-file.ts";

/*
 * Reads an LMDB file page by page without LMDB, which ends the process at a damaged page and shows nothing after
 * it. Offsets count within a page, numbers are little-endian. Source: `MDB_page_header`, `MDB_node` and `MDB_db`
 * in liblmdb/mdb.c.
 */
const numberAt = 0;
const flagsAt = 18;
const lowerAt = 20;
const upperAt = 22;
const pageHeaderBytes = 24;
const isBranch = 0x01;
const isLeaf = 0x02;
const isOverflow = 0x04;

const nodeHeaderBytes = 8;
/** The value has pages of its own. */
const isBig = 0x01;
/** Size of the reference to these pages: first page, transaction, number of pages; `MDB_ovpage`. */
const bigBytes = 24;
const entriesAt = 32;
const rootAt = 40;
const databaseBytes = 48;

const noPage = 0xffff_ffff_ffff_ffffn;

/** The place of a value in the file. */
export interface Value {
  readonly key: Buffer;
  readonly position: number;
  readonly length: number;
}

/** A part of a tree that cannot be read. */
export interface Unreadable {
  readonly problem: string;
}

interface Node {
  readonly key: Buffer;
  readonly flags: number;
  /** In a leaf the length of the value, in a branch unused. */
  readonly length: number;
  /** Where the value begins in the page. */
  readonly start: number;
  /** In a branch the page below. */
  readonly page: bigint;
  /** How much of the page the entry takes, an even number. */
  readonly bytes: number;
}

export class LmdbPages {
  readonly #descriptor: number;
  readonly #meta: Meta;
  readonly #size: number;

  /** @returns undefined when neither meta page can be read, so that the file's trees cannot be found */
  static open(descriptor: number): LmdbPages | undefined {
    const meta = newestMeta(descriptor);
    return meta === undefined ? undefined : new LmdbPages(descriptor, meta);
  }

  private constructor(descriptor: number, meta: Meta) {
    this.#descriptor = descriptor;
    this.#meta = meta;
    this.#size = fstatSync(descriptor).size;
  }

  /** Whether these are the trees of the newest transaction, as far as the meta pages tell. */
  get isNewest(): boolean {
    return this.#meta.isNewest;
  }

  /** Yields the values of a named database in the order of their keys, and what cannot be read between them. */
  *values(name: string): Generator<Value | Unreadable> {
    const seen = new Set<bigint>();
    let isThere = false;
    for (const found of this.#tree(this.#meta.mainRoot, seen)) {
      if ("problem" in found) {
        yield found;
      } else if (nameOf(found) === name && found.length === databaseBytes) {
        isThere = true;
        yield* this.#database(found, seen);
      }
    }
    if (!isThere) yield { problem: `the database "${name}" is missing` };
  }

  /**
   * Yields what a database holds. Reports a tree that seems whole but holds a different number of entries than
   * recorded.
   */
  *#database(named: Value, seen: Set<bigint>): Generator<Value | Unreadable> {
    const database = this.read(named);
    const root = database.readBigUInt64LE(rootAt);
    let entries = 0n;
    let isWhole = true;
    for (const found of root === noPage ? [] : this.#tree(root, seen)) {
      if ("problem" in found) isWhole = false;
      else entries += 1n;
      yield found;
    }
    const expected = database.readBigUInt64LE(entriesAt);
    if (isWhole && entries !== expected)
      yield { problem: `the database "${nameOf(named)}" has ${entries} entries instead of ${expected}` };
  }

  /** Yields what cannot be read in the list of free pages and in all databases. */
  problems(): Generator<string> {
    return this.problemsBeside(undefined);
  }

  /** Yields what cannot be read in the list of free pages and in all databases but the named one. */
  *problemsBeside(name: string | undefined): Generator<string> {
    const seen = new Set<bigint>();
    const { freeRoot, mainRoot } = this.#meta;
    const trees = freeRoot === noPage ? [] : [this.#tree(freeRoot, seen)];
    for (const found of this.#tree(mainRoot, seen)) {
      if ("problem" in found) yield found.problem;
      else if (found.length === databaseBytes && nameOf(found) !== name) {
        const root = this.read(found).readBigUInt64LE(rootAt);
        if (root !== noPage) trees.push(this.#tree(root, seen));
      }
    }
    for (const tree of trees) for (const found of tree) if ("problem" in found) yield found.problem;
  }

  /**
   * Reads a value.
   * @throws RangeError when the file is shorter
   */
  read({ position, length }: Pick<Value, "position" | "length">): Buffer {
    const bytes = Buffer.alloc(length);
    if (readSync(this.#descriptor, bytes, 0, length, position) < length)
      throw new RangeError(`the file ends before ${position + length}`);
    return bytes;
  }

  *#tree(number: bigint, seen: Set<bigint>): Generator<Value | Unreadable> {
    const page = seen.has(number) ? `page ${number}: used twice` : this.#page(number);
    if (typeof page === "string") {
      yield { problem: page };
      return;
    }
    seen.add(number);
    const kind = page.readUInt16LE(flagsAt) & (isBranch | isLeaf);
    for (const node of nodesOf(page)) {
      if (typeof node === "string") yield { problem: `page ${number}: ${node}` };
      else if (kind === isBranch) yield* this.#tree(node.page, seen);
      else yield this.#value(number, page, node);
    }
  }

  #value(number: bigint, page: Buffer, { key, flags, length, start }: Node): Value | Unreadable {
    if ((flags & isBig) === 0)
      return { key, position: Number(number) * this.#meta.pageBytes + start, length };
    const first = page.readBigUInt64LE(start);
    const position = Number(first) * this.#meta.pageBytes + pageHeaderBytes;
    if (position + length > this.#size) return { problem: `page ${first}: behind the end of the file` };
    return { key, position, length };
  }

  /** Returns a page of a tree, or a text that says what is wrong with it. */
  #page(number: bigint): Buffer | string {
    const { pageBytes, lastPage } = this.#meta;
    if (number > lastPage) return `page ${number}: not allocated`;
    const page = Buffer.alloc(pageBytes);
    const read = readSync(this.#descriptor, page, 0, pageBytes, Number(number) * pageBytes);
    if (read < pageBytes) return `page ${number}: behind the end of the file`;
    if (page.readBigUInt64LE(numberAt) !== number) return `page ${number}: holds the number of another page`;
    const flags = page.readUInt16LE(flagsAt);
    const isTree = (flags & isBranch) === 0 ? (flags & isLeaf) !== 0 : (flags & isLeaf) === 0;
    return isTree && (flags & isOverflow) === 0 ? page : `page ${number}: not a page of a tree`;
  }
}

const nameOf = ({ key }: Value): string => key.toString("latin1").replace(/\0$/, "");

function* nodesOf(page: Buffer): Generator<Node | string> {
  const lower = page.readUInt16LE(lowerAt);
  if (lower % 2 !== 0 || lower + pageHeaderBytes > page.length) {
    yield "its header is damaged";
    return;
  }
  let bytes = 0;
  for (let at = pageHeaderBytes; at < pageHeaderBytes + lower; at += 2) {
    const node = nodeAt(page, pageHeaderBytes + page.readUInt16LE(at));
    bytes += node?.bytes ?? 0;
    yield node ?? "an entry is damaged";
  }
  // Entries fill a page from its end without a gap, so this finds a header that leaves some out.
  if (bytes !== page.length - pageHeaderBytes - page.readUInt16LE(upperAt)) yield "entries are missing";
}

function nodeAt(page: Buffer, at: number): Node | undefined {
  if (at + nodeHeaderBytes > page.length) return undefined;
  const length = page.readUInt32LE(at);
  const flags = page.readUInt16LE(at + 4);
  const start = at + nodeHeaderBytes + page.readUInt16LE(at + 6);
  if (start > page.length) return undefined;
  const isLeafNode = (page.readUInt16LE(flagsAt) & isLeaf) !== 0;
  const inPage = !isLeafNode ? 0 : (flags & isBig) === 0 ? length : bigBytes;
  if (start + inPage > page.length) return undefined;
  const key = page.subarray(at + nodeHeaderBytes, start);
  const bytes = (start + inPage - at + 1) & ~1;
  return { key, flags, length, start, page: BigInt(length) + (BigInt(flags) << 32n), bytes };
}
