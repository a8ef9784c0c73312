import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { sourceDate } from "../source-date.ts";

const program = join(import.meta.dirname, "..", "..", "systemd", "ledge-init");

/** Modules of what may hold a root file system: QEMU's disk, cards, NVMe, and disks behind USB. */
const drivers = [
  "kernel/drivers/block/virtio_blk.ko.xz",
  "kernel/drivers/mmc/**/*.ko.xz",
  "kernel/drivers/nvme/host/nvme.ko.xz",
  "kernel/drivers/regulator/{fixed,gpio-regulator}.ko.xz",
  "kernel/drivers/reset/reset-raspberrypi.ko.xz",
  "kernel/drivers/scsi/sd_mod.ko.xz",
  "kernel/drivers/usb/{core,dwc2,host,phy}/*.ko.xz",
  "kernel/drivers/usb/storage/{uas,usb-storage}.ko.xz",
  "kernel/fs/squashfs/squashfs.ko.xz",
];

/** Debian packages whose files the initial file system takes, though nobody installs them. */
export const initialPackages = ["busybox"] as const;

/** What busybox is linked with; programs find it where it lies in Debian. */
const libraries = [
  "lib/ld-linux-aarch64.so.1",
  "lib/aarch64-linux-gnu/libc.so.6",
  "lib/aarch64-linux-gnu/libresolv.so.2",
];

/** The names that `ledge-init` calls busybox by. */
const applets = "cat find grep modprobe mount reboot sed sh sleep sort switch_root xargs".split(" ");

/**
 * Makes the initial file system of a slot. Debian's own has drivers and programs for every machine that there may be:
 * it is eight times as large, and an emulated boot takes ten seconds longer with it.
 * @param from the Debian's root file system, with kernel modules, and the folder where `initialPackages` are unpacked
 * @param work folder for intermediate files; it is replaced
 */
export function initialFiles(
  { root, unpacked }: { readonly root: string; readonly unpacked: string },
  work: string,
): Buffer {
  rmSync(work, { recursive: true, force: true });
  const [release = ""] = globSync("*", { cwd: join(root, "usr/lib/modules") });
  const [from, to] = [join(root, "usr/lib/modules", release), join(work, "lib/modules", release)];
  const dependencies = readFileSync(join(from, "modules.dep"), "utf8");
  const modules = withDependencies(globSync(drivers, { cwd: from }), dependencies);
  for (const path of [...modules, "modules.builtin", "modules.builtin.modinfo", "modules.order"]) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(from, path), join(to, path));
  }
  // Busybox loads modules that are not compressed. The whole is.
  execFileSync("xz", ["--decompress", ...modules.map((path) => join(to, path))]);
  execFileSync("depmod", ["-b", work, release]);
  const files: InitialFile[] = [
    { path: "init", mode: 0o100755, data: readFileSync(program) },
    { path: "bin/busybox", mode: 0o100755, data: readFileSync(join(unpacked, "usr/bin/busybox")) },
    ...applets.map((name) => ({ path: `bin/${name}`, mode: 0o120777, data: Buffer.from("busybox") })),
    // Where the kernel looks for it.
    { path: "sbin/modprobe", mode: 0o120777, data: Buffer.from("../bin/busybox") },
    ...libraries.map((path) => ({ path, mode: 0o100755, data: readFileSync(join(root, "usr", path)) })),
    ...globSync(["kernel/**/*.ko", "modules.{alias,dep}"], { cwd: to }).map((path) => ({
      path: join("lib/modules", release, path),
      mode: 0o100644,
      data: readFileSync(join(to, path)),
    })),
    ...["dev", "new", "proc", "sys"].map((path) => ({ path, mode: 0o040755, data: Buffer.alloc(0) })),
  ];
  rmSync(work, { recursive: true });
  const params = { [constants.ZSTD_c_compressionLevel]: 19 };
  return zstdCompressSync(cpio(files), { params });
}

/** Returns modules and all that they need, by the lines of depmod(8)'s `modules.dep`, in order. */
export function withDependencies(modules: readonly string[], dependencies: string): readonly string[] {
  const found = new Set(modules);
  for (const line of dependencies.split("\n")) {
    const [module = "", needed = ""] = line.split(":");
    if (!modules.includes(module)) continue;
    // What these need in turn stands in the same line.
    for (const path of needed.split(" ").filter(Boolean)) found.add(path);
  }
  return [...found].toSorted();
}

/** A file, a folder or a link, by type and rights as stat(2) has them; a link's data is where it leads. */
export interface InitialFile {
  readonly path: string;
  readonly mode: number;
  readonly data: Buffer;
}

/**
 * Returns an archive as the kernel unpacks it, with the folders that files lie in
 * (https://docs.kernel.org/driver-api/early-userspace/buffer-format.html). The same files give the same bytes.
 */
export function cpio(files: readonly InitialFile[]): Buffer {
  const all = new Map(files.map((file) => [file.path, file]));
  for (const { path } of files) {
    for (let above = dirname(path); above !== "."; above = dirname(above))
      if (!all.has(above)) all.set(above, { path: above, mode: 0o040755, data: Buffer.alloc(0) });
  }
  // A folder comes before what is in it.
  const sorted = [...all.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const end = { path: "TRAILER!!!", mode: 0, data: Buffer.alloc(0) };
  return Buffer.concat([...sorted, end].flatMap((file, index) => record(file, index)));
}

function record({ path, mode, data }: InitialFile, inode: number): readonly Buffer[] {
  const name = Buffer.from(`${path}\0`);
  const owner = [0, 0];
  const devices = [0, 0, 0, 0];
  const fields = [inode, mode, ...owner, 1, sourceDate(), data.length, ...devices, name.length, 0];
  const header = `070701${fields.map((field) => field.toString(16).padStart(8, "0")).join("")}`;
  return [padded(Buffer.concat([Buffer.from(header), name])), padded(data)];
}

/** Returns the bytes with zeros up to a multiple of four. */
function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
