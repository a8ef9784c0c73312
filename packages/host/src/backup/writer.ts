import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import type { Commit } from "@ledge/model";
import { flushFolder } from "@ledge/log";
import type { BackupFile, BackupHeader, BackupSummary, SecretField, SectionKind } from "./format.ts";
import { checksum, encodeHead, firstChain, magic, nextChain, rangeOf } from "./format.ts";
import { seal } from "./seal.ts";
import { takeSecrets } from "./secrets.ts";
import type { BackupSubject } from "./subject.ts";

/** A part of the log ends after this many characters of JSON. */
const partChars = 524_288;

/**
 * Writes a backup. The file gets its name only when it is complete and on disk: until `finish` it is called
 * `<file>.new` (0600), and `abandon` removes it. Any call may throw the error of `node:fs`.
 */
export class BackupWriter {
  readonly #subject: Pick<BackupSubject, "declared" | "epochEvent">;
  readonly #path: string;
  readonly #descriptor: number;
  readonly #key: Buffer | undefined;
  readonly #checksum = checksum();
  #isOpen = true;
  #chain: Uint8Array = firstChain;
  #sections = 0;
  #bytes = 0;
  #part: Commit[] = [];
  #secrets: SecretField[] = [];
  #partChars = 0;
  #summary = { commits: 0, events: 0, first: 0, last: 0, epoch: 0 };

  /** @param key the key of the sealed sections; undefined leaves secrets out */
  constructor(
    path: string,
    header: BackupHeader,
    key: Buffer | undefined,
    subject: Pick<BackupSubject, "declared" | "epochEvent">,
  ) {
    this.#subject = subject;
    this.#path = path;
    this.#key = key;
    this.#descriptor = openSync(`${path}.new`, "w", 0o600);
    fchmodSync(this.#descriptor, 0o600);
    this.#write(magic);
    this.#section("header", header);
  }

  /**
   * Adds files.
   * @param settings files that any reader may see
   * @param files files to seal, or to leave out
   */
  addFiles(settings: readonly BackupFile[], files: readonly BackupFile[]): void {
    for (const file of settings) this.#section("settings", [file]);
    if (this.#key === undefined) return;
    // At least one, so that a passphrase can be checked.
    for (const sealed of files.length === 0 ? [[]] : files.map((file) => [file])) {
      this.#section("files", sealed);
    }
  }

  addCommit(original: Commit): void {
    const { commit, secrets } = takeSecrets(original, this.#subject.declared);
    const { timestamp, events } = commit;
    this.#part.push(commit);
    if (this.#key !== undefined) this.#secrets.push(...secrets);
    const chars = JSON.stringify(events).length + JSON.stringify(secrets).length;
    const { commits, events: counted, first, epoch } = this.#summary;
    const isEpoch = events.some(({ type }) => type === this.#subject.epochEvent);
    this.#summary = {
      commits: commits + 1,
      events: counted + events.length,
      first: first || timestamp,
      last: timestamp,
      epoch: isEpoch ? timestamp : epoch,
    };
    this.#partChars += chars;
    if (this.#partChars >= partChars) this.#endPart();
  }

  /**
   * Completes the file and gives it its name.
   * @param commits the expected number of commits
   * @returns its size in bytes
   */
  finish(digest: string, commits: number): { readonly summary: BackupSummary; readonly bytes: number } {
    if (commits !== this.#summary.commits) throw new Error("the answer has lost commits");
    this.#endPart();
    const summary: BackupSummary = { ...this.#summary, digest };
    this.#section("end", summary);
    this.#writeUnsummed(this.#checksum.digest());
    fsyncSync(this.#descriptor);
    this.#close();
    renameSync(`${this.#path}.new`, this.#path);
    flushFolder(dirname(this.#path));
    return { summary, bytes: this.#bytes };
  }

  abandon(): void {
    this.#close();
    rmSync(`${this.#path}.new`, { force: true });
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#descriptor);
    this.#isOpen = false;
  }

  #endPart(): void {
    if (this.#part.length === 0) return;
    if (this.#secrets.length > 0) this.#section("secrets", this.#secrets);
    this.#section("commits", this.#part, rangeOf(this.#part));
    this.#part = [];
    this.#secrets = [];
    this.#partChars = 0;
  }

  #section(kind: SectionKind, content: unknown, range = rangeOf([])): void {
    const json = Buffer.from(JSON.stringify(content));
    const packed = gzipSync(json);
    const isSealed = this.#key !== undefined && (kind === "files" || kind === "secrets");
    const payload = isSealed ? seal(this.#key, this.#sections, packed) : packed;
    const head = encodeHead({ kind, bytes: payload.length, openedBytes: json.length, ...range });
    this.#chain = nextChain(this.#chain, head, payload);
    this.#write(Buffer.concat([head, payload, this.#chain]));
    this.#sections += 1;
  }

  #write(bytes: Uint8Array): void {
    this.#checksum.update(bytes);
    this.#writeUnsummed(bytes);
  }

  #writeUnsummed(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      at += writeSync(this.#descriptor, bytes, at);
    }
    this.#bytes += bytes.length;
  }
}
