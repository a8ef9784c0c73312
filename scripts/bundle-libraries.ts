// Makes one file of each library that scripts/libraries.ts names.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { build } from "esbuild";
import { libraries, libraryFile } from "./libraries.ts";

const root = join(import.meta.dirname, "..");
const toolchain = join(root, ".toolchain");

/** Returns the folder of the files, made of the packages that the lock file names. */
export async function bundleLibraries(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of ["pnpm-lock.yaml", "scripts/libraries.ts", "scripts/bundle-libraries.ts"])
    hash.update(readFileSync(join(root, path)));
  const folder = join(toolchain, `test-libraries-${hash.digest("hex").slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(toolchain, { recursive: true });
  const made = mkdtempSync(join(toolchain, "new-libraries-"));
  try {
    for (const [user, names] of Object.entries(libraries)) await bundleFor(join(root, user), names, made);
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another run has made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Bundles imports together, so that what they share is one module. */
async function bundleFor(user: string, names: readonly string[], folder: string): Promise<void> {
  await build({
    entryPoints: names.map((name) => ({ in: name, out: libraryFile(name).replace(/\.mjs$/, "") })),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunk-[hash]",
    absWorkingDir: user,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    logLevel: "error",
  });
}
