// Builds what a machine installs, into dist:
//
//   npm run -s package -- deb|oci|image|bundle|npx|rpi-image-gen [--profile NAME] [--out DIR] [--cert PEM] [--key PEM]
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readProfile } from "@ledge/hub/profile";
import { baseOf } from "./base.ts";
import { buildDeb } from "./deb.ts";
import { buildImage, imageBaseOf, packImage } from "./image.ts";
import { buildNpx } from "./npx.ts";
import { buildOci, imagePackages } from "./oci.ts";
import { rpiImageGen } from "./rpi-image-gen.ts";
import { buildBundle } from "./update-bundle.ts";

const root = join(import.meta.dirname, "..", "..");
const { values, positionals } = parseArgs({
  options: {
    profile: { type: "string", default: "generic-arm64" },
    out: { type: "string", default: "dist" },
    /** Of who signs updates: an image trusts the certificate, a bundle is signed with the key. */
    cert: { type: "string" },
    key: { type: "string" },
  },
  allowPositionals: true,
});
const file = join(root, "firmware-profiles", `${values.profile}.json`);
const out = resolve(values.out, `ledge-${values.profile}`);
const work = mkdtempSync(join(tmpdir(), "ledge-package-"));

/** What can be built -> builds it, and returns where it is. */
const kinds: Readonly<Record<string, () => Promise<string>>> = {
  deb: () => buildDeb(file, resolve(values.out), join(work, "root")),
  npx: () => buildNpx(resolve(values.out), join(work, "npx")),
  oci: async () => {
    const { board } = readProfile(file);
    await buildOci(await baseOf("trixie", board?.architecture ?? "", imagePackages), file, out, work);
    return out;
  },
  image: async () => {
    const { disk } = await buildImage(await imageBaseOf(file), file, out, values.cert);
    return await packImage(disk);
  },
  "rpi-image-gen": async () => {
    const { name, board } = readProfile(file);
    if (board === undefined) throw new Error(`${file} is for no machine`);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    for (const [path, text] of Object.entries(rpiImageGen(name, board, version))) {
      mkdirSync(dirname(join(out, path)), { recursive: true });
      writeFileSync(join(out, path), text);
    }
    renameSync(await buildDeb(file, out, join(work, "root")), join(out, "layer", "ledge.deb"));
    return out;
  },
  bundle: async () => {
    const { cert: certificate, key } = values;
    if (certificate === undefined || key === undefined) throw new Error("say --cert and --key of who signs");
    const built = await buildImage(await imageBaseOf(file), file, work, certificate);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    const bundle = `${out}-${version}.raucb`;
    mkdirSync(resolve(values.out), { recursive: true });
    buildBundle({ ...built, profile: values.profile, version, certificate, key }, bundle);
    return bundle;
  },
};

const [kind = ""] = positionals;
const build = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
try {
  if (build === undefined) {
    console.error(
      "usage: npm run -s package -- deb|oci|image|bundle|npx|rpi-image-gen [--profile NAME] [--out DIR] [--cert PEM] [--key PEM]",
    );
    process.exitCode = 2;
  } else console.log(await build());
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
