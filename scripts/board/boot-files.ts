import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Board, Image } from "@ledge/hub/board";
import { sourceDate } from "../source-date.ts";
import { bootScript } from "./boot-script.ts";
import { mebibyte } from "./partition-table.ts";

const script = join(import.meta.dirname, "..", "..", "systemd", "ledge-boot.cmd");

/** Chips of Raspberry Pi by the start of their device trees' names -> what their boot ROM or firmware loads. */
const firmwareOf: Readonly<Record<string, readonly string[]>> = {
  bcm2837: ["bootcode.bin", "start.elf", "fixup.dat"],
  bcm2711: ["start4.elf", "fixup4.dat"],
};

/**
 * What Raspberry Pi's firmware reads. `upstream_kernel` has it look for device trees by the names that Debian's
 * kernel gives them. U-Boot wants the serial line on, as the firmware sets its clock.
 */
const config = `# Made with the image. U-Boot reads boot.scr next, and that the slot's kernel.
arm_64bit=1
enable_uart=1
upstream_kernel=1
kernel=u-boot.bin
`;

/** A file of the partition that the machine starts from: its content, or where it is copied from. */
export type BootFile = { readonly text: string | Buffer } | { readonly from: string };

/** Where packages were unpacked: those with firmware, and the root file system with the kernel. */
export interface Unpacked {
  readonly firmware: string;
  readonly deviceTrees: string;
}

/**
 * Returns the files of the partition that a machine starts from, by their names. No update writes to it.
 * @throws Error when the board does not start by U-Boot, or has a chip whose firmware is not known
 */
export function bootFiles(
  { machines }: Pick<Board, "machines">,
  { uBoot, consoles }: Image,
  { firmware, deviceTrees }: Unpacked,
): Readonly<Record<string, BootFile>> {
  if (uBoot === undefined) throw new Error("only images that start by U-Boot can be made");
  const files: Record<string, BootFile> = { ...startScript(consoles) };
  for (const { name, deviceTree } of machines) {
    if (deviceTree === undefined) continue;
    const chip = Object.keys(firmwareOf).find((start) => basename(deviceTree).startsWith(`${start}-`));
    if (chip === undefined) throw new Error(`${name}: the firmware of ${deviceTree} is not known`);
    for (const file of firmwareOf[chip] ?? [])
      files[file] = { from: join(firmware, "usr/lib/raspi-firmware", file) };
    files[basename(deviceTree)] = { from: join(deviceTrees, deviceTree) };
    files["config.txt"] = { text: config };
    files["u-boot.bin"] = { from: uBootIn(firmware, uBoot) };
  }
  return files;
}

/** Returns what U-Boot itself reads: its script, and the kernel's arguments that differ between machines. */
export function startScript(consoles: readonly string[]): Readonly<Record<string, BootFile>> {
  return {
    "boot.scr": { text: bootScript(readFileSync(script, "utf8")) },
    "machine.txt": { text: `arguments=${consoles.map((console) => `console=${console}`).join(" ")}\n` },
  };
}

/** Where Debian's packages have U-Boot. */
export function uBootIn(firmware: string, build: string): string {
  return join(firmware, "usr/lib/u-boot", build, "u-boot.bin");
}

/**
 * Makes a file system that boot loaders read.
 * @param out its image; it is replaced
 */
export function makeVfat(
  out: string,
  label: string,
  mebibytes: number,
  files: Readonly<Record<string, BootFile>>,
): void {
  const folder = `${out}.files`;
  for (const path of [out, folder]) rmSync(path, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, file] of Object.entries(files)) {
    if ("text" in file) writeFileSync(join(folder, name), file.text);
    else cpSync(file.from, join(folder, name));
  }
  writeFileSync(out, "");
  truncateSync(out, mebibytes * mebibyte);
  // mcopy takes the times of files, and writes them in local time.
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(sourceDate()), TZ: "UTC" };
  execFileSync("find", [folder, "-exec", "touch", "-d", `@${sourceDate()}`, "{}", "+"]);
  execFileSync("mkfs.vfat", ["--invariant", "-n", label, out], { stdio: "ignore", env });
  const names = Object.keys(files).toSorted();
  execFileSync("mcopy", ["-m", "-i", out, ...names.map((name) => join(folder, name)), "::"], { env });
  rmSync(folder, { recursive: true });
}
