import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A data folder of its own below the temporary folder. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "ledge-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 20 }) };
}
