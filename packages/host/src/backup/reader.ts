import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Commit } from "@ledge/model";
import type { BackupFile, BackupHeader, BackupSummary, SecretField, SectionHead } from "./format.ts";
import {
  BackupError,
  backupFormat,
  chainBytes,
  checksum,
  checksumBytes,
  decodeHead,
  firstChain,
  magic,
  nextChain,
  sectionHeaderBytes,
} from "./format.ts";
import { unseal } from "./seal.ts";
import { shapeProblem } from "./shape.ts";
import { putSecrets } from "./secrets.ts";

/** A part of a backup, in order. Without a key the sealed parts are skipped. */
export type BackupPart =
  | { readonly header: BackupHeader }
  | { readonly settings: readonly BackupFile[] }
  | { readonly files: readonly BackupFile[] }
  | { readonly commits: readonly Commit[] }
  | { readonly end: BackupSummary };

/** The result of a walk through a whole backup. */
export interface BackupVerification {
  readonly header: BackupHeader | undefined;
  readonly commits: number;
  readonly events: number;
  readonly first: number;
  readonly last: number;
  /** The first damage: after the commit at `timestamp`, 0 when it is before all commits. */
  readonly damage: { readonly timestamp: number; readonly problem: string } | undefined;
}

/**
 * Walks through a whole backup.
 * @throws BackupError `newer`, and the error of `node:fs`; damage is returned, not thrown
 */
export function verifyBackup(path: string): BackupVerification {
  const found = { commits: 0, events: 0, first: 0, last: 0 };
  let header: BackupHeader | undefined;
  try {
    for (const part of readBackup(path, undefined)) {
      if ("header" in part) ({ header } = part);
      if (!("commits" in part)) continue;
      for (const { timestamp, events } of part.commits) {
        found.commits += 1;
        found.events += events.length;
        found.first ||= timestamp;
        found.last = timestamp;
      }
    }
  } catch (error) {
    if (!(error instanceof BackupError) || error.problem === "newer") throw error;
    return { header, ...found, damage: { timestamp: found.last, problem: error.message } };
  }
  return { header, ...found, damage: undefined };
}

/**
 * Reads the header of a backup without checking what follows.
 * @throws BackupError
 */
export function readHeader(path: string): BackupHeader {
  for (const part of readBackup(path, undefined)) if ("header" in part) return part.header;
  throw new BackupError("damaged", `${path} has no header`);
}

/**
 * Reads a backup section by section. What it yields has been checked against the chain; when it ends without
 * an error, the whole file is sound.
 * @throws BackupError, or the error of `node:fs`
 */
export function* readBackup(path: string, key: Buffer | undefined): Generator<BackupPart, void> {
  const file = openSync(path, "r");
  try {
    yield* new BackupReader(path, file, key).parts();
  } finally {
    closeSync(file);
  }
}

class BackupReader {
  readonly #path: string;
  readonly #file: number;
  readonly #key: Buffer | undefined;
  readonly #size: number;
  readonly #checksum = checksum();
  #position = 0;
  #chain: Uint8Array = firstChain;
  #place = 0;
  #secrets: readonly SecretField[] = [];
  #counted = { commits: 0, events: 0, first: 0, last: 0 };

  constructor(path: string, file: number, key: Buffer | undefined) {
    this.#path = path;
    this.#file = file;
    this.#key = key;
    this.#size = fstatSync(file).size;
  }

  *parts(): Generator<BackupPart, void> {
    if (!this.#read(Math.min(magic.length, this.#size)).equals(magic))
      throw this.#damaged("it is not a backup of this product, or one of a later release");
    for (;;) {
      const part = this.#part();
      if (part !== undefined) yield part;
      if (part !== undefined && "end" in part) return;
    }
  }

  #part(): BackupPart | undefined {
    const { head, payload } = this.#section();
    const isSealed = head.kind === "files" || head.kind === "secrets";
    if (isSealed && this.#key === undefined) return undefined;
    const packed = isSealed ? unseal(this.#key as Buffer, this.#place - 1, payload) : payload;
    const content = this.#opened(packed, head);
    const problem = shapeProblem(head.kind, content);
    if (problem !== undefined) throw this.#damaged(`it has an unknown section: ${problem}`);
    switch (head.kind) {
      case "header":
        return { header: this.#header(content as BackupHeader) };
      case "settings":
        return { settings: content as BackupFile[] };
      case "files":
        return { files: content as BackupFile[] };
      case "secrets":
        this.#secrets = content as SecretField[];
        return undefined;
      case "commits":
        return { commits: this.#commits(content as Commit[], head) };
      case "end":
        return { end: this.#end(content as BackupSummary) };
    }
  }

  #section(): { head: SectionHead; payload: Buffer } {
    const headBytes = this.#read(sectionHeaderBytes);
    const head = decodeHead(headBytes);
    if (typeof head === "string") throw this.#damaged(head);
    if ((head.kind === "header") !== (this.#place === 0))
      throw this.#damaged("its sections are out of order");
    const payload = this.#read(head.bytes);
    const chain = nextChain(this.#chain, headBytes, payload);
    if (!this.#read(chainBytes).equals(chain)) throw this.#damaged("a wrong hash");
    this.#chain = chain;
    this.#place += 1;
    return { head, payload };
  }

  #opened(packed: Buffer, { openedBytes }: SectionHead): unknown {
    try {
      const json = gunzipSync(packed, { maxOutputLength: openedBytes + 1 });
      if (json.length !== openedBytes) throw new Error("its length is not the stated one");
      return JSON.parse(json.toString("utf8"));
    } catch (cause) {
      throw this.#damaged(`a section cannot be opened: ${(cause as Error).message}`);
    }
  }

  #header(header: BackupHeader): BackupHeader {
    if (header.format > backupFormat)
      throw new BackupError(
        "newer",
        `${this.#path} was made by release ${header.release}: use that or a later`,
      );
    return header;
  }

  #commits(open: readonly Commit[], head: SectionHead): readonly Commit[] {
    const commits = putSecrets(open, this.#secrets);
    this.#secrets = [];
    const counted = this.#counted;
    for (const { timestamp, events } of commits) {
      if (timestamp <= counted.last) throw this.#damaged(`timestamp ${timestamp} follows ${counted.last}`);
      counted.commits += 1;
      counted.events += events.length;
      counted.first ||= timestamp;
      counted.last = timestamp;
    }
    if (commits.length !== head.commits) throw this.#damaged("a section has lost commits");
    return commits;
  }

  #end(summary: BackupSummary): BackupSummary {
    const { commits, events, first, last } = this.#counted;
    const isSame =
      summary.commits === commits &&
      summary.events === events &&
      summary.first === first &&
      summary.last === last;
    if (!isSame) throw this.#damaged("its commits do not match its summary");
    const sum = this.#checksum.digest();
    if (!this.#readUnchecked(checksumBytes).equals(sum)) throw this.#damaged("a wrong checksum at its end");
    if (this.#position !== this.#size) throw this.#damaged("it continues after its end");
    return summary;
  }

  #read(length: number): Buffer {
    const bytes = this.#readUnchecked(length);
    this.#checksum.update(bytes);
    return bytes;
  }

  #readUnchecked(length: number): Buffer {
    if (this.#position + length > this.#size) throw this.#damaged("it is cut short");
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length;) {
      const read = readSync(this.#file, bytes, at, length - at, this.#position + at);
      if (read === 0) throw this.#damaged("it is cut short");
      at += read;
    }
    this.#position += length;
    return bytes;
  }

  #damaged(problem: string): BackupError {
    return new BackupError("damaged", `${this.#path} is damaged at byte ${this.#position}: ${problem}`);
  }
}
