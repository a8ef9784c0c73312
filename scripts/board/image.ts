import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  createReadStream,
  createWriteStream,
  globSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import type { Board } from "@ledge/hub/board";
import { readProfile } from "@ledge/hub/profile";
import { sourceDate } from "../source-date.ts";
import { baseOf } from "./base.ts";
import { writeTree } from "./release-tree.ts";
import { addSlotChoice } from "./slot-choice.ts";
import { updateUnits, writeUpdateFiles } from "./update-files.ts";

const mebibyte = 1_048_576;
/** Room for the choice between the slots, which `ledge-slots` keeps. */
const slotsMebibytes = 1;

/** Debian packages of every image. */
const imageBasePackages = [
  "ca-certificates",
  "dbus",
  "e2fsprogs",
  "initramfs-tools",
  "init-system-helpers",
  "iproute2",
  "kmod",
  "libgcc-s1",
  "libstdc++6",
  "passwd",
  "polkitd",
  "rauc",
  "squashfs-tools",
  "systemd",
  "systemd-repart",
  "systemd-resolved",
  "systemd-sysv",
  "systemd-timesyncd",
  "udev",
  "util-linux",
] as const;

/**
 * Returns the archive of the Debian that a board's image is made from.
 * @throws Error when the board has no image, or one that cannot be made yet
 */
export async function imageBaseOf(profile: string): Promise<string> {
  const { board } = readProfile(profile);
  if (board?.image === undefined) throw new Error(`${profile} has no image`);
  const { boot, debian, kernel } = board.image;
  if (boot !== "direct")
    throw new Error(`an image that starts by ${boot} cannot be made yet; there is one for qemu-virt`);
  return await baseOf(debian, board.architecture, [...imageBasePackages, kernel.package]);
}

/** What the root file system has beside Debian and the release. It is never written to: data is on /var. */
const settings: Readonly<Record<string, string>> = {
  // The data partition is empty on a new card: systemd makes and grows its file system. A slow card is waited for.
  "etc/fstab":
    "PARTLABEL=data /var ext4 noatime,x-systemd.makefs,x-systemd.growfs,x-systemd.device-timeout=0 0 2\n",
  // Empty: each boot has an id of its own, as nothing can keep one.
  "etc/machine-id": "",
  "etc/hostname": "ledge\n",
  "etc/systemd/journald.conf.d/ledge.conf": "[Journal]\nStorage=volatile\nRuntimeMaxUse=16M\n",
  "etc/systemd/network/80-ledge.network":
    "[Match]\nName=en* eth* end*\n[Network]\nDHCP=yes\nMulticastDNS=no\n",
  // Nobody can log in to read the journal: the address and the setup code are shown on the screen and the serial line.
  "usr/lib/systemd/system/ledge.service.d/20-console.conf": "[Service]\nStandardOutput=journal+console\n",
  // The partition takes the rest of the card.
  "usr/lib/repart.d/50-data.conf": "[Partition]\nType=linux-generic\nLabel=data\n",
};

const enabled: Readonly<Record<string, string>> = {
  "multi-user.target.wants/ledge.service": "ledge.service",
  "multi-user.target.wants/systemd-networkd.service": "systemd-networkd.service",
  "sysinit.target.wants/systemd-resolved.service": "systemd-resolved.service",
  "sysinit.target.wants/systemd-timesyncd.service": "systemd-timesyncd.service",
};

/** Where the parts of an image lie, for who boots it without a boot loader. */
export interface ImageFiles {
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
}

/**
 * Builds a disk image: boot files, two slots for the root file system, of which the first is filled, and an empty
 * partition for data. Needs root, and from Debian squashfs-tools, dosfstools, mtools and fdisk; no loop device.
 * @param base archive of the Debian's root file system
 * @param profile file of the board's profile
 * @param out folder for the image; it is replaced
 * @param keyring PEM of the certificates whose updates the machine installs; undefined: it installs none
 * @throws Error when the board has no image, or its root file system is larger than a slot
 */
export async function buildImage(
  base: string,
  profile: string,
  out: string,
  keyring?: string,
): Promise<ImageFiles> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const [tree, root] = [join(out, "release"), join(out, "root")];
  const { board } = await writeTree(tree, profile);
  const { image } = board;
  if (image === undefined)
    throw new Error(`${profile} has no image: its machines bring a Debian of their own`);
  mkdirSync(root);
  execFileSync("tar", ["-xf", base, "-C", root, "--numeric-owner", "--exclude=./dev/*"]);
  const [kernel, initrd] = [join(out, "vmlinuz"), join(out, "initrd.img")];
  cpSync(only(join(root, "boot"), "vmlinuz-*"), kernel);
  cpSync(only(join(root, "boot"), "initrd.img-*"), initrd);
  addSlotChoice(initrd);
  strip(root);
  execFileSync("cp", ["-rT", "--preserve=mode", tree, root]);
  furnish(root, board);
  writeUpdateFiles(root, readProfile(profile).name, keyring);
  const epoch = { ...process.env, SOURCE_DATE_EPOCH: String(sourceDate()), TZ: "UTC" };
  const slot = join(out, "root.squashfs");
  const packing = ["-noappend", "-quiet", "-no-progress", "-comp", "zstd", "-Xcompression-level", "15"];
  execFileSync("mksquashfs", [root, slot, ...packing, "-all-time", epoch.SOURCE_DATE_EPOCH], {
    stdio: "ignore",
  });
  const { bootMebibytes, rootMebibytes, dataMebibytes } = image.partitions;
  const size = statSync(slot).size / mebibyte;
  if (size > rootMebibytes)
    throw new Error(`the root file system takes ${size.toFixed(1)} MiB; its slot has ${rootMebibytes}`);
  const boot = join(out, "boot.vfat");
  writeFileSync(boot, "");
  truncateSync(boot, bootMebibytes * mebibyte);
  execFileSync("mkfs.vfat", ["--invariant", "-n", "BOOT", boot], { stdio: "ignore", env: epoch });
  execFileSync("mcopy", ["-i", boot, kernel, initrd, "::"], { env: epoch });
  const disk = join(out, "disk.img");
  partition(disk, [bootMebibytes, slotsMebibytes, rootMebibytes, rootMebibytes, dataMebibytes]);
  copyInto(disk, boot, 1);
  copyInto(disk, slot, 1 + bootMebibytes + slotsMebibytes);
  for (const path of [tree, root]) rmSync(path, { recursive: true });
  return { disk, kernel, initrd };
}

/** Packs a disk image; writers of cards unpack it while they write. */
export async function packImage(disk: string): Promise<string> {
  const file = `${disk}.zst`;
  await pipeline(createReadStream(disk), createZstdCompress(), createWriteStream(file));
  return file;
}

/** Removes what no running hub reads. */
function strip(root: string): void {
  const unused = [
    "boot/*",
    "var/*",
    "usr/share/doc/*",
    "usr/share/man/*",
    "usr/share/locale/*",
    "usr/share/info/*",
  ];
  for (const path of [
    ...globSync(unused, { cwd: root }),
    "initrd.img",
    "initrd.img.old",
    "vmlinuz",
    "vmlinuz.old",
  ])
    rmSync(join(root, path), { recursive: true, force: true });
  // Services that start before /var is there put a folder of their own on it.
  mkdirSync(join(root, "var", "tmp"));
}

function furnish(root: string, board: Board): void {
  const own: Record<string, string> = { ...settings };
  if (board.watchdog) {
    own["etc/systemd/system.conf.d/ledge.conf"] = `[Manager]\nRuntimeWatchdogSec=${board.watchdog.seconds}\n`;
    own["etc/modules-load.d/ledge-board.conf"] = `${board.watchdog.module}\n`;
  }
  for (const [path, text] of Object.entries(own)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    rmSync(join(root, path), { force: true });
    writeFileSync(join(root, path), text);
  }
  for (const [path, unit] of Object.entries({ ...enabled, ...updateUnits })) {
    const link = join(root, "etc/systemd/system", path);
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(`/usr/lib/systemd/system/${unit}`, link);
  }
  rmSync(join(root, "etc/resolv.conf"), { force: true });
  symlinkSync("../run/systemd/resolve/stub-resolv.conf", join(root, "etc/resolv.conf"));
  // systemd-sysusers cannot add it to a file system that is only read.
  appendFileSync(
    join(root, "etc/passwd"),
    "ledge:x:990:990:Ledge automation hub:/var/lib/ledge:/usr/sbin/nologin\n",
  );
  appendFileSync(join(root, "etc/group"), "ledge:x:990:\n");
  appendFileSync(join(root, "etc/shadow"), "ledge:!*:::::::\n");
}

/** Writes a table of partitions; `mebibytes` are the sizes of boot, choice, both slots, and data, from 1 MiB on. */
function partition(disk: string, mebibytes: readonly number[]): void {
  const names = ["boot", "slots", "rootfs-a", "rootfs-b", "data"];
  const total = mebibytes.reduce((sum, size) => sum + size, 2);
  writeFileSync(disk, "");
  truncateSync(disk, total * mebibyte);
  // Types: EFI system partition, then Linux file systems. Fixed ids, so that the same sources give the same bytes.
  const uuid = (index: number): string => `4c454447-4500-4000-8000-00000000000${index}`;
  const lines = names.map(
    (name, index) =>
      `name=${name}, size=${mebibytes[index]}MiB, type=${index === 0 ? "U" : "L"}, uuid=${uuid(index + 1)}`,
  );
  const input = [`label: gpt`, `label-id: ${uuid(0)}`, "first-lba: 2048", ...lines].join("\n");
  execFileSync("sfdisk", ["--quiet", disk], { input: `${input}\n`, stdio: ["pipe", "ignore", "inherit"] });
}

function copyInto(disk: string, part: string, atMebibyte: number): void {
  const flags = ["bs=1M", `seek=${atMebibyte}`, "conv=notrunc,sparse", "status=none"];
  execFileSync("dd", [`if=${part}`, `of=${disk}`, ...flags]);
}

function only(folder: string, pattern: string): string {
  const [first, ...more] = globSync(pattern, { cwd: folder });
  if (first === undefined || more.length > 0) throw new Error(`${folder} has not one ${pattern}`);
  return join(folder, first);
}
