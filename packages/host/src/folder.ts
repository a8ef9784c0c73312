import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { flushFolder } from "@ledge/log";

/** Returns the log's folder in a data folder. */
export function logFolder(folder: string): string {
  return join(folder, "log");
}

/** Writes a small file so that a power cut leaves either the old or the new version, never a part (mode 0600). */
export function writeWhole(file: string, text: string | Uint8Array): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, text, { mode: 0o600, flush: true });
  renameSync(fresh, file);
  flushFolder(dirname(file));
}

/** Overwrites the contents of an open file, which its blocks would keep after the file was replaced or removed. */
export function wipe(descriptor: number): void {
  const zeros = Buffer.alloc(fstatSync(descriptor).size);
  writeSync(descriptor, zeros, 0, zeros.length, 0);
  fdatasyncSync(descriptor);
}

/** Overwrites the contents of a file, if it exists. */
export function wipeFile(file: string): void {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, "r+");
  try {
    wipe(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
