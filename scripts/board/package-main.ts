// Builds what a machine installs, into dist:
//
//   npm run -s package -- deb|oci [--profile generic-arm64] [--out DIR]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readProfile } from "@ledge/hub/profile";
import { baseOf } from "./base.ts";
import { buildDeb } from "./deb.ts";
import { buildOci, imagePackages } from "./oci.ts";

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
  const out = resolve(values.out);
  if (kind === "deb") console.log(await buildDeb(profile, out, join(work, "root")));
  else if (kind === "oci") {
    const { board } = readProfile(profile);
    const layout = join(out, `ledge-${values.profile}`);
    await buildOci(await baseOf("trixie", board?.architecture ?? "", imagePackages), profile, layout, work);
    console.log(layout);
  } else {
    console.error("usage: npm run -s package -- deb|oci [--profile NAME] [--out DIR]");
    process.exitCode = 2;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
