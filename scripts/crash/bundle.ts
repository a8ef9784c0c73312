// Bundles child.ts into one file, because it is started hundreds of times.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { type Sabotage, sabotaging } from "./sabotage.ts";

const log = join(import.meta.dirname, "..", "..", "packages", "log");

/** Bundles the child and the journal's thread into a new folder, and returns the path of the child's file. */
export async function bundledChild(folder: string, sabotages: readonly Sabotage[]): Promise<string> {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(join(log, "node_modules", "lmdb"), join(folder, "node_modules", "lmdb"));
  const child = join(folder, "child.mjs");
  await Promise.all([
    bundle(join(import.meta.dirname, "child.ts"), child, sabotages),
    bundle(join(log, "src", "journal", "worker.ts"), join(folder, "journal-worker.mjs"), []),
  ]);
  return child;
}

async function bundle(entry: string, outfile: string, sabotages: readonly Sabotage[]): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    logLevel: "error",
    external: ["lmdb"],
    plugins: [sabotaging(sabotages)],
  });
}
