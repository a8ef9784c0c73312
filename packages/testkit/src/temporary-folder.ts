import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a data folder below the system's temporary folder. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "ledge-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 20 }) };
}
