import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@ledge/testkit";
import { bundleInto } from "../bundle.ts";
import { secondsSince } from "../seconds-since.ts";
import { baseOf, machinePackages } from "./base.ts";
import { loadSecondsFor } from "./cut-load.ts";
import { type Recorded, tryCuts } from "./cuts-trial.ts";
import { buildDeb } from "./deb.ts";
import { tryDeb } from "./deb-trial.ts";
import { tryDisk } from "./disk-trial.ts";
import { writeFlashPage } from "./flash-page.ts";
import { buildImage, type ImageFiles, imageBaseOf } from "./image.ts";
import { tryImage } from "./image-trial.ts";
import { Machine } from "./machine.ts";
import { buildNpx } from "./npx.ts";
import { tryNpx } from "./npx-trial.ts";
import { buildOci, imagePackages } from "./oci.ts";
import { tryOci } from "./oci-trial.ts";
import { trySlots } from "./slots-trial.ts";
import type { UpdateTrial } from "./update-machine.ts";
import { profileWithFeed, type Signer, signerIn } from "./update-release.ts";
import { cutPhases, tryCut, tryInstall, tryKeep, tryLeave } from "./update-trial.ts";
import { tryWatchdog } from "./watchdog-trial.ts";

const root = join(import.meta.dirname, "..", "..");
const architecture = process.arch === "x64" ? "amd64" : "arm64";
const profile = architecture === "amd64" ? "generic-x86-64" : "generic-arm64";
const profileFile = join(root, "firmware-profiles", `${profile}.json`);
const qemuProfile = join(root, "firmware-profiles", "qemu-virt.json");

export interface PartOptions {
  readonly cuts: number;
  /** Repeats the choices of a run; they are new by default. */
  readonly seed?: string;
  /** Records docs/flash.md. */
  readonly write: boolean;
}

export interface Part {
  /** Parts that leave in the folder what this one needs. */
  readonly needs: readonly string[];
  /** It has nothing to do with the image for QEMU, and runs only when it is asked for. */
  readonly isApart?: boolean;
  /** @returns what it measured */
  readonly run: (folder: string, options: PartOptions) => Promise<object>;
}

/** The image that all its trials share. */
interface Flashed {
  readonly files: ImageFiles;
  readonly signer: Signer;
  /** Port of its feed. */
  readonly port: number;
}
const recordOf = (folder: string): string => join(folder, "image.json");

/** Builds the image, which trusts a new key and reads a feed of this machine. */
async function build(folder: string): Promise<object> {
  if (existsSync(recordOf(folder))) return { seconds: 0 };
  const from = performance.now();
  const [signer, port] = [signerIn(folder, "signer"), await freePort()];
  const withFeed = profileWithFeed(qemuProfile, folder, port);
  const built = join(folder, "image");
  const files = await buildImage(await imageBaseOf(qemuProfile), withFeed, built, signer.certificate);
  writeFileSync(recordOf(folder), JSON.stringify({ files, signer, port }));
  return { seconds: secondsSince(from), megabytes: Math.round(statSync(files.root).size / 1_000_000) };
}

function flashedIn(folder: string): Flashed {
  return JSON.parse(readFileSync(recordOf(folder), "utf8")) as Flashed;
}

/** The image as it is flashed, on a disk of its own. */
function newImage(folder: string, name: string): ImageFiles {
  const { files } = flashedIn(folder);
  const disk = join(folder, `${name}.img`);
  execFileSync("cp", ["--sparse=always", files.disk, disk]);
  return { ...files, disk };
}

/** What the trials of updates share. */
function updateIn(folder: string): UpdateTrial {
  const home = join(folder, "update");
  mkdirSync(home, { recursive: true });
  return { ...flashedIn(folder), profile: "qemu-virt", folder: home };
}

/** The machine's own Node, if it is older than the one that runs this. */
function olderNode(): string | undefined {
  const said = spawnSync("node", ["--version"], { encoding: "utf8" }).stdout;
  if (said === undefined || said.trim() === process.version) return undefined;
  return execFileSync("sh", ["-c", "command -v node"]).toString().trim();
}

const seedOf = ({ seed = randomUUID() }: PartOptions): string => seed;

/** What boots the image. A disk is removed when no other part begins with it. */
const ofImage: Readonly<Record<string, Part>> = {
  "update-install": {
    needs: ["build"],
    run: (folder) => tryInstall(updateIn(folder)),
  },
  watchdog: {
    needs: ["build"],
    run: async (folder) => {
      const files = newImage(folder, "watchdog");
      const seconds = await tryWatchdog(files, folder);
      rmSync(files.disk);
      return { seconds };
    },
  },
  "update-keep": {
    needs: ["update-install"],
    run: async (folder) => ({ seconds: await tryKeep(updateIn(folder)) }),
  },
  image: {
    needs: ["build"],
    run: async (folder, { cuts, write }) => {
      const files = newImage(folder, "image-trial");
      const { session, recorded, ...measured } = await tryImage(files, folder, loadSecondsFor(cuts));
      writeFileSync(join(folder, "recorded.json"), JSON.stringify(recorded));
      if (write) writeFlashPage(session);
      rmSync(files.disk);
      return measured;
    },
  },
  "update-leave": {
    needs: ["update-keep"],
    run: async (folder) => ({ seconds: await tryLeave(updateIn(folder)) }),
  },
  ...Object.fromEntries(
    cutPhases.map((phase): [string, Part] => [
      `update-cut-${phase}`,
      {
        needs: ["update-install"],
        run: async (folder) => ({ seconds: await tryCut(updateIn(folder), phase) }),
      },
    ]),
  ),
  cuts: {
    needs: ["image"],
    run: async (folder, options) => {
      const recorded = JSON.parse(readFileSync(join(folder, "recorded.json"), "utf8")) as Recorded;
      return await tryCuts(recorded, folder, { cuts: options.cuts, seed: seedOf(options) });
    },
  },
};

/** What this machine itself runs. */
const apart: Readonly<Record<string, Part["run"]>> = {
  disk: async (folder, options) => {
    const [release, home] = [join(folder, "release"), join(folder, "disk")];
    await bundleInto(release);
    mkdirSync(home, { recursive: true });
    return await tryDisk(release, home, { cuts: options.cuts, seed: seedOf(options) });
  },
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
};

/** All parts by their names. Of those that may begin, the first do: the longest ways come first. */
export const parts: Readonly<Record<string, Part>> = {
  build: { needs: [], run: build },
  // U-Boot waits more than it works, so that it does not keep the image from being built.
  slots: {
    needs: [],
    run: async (folder) => {
      const { firmware } = await imageBaseOf(qemuProfile);
      const unpacked = join(folder, "firmware");
      mkdirSync(unpacked, { recursive: true });
      execFileSync("tar", ["-xf", firmware, "-C", unpacked, "./usr/lib/u-boot"]);
      return { choices: trySlots(unpacked, folder) };
    },
  },
  ...ofImage,
  ...Object.fromEntries(
    Object.entries(apart).map(([name, run]): [string, Part] => [name, { needs: [], isApart: true, run }]),
  ),
};
