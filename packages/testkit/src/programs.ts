import { join } from "node:path";

/** The programs of the product, by the names of their bundles. */
export type Program = "hub" | "ledge" | "cloud" | "ledge-cloud";

const packages = join(import.meta.dirname, "..", "..");

const sources: Readonly<Record<Program, string>> = {
  hub: join(packages, "hub", "src", "main.ts"),
  ledge: join(packages, "hub", "src", "cli.ts"),
  cloud: join(packages, "cloud", "src", "main.ts"),
  "ledge-cloud": join(packages, "cloud", "src", "cli.ts"),
};

/**
 * Returns the file to run a program from: its bundle in the folder that LEDGE_TEST_BUNDLE names, or its source. A
 * bundle starts in a third of the time. `npm test` builds bundles, which devices run too.
 */
export function programFile(program: Program): string {
  const bundle = process.env["LEDGE_TEST_BUNDLE"];
  return bundle === undefined ? sources[program] : join(bundle, "lib", `${program}.mjs`);
}
