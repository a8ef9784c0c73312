import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const suffixes = { br: ".br", gzip: ".gz" } as const;

/** As esbuild names what it writes: `main-ABCD2345.js`. */
const isHashed = /-[A-Z0-9]{8}\.\w+$/;

/** A file of a folder of the web interface. Its bytes are read from disk for each request. */
interface FolderFile {
  readonly contentType: string;
  readonly etag: string;
  readonly isLasting: boolean;
  readonly packings: readonly (keyof typeof suffixes)[];
  read(packing?: keyof typeof suffixes): Promise<Uint8Array>;
}

/**
 * Returns the files of a folder of the web interface, by name. Only files that are there at the call are found, so a
 * name leads nowhere else. A missing folder has no files.
 */
export function openWebFolder(folder: string): { find(name: string): FolderFile | undefined } {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const there = new Set(names);
  const files = new Map<string, FolderFile>();
  for (const name of names) {
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) continue;
    const path = join(folder, name);
    const isLasting = isHashed.test(name);
    files.set(name, {
      contentType,
      etag: `"${isLasting ? name : hashOf(path)}"`,
      isLasting,
      packings: (["br", "gzip"] as const).filter((packing) => there.has(name + suffixes[packing])),
      read: (packing) => readFile(packing === undefined ? path : path + suffixes[packing]),
    });
  }
  return { find: (name) => files.get(name) };
}

function hashOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("base64url").slice(0, 16);
}
