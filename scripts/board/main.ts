// Tries what machines install, on machines: a Debian package in a Debian that systemd boots, an image as a
// container, and a disk image in an emulated ARM machine.
// Needs root, and from Debian mmdebstrap, systemd-container, dpkg, umoci, runc, curl,
// qemu-system-arm, qemu-user-static, squashfs-tools, dosfstools, mtools and fdisk.
//
//   npm run -s board -- [--only deb,oci,image] [--json]
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { baseOf, machinePackages } from "./base.ts";
import { buildDeb } from "./deb.ts";
import { tryDeb } from "./deb-trial.ts";
import { buildImage, imageBaseOf } from "./image.ts";
import { tryImage } from "./image-trial.ts";
import { buildOci, imagePackages } from "./oci.ts";
import { tryOci } from "./oci-trial.ts";
import { Machine } from "./machine.ts";

const root = join(import.meta.dirname, "..", "..");
const architecture = process.arch === "x64" ? "amd64" : "arm64";
const profile = architecture === "amd64" ? "generic-x86-64" : "generic-arm64";
const profileFile = join(root, "firmware-profiles", `${profile}.json`);

/** Each part -> what it measured. */
const parts: Readonly<Record<string, (folder: string) => Promise<object>>> = {
  deb: async (folder) => {
    const deb = await buildDeb(profileFile, folder, join(folder, "work"), "none");
    const machine = await Machine.boot(
      await baseOf("trixie", architecture, machinePackages),
      join(folder, "machine"),
    );
    try {
      return { seconds: await tryDeb(machine, deb) };
    } finally {
      await machine.remove();
    }
  },
  image: async (folder) => {
    const file = join(root, "firmware-profiles", "qemu-virt.json");
    const files = await buildImage(await imageBaseOf(file), file, join(folder, "image"));
    return { seconds: await tryImage(files, folder) };
  },
  oci: async (folder) => {
    const layout = join(folder, "oci");
    const work = join(folder, "oci-work");
    mkdirSync(work);
    await buildOci(await baseOf("trixie", architecture, imagePackages), profileFile, layout, work);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    return { seconds: await tryOci(`${layout}:${version}`, folder) };
  },
};

const { values } = parseArgs({ options: { only: { type: "string" }, json: { type: "boolean" } } });
const wanted = values.only?.split(",") ?? Object.keys(parts);
const unknown = wanted.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  console.error(`there is no part ${unknown}; there are ${Object.keys(parts).join(", ")}`);
  process.exitCode = 2;
} else {
  const folder = mkdtempSync(join(tmpdir(), "ledge-board-"));
  const results: Record<string, object> = {};
  try {
    for (const name of wanted) {
      results[name] = (await parts[name]?.(folder)) ?? {};
      if (!values.json) console.log(name, results[name]);
    }
    if (values.json) console.log(JSON.stringify(results));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
