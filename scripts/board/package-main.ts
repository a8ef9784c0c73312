// Builds what a machine installs, into dist:
//
//   npm run -s package -- deb [--profile generic-arm64] [--out DIR]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildDeb } from "./deb.ts";

const root = join(import.meta.dirname, "..", "..");
const { values, positionals } = parseArgs({
  options: {
    profile: { type: "string", default: "generic-arm64" },
    out: { type: "string", default: "dist" },
  },
  allowPositionals: true,
});
const [kind] = positionals;
const profile = join(root, "firmware-profiles", `${values.profile}.json`);
const work = mkdtempSync(join(tmpdir(), "ledge-package-"));
try {
  if (kind === "deb") console.log(await buildDeb(profile, resolve(values.out), join(work, "root")));
  else {
    console.error("usage: npm run -s package -- deb [--profile NAME] [--out DIR]");
    process.exitCode = 2;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
