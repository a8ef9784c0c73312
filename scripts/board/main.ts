// Tries what machines install, on machines: a Debian package in a Debian that systemd boots, an image as a
// container, and a disk image in an emulated ARM machine.
// Needs root, and from Debian mmdebstrap, systemd-container, dpkg, umoci, runc, curl,
// qemu-system-arm, qemu-system-common, qemu-user-static, e2fsprogs, squashfs-tools, dosfstools, mtools, fdisk, kmod,
// xz-utils and rauc.
//
//   npm run -s board -- [--only deb,image,cuts,disk,npx,oci,slots,update,watchdog,wifi] [--cuts N] [--seed TEXT] [--json] [--write]
//     [--folder DIR]   works in DIR and leaves all there. With the same DIR the image is not built again, and `update`
//                      goes on behind its last stage that passed.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { tied } from "@ledge/port";
import { freePort } from "@ledge/testkit";
import { bundleInto } from "../bundle.ts";
import { baseOf, machinePackages } from "./base.ts";
import { buildDeb } from "./deb.ts";
import { tryCuts } from "./cuts-trial.ts";
import { tryDisk } from "./disk-trial.ts";
import { tryDeb } from "./deb-trial.ts";
import { writeFlashPage } from "./flash-page.ts";
import { buildImage, type ImageFiles, imageBaseOf } from "./image.ts";
import { tryImage } from "./image-trial.ts";
import { buildNpx } from "./npx.ts";
import { tryNpx } from "./npx-trial.ts";
import { buildOci, imagePackages } from "./oci.ts";
import { tryOci } from "./oci-trial.ts";
import { trySlots } from "./slots-trial.ts";
import { profileWithFeed, type Signer, signerIn } from "./update-release.ts";
import { tryUpdate } from "./update-trial.ts";
import { Machine } from "./machine.ts";
import { tryWatchdog } from "./watchdog-trial.ts";
import { tryWifi } from "./wifi-trial.ts";

const root = join(import.meta.dirname, "..", "..");
const architecture = process.arch === "x64" ? "amd64" : "arm64";
const profile = architecture === "amd64" ? "generic-x86-64" : "generic-arm64";
const profileFile = join(root, "firmware-profiles", `${profile}.json`);

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    cuts: { type: "string", default: "100" },
    seed: { type: "string" },
    json: { type: "boolean" },
    folder: { type: "string" },
    /** Records docs/flash.md. */
    write: { type: "boolean" },
  },
});

/** The machine's own Node, if it is older than the one that runs this. */
function olderNode(): string | undefined {
  const said = spawnSync("node", ["--version"], { encoding: "utf8" }).stdout;
  if (said === undefined || said.trim() === process.version) return undefined;
  return execFileSync("sh", ["-c", "command -v node"]).toString().trim();
}

/** Load that leaves windows enough for so many cuts. */
const loadSecondsFor = (cuts: number): number => 60 + cuts / 5;

const qemuProfile = join(root, "firmware-profiles", "qemu-virt.json");

/** What all trials of the image share. */
interface Flashed {
  readonly files: ImageFiles;
  readonly signer: Signer;
  /** Port of its feed. */
  readonly port: number;
}

/** Builds the image, which trusts a new key and reads a feed of this machine. */
async function flashedIn(folder: string): Promise<Flashed> {
  const [built, record] = [join(folder, "image"), join(folder, "image.json")];
  if (existsSync(record)) return JSON.parse(readFileSync(record, "utf8")) as Flashed;
  const [signer, port] = [signerIn(folder, "signer"), await freePort()];
  const withFeed = profileWithFeed(qemuProfile, folder, port);
  const files = await buildImage(await imageBaseOf(qemuProfile), withFeed, built, signer.certificate);
  const flashed = { files, signer, port };
  writeFileSync(record, JSON.stringify(flashed));
  return flashed;
}
let image: Promise<Flashed> | undefined;

/** The image as it is flashed, on a disk of its own. */
async function newImage(folder: string, name: string): Promise<Flashed> {
  const flashed = await (image ??= flashedIn(folder));
  const disk = join(folder, `${name}.img`);
  execFileSync("cp", ["--sparse=always", flashed.files.disk, disk]);
  return { ...flashed, files: { ...flashed.files, disk } };
}

/** Each part -> what it measured. The longest come first. */
const parts: Readonly<Record<string, (folder: string) => Promise<object>>> = {
  update: async (folder) => {
    const { files, signer, port } = await newImage(folder, "update");
    const home = join(folder, "update");
    mkdirSync(home, { recursive: true });
    const isKept = values.folder !== undefined;
    const options = { profile: "qemu-virt", signer, port, folder: home, isKept };
    return { seconds: await tryUpdate(files, options) };
  },
  watchdog: async (folder) => {
    const { files } = await newImage(folder, "watchdog");
    return { seconds: await tryWatchdog(files, folder) };
  },
  cuts: async (folder) => {
    const cuts = Number(values.cuts);
    const options = { cuts, seed: values.seed ?? randomUUID(), loadSeconds: loadSecondsFor(cuts) };
    return await tryCuts((await newImage(folder, "cuts")).files, folder, options);
  },
  image: async (folder) => {
    const { session, ...measured } = await tryImage((await newImage(folder, "image-trial")).files, folder);
    if (values.write) writeFlashPage(session);
    return measured;
  },
  disk: async (folder) => {
    const [release, home] = [join(folder, "release"), join(folder, "disk")];
    await bundleInto(release);
    mkdirSync(home, { recursive: true });
    const cuts = Number(values.cuts);
    return await tryDisk(release, home, {
      cuts,
      seed: values.seed ?? randomUUID(),
      loadSeconds: loadSecondsFor(cuts),
    });
  },
  wifi: async (folder) => await tryWifi((await newImage(folder, "wifi")).files, folder),
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
  oci: async (folder) => {
    const layout = join(folder, "oci");
    const work = join(folder, "oci-work");
    mkdirSync(work, { recursive: true });
    await buildOci(await baseOf("trixie", architecture, imagePackages), profileFile, layout, work);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    return { seconds: await tryOci(`${layout}:${version}`, folder) };
  },
  npx: async (folder) => {
    const archive = await buildNpx(join(folder, "npx"), join(folder, "npx-work"));
    const megabytes = Math.round(statSync(archive).size / 100_000) / 10;
    const seconds: Record<string, number> = {};
    // The Node of this checkout runs the hub itself; with an older one npm brings another.
    const nodes = { own: process.execPath, older: olderNode() };
    for (const [name, node] of Object.entries(nodes)) {
      if (node === undefined) continue;
      const { answered } = await tryNpx(archive, node, join(folder, `npx-${name}`));
      seconds[name] = answered;
    }
    return { megabytes, seconds };
  },
  slots: async (folder) => {
    const { firmware } = await imageBaseOf(qemuProfile);
    const unpacked = join(folder, "firmware");
    mkdirSync(unpacked, { recursive: true });
    execFileSync("tar", ["-xf", firmware, "-C", unpacked, "./usr/lib/u-boot"]);
    return { choices: trySlots(unpacked, folder) };
  },
};

/** Parts that boot the image. */
const ofImage: ReadonlySet<string> = new Set(["cuts", "image", "update", "watchdog", "wifi"]);

/** Runs the parts of a list, as many at a time as there are processors, each in a process of its own. */
async function runAll(names: readonly string[], folder: string): Promise<Readonly<Record<string, object>>> {
  // The parts that boot it find it there.
  if (names.some((name) => ofImage.has(name))) await flashedIn(folder);
  const results: Record<string, object> = {};
  const waiting = Object.keys(parts).filter((name) => names.includes(name));
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      try {
        results[name] = await inOwnProcess(name, folder);
        if (!values.json) console.log(name, results[name]);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join("; "));
  return results;
}

async function inOwnProcess(name: string, folder: string): Promise<object> {
  const passed = ["--cuts", values.cuts, ...(values.seed === undefined ? [] : ["--seed", values.seed])];
  const flags = ["--only", name, "--json", "--folder", folder, ...passed];
  const part = [import.meta.filename, ...flags, ...(values.write ? ["--write"] : [])];
  const child = spawn(...tied(process.execPath, part), { stdio: ["ignore", "pipe", "inherit"] });
  const printed = text(child.stdout);
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the part ${name} failed`);
  return (JSON.parse(await printed) as Record<string, object>)[name] ?? {};
}

const wanted = values.only?.split(",") ?? Object.keys(parts);
const unknown = wanted.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  console.error(`there is no part ${unknown}; there are ${Object.keys(parts).join(", ")}`);
  process.exitCode = 2;
} else {
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), "ledge-board-"));
  mkdirSync(folder, { recursive: true });
  try {
    const [name = ""] = wanted;
    const alone = async (): Promise<Readonly<Record<string, object>>> => ({
      [name]: (await parts[name]?.(folder)) ?? {},
    });
    const results = await (wanted.length === 1 ? alone() : runAll(wanted, folder));
    if (values.json) console.log(JSON.stringify(results));
    else if (wanted.length === 1) console.log(name, results[name]);
  } finally {
    if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
