import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cacheFolder } from "./cache-folder.ts";

const cache = join(cacheFolder(), "board");

/** Debian packages of a machine that a package of Ledge is installed on. */
export const machinePackages = [
  "ca-certificates",
  "curl",
  "dbus",
  "init-system-helpers",
  "libstdc++6",
  "polkitd",
  "systemd",
  "systemd-sysv",
  "udev",
] as const;

/**
 * Registers an emulator in the namespace of the caller alone, and makes way for the program. The registration is
 * the ELF header of 64-bit ARM: https://docs.kernel.org/admin-guide/binfmt-misc.html.
 */
const emulated = `set -e
read _
mount -t binfmt_misc none "$1"
printf '%s' ':ledge:M::\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:/usr/bin/qemu-aarch64-static:F' > "$1/register"
shift
exec "$@"
`;

/**
 * Returns an archive with the root file system of a Debian. It is made once for each list of packages, from
 * Debian's mirror, by mmdebstrap as root: in minutes for this machine's architecture, in half an hour under
 * emulation.
 */
export async function baseOf(
  release: string,
  architecture: string,
  packages: readonly string[],
): Promise<string> {
  return await cached(release, architecture, packages, async (archive, list, fresh) => {
    const flags = ["--quiet", "--mode=root", "--variant=minbase", `--architectures=${architecture}`];
    const command = ["mmdebstrap", ...flags, `--include=${list}`, release, archive] as const;
    const isForeign = architecture === "arm64" && process.arch !== "arm64";
    if (isForeign) await underEmulation(join(fresh, "binfmt"), command);
    else execFileSync(command[0], command.slice(1), { stdio: ["ignore", "ignore", "inherit"] });
  });
}

/**
 * Returns an archive with the files of Debian packages and of what they depend on. Nothing of them runs, so that no
 * emulator is needed. Firmware that is not free is among them.
 */
export async function unpackedOf(
  release: string,
  architecture: string,
  packages: readonly string[],
): Promise<string> {
  return await cached(release, `${architecture}-files`, packages, async (archive, list) => {
    const flags = ["--quiet", "--mode=root", "--variant=extract", `--architectures=${architecture}`];
    const include = ["--components=main,non-free-firmware", `--include=${list}`];
    execFileSync("mmdebstrap", [...flags, ...include, release, archive], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  });
}

async function cached(
  release: string,
  name: string,
  packages: readonly string[],
  make: (archive: string, list: string, fresh: string) => Promise<void>,
): Promise<string> {
  const list = packages.toSorted().join(",");
  const key = createHash("sha256").update(`${release} ${name} ${list}`).digest("hex").slice(0, 12);
  const file = join(cache, `${release}-${name}-${key}.tar`);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "new-"));
  try {
    const archive = join(fresh, "base.tar");
    await make(archive, list, fresh);
    renameSync(archive, file);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return file;
}

/** Runs a program as root of a user namespace with all ids, where programs of 64-bit ARM run too. */
async function underEmulation(mount: string, command: readonly string[]): Promise<void> {
  mkdirSync(mount);
  const flags = ["--user", "--mount", "sh", "-c", emulated, "sh", mount];
  const child = spawn("unshare", [...flags, ...command], { stdio: ["pipe", "ignore", "inherit"] });
  await once(child, "spawn");
  // The program inside waits for a line until its ids are mapped. unshare makes the namespace before it starts sh.
  const ended = once(child, "close");
  await untilUnshared(child.pid ?? 0);
  for (const map of ["uid_map", "gid_map"]) writeFileSync(`/proc/${child.pid}/${map}`, "0 0 65536\n");
  child.stdin.end("go\n");
  const [code] = await ended;
  if (code !== 0) throw new Error(`${command[0]} ended with ${String(code)}`);
}

async function untilUnshared(pid: number): Promise<void> {
  const own = readlinkSync("/proc/self/ns/user");
  for (let tries = 0; tries < 200; tries++) {
    if (readlinkSync(`/proc/${pid}/ns/user`) !== own) return;
    await sleep(50);
  }
  throw new Error("unshare makes no namespace");
}
