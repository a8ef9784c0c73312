import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const cache = join(import.meta.dirname, "..", "..", ".toolchain", "board");

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
 * Returns an archive with the root file system of a Debian. It is made once for each list of packages, from
 * Debian's mirror, by mmdebstrap as root.
 */
export function baseOf(release: string, architecture: string, packages: readonly string[]): string {
  const list = [...packages].toSorted().join(",");
  const key = createHash("sha256").update(`${release} ${architecture} ${list}`).digest("hex").slice(0, 12);
  const file = join(cache, `${release}-${architecture}-${key}.tar`);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "new-"));
  try {
    const archive = join(fresh, "base.tar");
    const flags = ["--quiet", "--mode=root", "--variant=minbase", `--architectures=${architecture}`];
    execFileSync("mmdebstrap", [...flags, `--include=${list}`, release, archive], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    renameSync(archive, file);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return file;
}
