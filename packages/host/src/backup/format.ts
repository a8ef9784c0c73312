import { createHash, hash } from "node:crypto";
import type { Commit } from "@ledge/model";
import { limits } from "@ledge/model";

/*
 * A backup is one file of sections. Numbers are little-endian.
 *
 * | bytes | content                                                     |
 * |------:|-------------------------------------------------------------|
 * |     8 | "LDGBKUP1"; its digit is the version of this table          |
 * |       | sections                                                    |
 * |    32 | SHA-256 of everything before                                |
 *
 * A section:
 *
 * | offset | bytes | content                                                                          |
 * |-------:|------:|----------------------------------------------------------------------------------|
 * |      0 |     4 | kind, as in `sectionKinds`                                                       |
 * |      4 |     4 | n, length of the payload as it stands here                                       |
 * |      8 |     4 | length of the payload when it is opened and decompressed                         |
 * |     12 |     4 | number of commits, 0 in all but `commits`                                        |
 * |     16 |     8 | timestamp of the first commit, ms since the epoch                                |
 * |     24 |     8 | timestamp of the last                                                            |
 * |     32 |     n | payload: JSON in gzip; in `secrets` and `files` sealed as `seal.ts` says         |
 * | 32 + n |    16 | chain: the first 16 bytes of SHA-256 over the chain before and the section so far |
 *
 * Sections in their order: `header` (BackupHeader), `settings` and `files` (BackupFile[], one file each; `files`
 * are left out without a passphrase), then for each part of the log `secrets` (SecretField[]; where there are any) and `commits`
 * (Commit[], secret fields null), last `end` (BackupSummary).
 */
export const magic: Buffer = Buffer.from("LDGBKUP1");
export const sectionKinds = { header: 1, settings: 2, files: 3, secrets: 4, commits: 5, end: 6 } as const;
export type SectionKind = keyof typeof sectionKinds;
export const sectionHeaderBytes = 32;
export const chainBytes = 16;
export const checksumBytes = 32;

/** The newest version of the sections' contents that this release reads. */
export const backupFormat = 1;

/** How to derive the key of the sealed sections from the passphrase; sizes as in RFC 7914, the salt in base64. */
export interface KeyDerivation {
  readonly name: "scrypt";
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
}

/** The owner of the log: one of the two. */
export interface Whose {
  readonly hubId?: string;
  /** For a cloud: its name in what it signs. */
  readonly issuer?: string;
}

export interface BackupHeader extends Whose {
  readonly format: number;
  /** The release that made the backup. */
  readonly release: string;
  /** When it was made (ms). */
  readonly created: number;
  /** It contains the commits up to this timestamp. */
  readonly timestamp: number;
  /** The horizon of the log (ms); absent when it was never compacted. */
  readonly horizon?: number;
  /** The name of the projections' format at the time of `BackupSummary.digest`. */
  readonly stateFormat: string;
  /** Absent when secrets were left out. */
  readonly key?: KeyDerivation;
}

export interface BackupSummary {
  readonly commits: number;
  readonly events: number;
  readonly first: number;
  readonly last: number;
  /** The timestamp of the newest commit that opened an epoch, 0 for none. */
  readonly epoch: number;
  /** The digest of the projections at the backup's timestamp: `digest.ts`. */
  readonly digest: string;
}

/** A file of the data folder; its path is relative, with slashes. */
export interface BackupFile {
  readonly path: string;
  readonly base64: string;
}

/** A field that was taken out of an event: of the event at `index` in the commit at `timestamp`. */
export interface SecretField {
  readonly timestamp: number;
  readonly index: number;
  readonly field: string;
  readonly value: unknown;
}

export interface SectionHead {
  readonly kind: SectionKind;
  readonly bytes: number;
  readonly openedBytes: number;
  readonly commits: number;
  readonly first: number;
  readonly last: number;
}

/** Why a file cannot be used as a backup. */
export type BackupProblem = "damaged" | "newer" | "passphrase" | "foreign";

export class BackupError extends Error {
  override readonly name = "BackupError";
  readonly problem: BackupProblem;
  constructor(problem: BackupProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/** Encodes the head of a section. */
export function encodeHead(head: SectionHead): Buffer {
  const bytes = Buffer.alloc(sectionHeaderBytes);
  bytes.writeUInt32LE(sectionKinds[head.kind], 0);
  bytes.writeUInt32LE(head.bytes, 4);
  bytes.writeUInt32LE(head.openedBytes, 8);
  bytes.writeUInt32LE(head.commits, 12);
  bytes.writeBigUInt64LE(BigInt(head.first), 16);
  bytes.writeBigUInt64LE(BigInt(head.last), 24);
  return bytes;
}

/** Decodes the head of a section from any 32 bytes, or returns what is wrong with it. */
export function decodeHead(bytes: Buffer): SectionHead | string {
  const code = bytes.readUInt32LE(0);
  const [kind] = Object.entries(sectionKinds).find(([, value]) => value === code) ?? [];
  if (kind === undefined) return "no section begins here";
  const head = {
    kind: kind as SectionKind,
    bytes: bytes.readUInt32LE(4),
    openedBytes: bytes.readUInt32LE(8),
    commits: bytes.readUInt32LE(12),
    first: Number(bytes.readBigUInt64LE(16)),
    last: Number(bytes.readBigUInt64LE(24)),
  };
  const isTooLarge = Math.max(head.bytes, head.openedBytes) > limits.backupSectionBytes;
  return isTooLarge ? "a section of an impossible size" : head;
}

/** Returns the chain after a section. */
export function nextChain(chain: Uint8Array, head: Uint8Array, payload: Uint8Array): Buffer {
  return hash("sha256", Buffer.concat([chain, head, payload]), "buffer").subarray(0, chainBytes);
}

/** The chain before the first section. */
export const firstChain: Uint8Array = new Uint8Array(chainBytes);

/** Starts the running checksum of a whole file. */
export const checksum = (): ReturnType<typeof createHash> => createHash("sha256");

/** Returns the first and last timestamp (ms) and the number of commits. */
export function rangeOf(commits: readonly Commit[]): Pick<SectionHead, "commits" | "first" | "last"> {
  return {
    commits: commits.length,
    first: commits[0]?.timestamp ?? 0,
    last: commits.at(-1)?.timestamp ?? 0,
  };
}
