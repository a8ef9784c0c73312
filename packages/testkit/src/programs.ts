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

/** The folder of the bundles, which `npm test` builds and devices run too; undefined without them. */
export const testBundle = process.env["LEDGE_TEST_BUNDLE"];

/**
 * Flags of Node for a child that a test runs from its source: they load libraries as the test does
 * (scripts/libraries.ts), in a tenth of the time.
 */
export const sourceFlags: readonly string[] = process.execArgv.filter((flag) =>
  /^--import=.*\blibraries\.ts$/.test(flag),
);

/** Returns the file to run a program from: its bundle, or its source. A bundle starts in a third of the time. */
export function programFile(program: Program): string {
  return testBundle === undefined ? sources[program] : join(testBundle, "lib", `${program}.mjs`);
}
