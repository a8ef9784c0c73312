import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { SectionKind } from "@ledge/host/backup/format";
import { checksum, encodeHead, firstChain, magic, nextChain } from "@ledge/host/backup/format";
import { readBackup } from "@ledge/host/backup/reader";
import type { Commit } from "@ledge/model";

/** A section with any content, whose hashes are valid. */
export interface ForgedSection {
  readonly kind: SectionKind;
  readonly content: unknown;
  readonly commits?: number;
}

/** Writes a backup with valid hashes and any content in its sections. */
export function forgeBackup(file: string, sections: readonly ForgedSection[]): void {
  const parts: Buffer[] = [magic];
  let chain: Uint8Array = firstChain;
  for (const { kind, content, commits = 0 } of sections) {
    const json = Buffer.from(JSON.stringify(content));
    const payload = gzipSync(json);
    const head = encodeHead({
      kind,
      bytes: payload.length,
      openedBytes: json.length,
      commits,
      first: 0,
      last: 0,
    });
    chain = nextChain(chain, head, payload);
    parts.push(head, payload, Buffer.from(chain));
  }
  const whole = Buffer.concat(parts);
  writeFileSync(file, Buffer.concat([whole, checksum().update(whole).digest()]), { mode: 0o600 });
}

/** Returns the sections of a backup without secrets. */
export function sectionsOf(file: string): ForgedSection[] {
  return [...readBackup(file, undefined)].flatMap((part): ForgedSection[] => {
    if ("header" in part) return [{ kind: "header", content: part.header }];
    if ("settings" in part) return [{ kind: "settings", content: part.settings }];
    if ("commits" in part)
      return [{ kind: "commits", content: part.commits, commits: (part.commits as Commit[]).length }];
    return "end" in part ? [{ kind: "end", content: part.end }] : [];
  });
}
