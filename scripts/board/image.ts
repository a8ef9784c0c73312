import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  createReadStream,
  createWriteStream,
  globSync,
  readFileSync,
  mkdirSync,
  rmSync,
  existsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import type { Board, Image } from "@ledge/hub/board";
import { readProfile } from "@ledge/hub/profile";
import { sourceDate } from "../source-date.ts";
import { baseOf, unpackedOf } from "./base.ts";
import { bootFiles, makeVfat, uBootIn } from "./boot-files.ts";
import { withHub } from "./hub-user.ts";
import { initialFiles, initialPackages } from "./initial-files.ts";
import { partsOf, writeParts } from "./image-parts.ts";
import { copyInto, mebibyte, partitionedDisk } from "./partition-table.ts";
import { writeTree } from "./release-tree.ts";
import { updateUnits, writeUpdateFiles } from "./update-files.ts";
import { wifiPackages, writeWifiFiles } from "./wifi-files.ts";

/** Room for the files that the machine starts from. */
export const startMebibytes = 64;
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
 * Units of Debian that no hub needs. Nobody can log in: a prompt would only take the screen from the setup code.
 * Packages and the read-only root file system are never looked after. File systems of the kernel that nobody reads
 * take a second of the boot, with the modules that they load.
 */
const masked = [
  "apt-daily.timer",
  "apt-daily-upgrade.timer",
  "dev-hugepages.mount",
  "dev-mqueue.mount",
  "dpkg-db-backup.timer",
  "e2scrub_all.timer",
  "e2scrub_reap.service",
  "getty.target",
  "modprobe@drm.service",
  "modprobe@efi_pstore.service",
  "sys-fs-fuse-connections.mount",
  "sys-kernel-config.mount",
  "sys-kernel-debug.mount",
  "sys-kernel-tracing.mount",
  "systemd-journal-catalog-update.service",
  "systemd-journal-flush.service",
  "systemd-pstore.service",
  "systemd-udev-load-credentials.service",
  "systemd-update-done.service",
  "systemd-user-sessions.service",
] as const;

/** Programs of systemd that look at each boot for what no image has. */
const maskedGenerators = [
  "systemd-getty-generator",
  "systemd-gpt-auto-generator",
  "systemd-hibernate-resume-generator",
  "systemd-rc-local-generator",
  "systemd-ssh-generator",
  "systemd-system-update-generator",
  "systemd-sysv-generator",
  "systemd-tpm2-generator",
] as const;

/** Debian's archives of a board: its root file system, and the unpacked packages with firmware. */
export interface ImageBase {
  readonly root: string;
  readonly firmware: string;
}

/**
 * Returns the archives that a board's image is made from.
 * @throws Error when the board has no image, or one that cannot be made here
 */
export async function imageBaseOf(profile: string): Promise<ImageBase> {
  const { board } = readProfile(profile);
  if (board?.image === undefined)
    throw new Error(`${profile} has no image: its machines bring a Debian of their own`);
  const { boot, debian, kernel } = board.image;
  if (kernel.source !== "debian")
    throw new Error(
      `${profile}: its kernel ${kernel.package} is not in Debian; npm run -s package -- rpi-image-gen is for such a board`,
    );
  if (boot !== "u-boot")
    throw new Error(`${profile}: only an image that starts by U-Boot can be made, not by ${boot}`);
  return {
    root: await baseOf(debian, board.architecture, [...imageBasePackages, kernel.package]),
    firmware: await unpackedOf(debian, board.architecture, unpackedFor(board.image)),
  };
}

/** Debian packages of which files are taken, though nobody installs them. */
function unpackedFor({ firmware, wifi }: Image): readonly string[] {
  return [...firmware, ...initialPackages, ...(wifi ? wifiPackages : [])];
}

/** No other partition has this type: systemd-repart tells partitions by their types alone. It is that of a /var. */
export const dataType = "4d21b016-b534-45c2-a9fb-5c16e091fd2d";
/** Has systemd-repart give the partition for data the rest of the card. */
export const dataPartition = `[Partition]\nType=${dataType}\nLabel=data\n`;

/** What the root file system has beside Debian and the release. It is never written to: data is on /var. */
const settings: Readonly<Record<string, string>> = {
  // The data partition is empty on a new card: systemd makes and grows its file system. A slow card is waited for.
  "etc/fstab":
    "PARTLABEL=data /var ext4 noatime,x-systemd.makefs,x-systemd.growfs,x-systemd.device-timeout=0 0 2\n",
  // Empty: each boot has an id of its own, as nothing can keep one. So addresses are asked for by that of the network card.
  "etc/machine-id": "",
  "etc/hostname": "ledge\n",
  "etc/systemd/journald.conf.d/ledge.conf": "[Journal]\nStorage=volatile\nRuntimeMaxUse=16M\n",
  "etc/systemd/network/80-ledge.network":
    "[Match]\nName=en* eth* end*\n[Network]\nDHCP=yes\nMulticastDNS=no\n[DHCPv4]\nClientIdentifier=mac\n[DHCPv6]\nDUIDType=link-layer\n",
  // Nobody can log in to read the journal: the address and the setup code are shown on the screen and the serial line.
  "usr/lib/systemd/system/ledge.service.d/20-console.conf": "[Service]\nStandardOutput=journal+console\n",
  // Who waits for the machine waits for the hub.
  "usr/lib/systemd/system/ledge.service.d/21-first.conf": "[Service]\nStartupCPUWeight=1000\n",
  "usr/lib/repart.d/50-data.conf": dataPartition,
};

const enabled: Readonly<Record<string, string>> = {
  "multi-user.target.wants/ledge.service": "ledge.service",
  "multi-user.target.wants/systemd-networkd.service": "systemd-networkd.service",
  "sysinit.target.wants/systemd-resolved.service": "systemd-resolved.service",
  "sysinit.target.wants/systemd-timesyncd.service": "systemd-timesyncd.service",
};

/** Where the parts of an image lie. */
export interface ImageFiles {
  readonly disk: string;
  /** U-Boot, for a machine that is given it. */
  readonly uBoot: string;
  /** What a bundle brings: the file system with the kernel, and the root file system. */
  readonly boot: string;
  readonly root: string;
}

/**
 * Builds a disk image: files that the machine starts from, two slots for kernel and root file system, of which the
 * first is filled, and an empty partition for data. Needs root, and from Debian squashfs-tools, dosfstools, mtools,
 * fdisk, kmod and xz-utils; no loop device.
 * @param profile file of the board's profile
 * @param out folder for the image; it is replaced
 * @param keyring PEM of the certificates whose updates the machine installs; undefined: it installs none
 * @throws Error when the board has no image, or its root file system is larger than a slot
 */
export async function buildImage(
  base: ImageBase,
  profile: string,
  out: string,
  keyring?: string,
): Promise<ImageFiles> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const [tree, root, firmware] = [join(out, "release"), join(out, "root"), join(out, "firmware")];
  const { board, version } = await writeTree(tree, profile);
  const { image } = board;
  if (image === undefined)
    throw new Error(`${profile} has no image: its machines bring a Debian of their own`);
  for (const [archive, folder] of [
    [base.root, root],
    [base.firmware, firmware],
  ] as const) {
    mkdirSync(folder);
    execFileSync("tar", ["-xf", archive, "-C", folder, "--numeric-owner", "--exclude=./dev/*"]);
  }
  const files = {
    disk: join(out, "disk.img"),
    uBoot: join(out, "u-boot.bin"),
    boot: join(out, "boot.vfat"),
    root: join(out, "root.squashfs"),
  };
  const { bootMebibytes, rootMebibytes, dataMebibytes } = image.partitions;
  const start = join(out, "start.vfat");
  const deviceTrees = only(join(root, "usr/lib"), "linux-image-*");
  makeVfat(start, "START", startMebibytes, bootFiles(board, image, { firmware, deviceTrees }));
  makeVfat(files.boot, "BOOT", bootMebibytes, {
    vmlinuz: { from: only(join(root, "boot"), "vmlinuz-*") },
    "initrd.img": { text: initialFiles({ root, unpacked: firmware }, join(out, "initial")) },
  });
  cpSync(uBootIn(firmware, image.uBoot ?? ""), files.uBoot);
  const parts = partsOf(root, firmware, { ...image, firmware: [...unpackedFor(image)] }, board);
  strip(root);
  execFileSync("cp", ["-rT", "--preserve=mode", tree, root]);
  // The network's and the radios' firmware, where the kernel looks for it.
  const loaded = join(firmware, "usr/lib/firmware");
  if (existsSync(loaded))
    execFileSync("cp", ["-rT", "--preserve=mode,links", loaded, join(root, "usr/lib/firmware")]);
  furnish(root, board);
  writeUpdateFiles(root, readProfile(profile).name, keyring);
  if (image.wifi) writeWifiFiles(root, firmware);
  writeParts(out, version, parts, { tree, root, firmware });
  packRoot(root, files.root);
  const size = statSync(files.root).size / mebibyte;
  if (size > rootMebibytes)
    throw new Error(`the root file system takes ${size.toFixed(1)} MiB; its slot has ${rootMebibytes}`);
  const starts = partitionedDisk(files.disk, [
    { name: "start", mebibytes: startMebibytes },
    { name: "slots", mebibytes: slotsMebibytes },
    { name: "boot-a", mebibytes: bootMebibytes },
    { name: "rootfs-a", mebibytes: rootMebibytes },
    { name: "boot-b", mebibytes: bootMebibytes },
    { name: "rootfs-b", mebibytes: rootMebibytes },
    { name: "data", mebibytes: dataMebibytes, type: dataType },
  ]);
  for (const [name, part] of Object.entries({ start, "boot-a": files.boot, "rootfs-a": files.root }))
    copyInto(files.disk, part, starts[name] ?? 0);
  for (const path of [tree, root, firmware]) rmSync(path, { recursive: true });
  return files;
}

/** Makes a root file system that is only read, of a folder. The same files give the same bytes. */
export function packRoot(root: string, out: string): void {
  const packing = ["-noappend", "-quiet", "-no-progress", "-comp", "zstd", "-Xcompression-level", "15"];
  const times = ["-all-time", String(sourceDate()), "-mkfs-time", String(sourceDate())];
  execFileSync("mksquashfs", [root, out, ...packing, ...times], { stdio: "ignore" });
}

/** Packs a disk image; writers of cards unpack it while they write. */
export async function packImage(disk: string): Promise<string> {
  const file = `${disk}.zst`;
  await pipeline(createReadStream(disk), createZstdCompress(), createWriteStream(file));
  return file;
}

/** Drivers of what no board with an image has, and no stick is. */
const unusedModules = [
  "drivers/gpu/drm/{amd,nouveau,radeon,xe}",
  "drivers/infiniband",
  "drivers/media",
  "drivers/net/ethernet/{chelsio,mellanox,qlogic}",
  "sound",
] as const;

/** Removes what no running hub reads. */
function strip(root: string): void {
  const unused = [
    "boot/*",
    "var/*",
    "usr/share/doc/*",
    "usr/share/man/*",
    "usr/share/locale/*",
    "usr/share/info/*",
    // The machine starts with those of the first partition.
    "usr/lib/linux-image-*",
    ...unusedModules.map((path) => `usr/lib/modules/*/kernel/${path}`),
  ];
  for (const path of [
    ...globSync(unused, { cwd: root }),
    "initrd.img",
    "initrd.img.old",
    "vmlinuz",
    "vmlinuz.old",
  ])
    rmSync(join(root, path), { recursive: true, force: true });
  execFileSync("depmod", ["-b", root, basename(only(root, "usr/lib/modules/*"))]);
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
  const off = [
    ...masked.map((unit) => join("system", unit)),
    ...maskedGenerators.map((name) => join("system-generators", name)),
  ];
  for (const path of off) {
    const link = join(root, "etc/systemd", path);
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync("/dev/null", link);
  }
  rmSync(join(root, "etc/resolv.conf"), { force: true });
  symlinkSync("../run/systemd/resolve/stub-resolv.conf", join(root, "etc/resolv.conf"));
  // systemd-sysusers cannot add it to a file system that is only read.
  for (const name of ["passwd", "group"] as const) {
    const file = join(root, "etc", name);
    writeFileSync(file, withHub(readFileSync(file, "utf8"), name));
  }
  appendFileSync(join(root, "etc/shadow"), "ledge:!*:::::::\n");
}

function only(folder: string, pattern: string): string {
  const [first, ...more] = globSync(pattern, { cwd: folder });
  if (first === undefined || more.length > 0) throw new Error(`${folder} has not one ${pattern}`);
  return join(folder, first);
}
