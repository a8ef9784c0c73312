import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Board } from "@ledge/hub/board";
import { readProfile } from "@ledge/hub/profile";
import { bundleInto } from "../bundle.ts";
import { lockedPin, nodePin, npmPackage } from "./npm-package.ts";

export type Architecture = Board["architecture"];

/** Node's name of each architecture. */
const cpus: Readonly<Record<Architecture, string>> = { amd64: "x64", arm64: "arm64" };

/** Packages with native code, one for each architecture, by the start of their names. */
const nativePackages = ["@lmdb/lmdb-linux-", "@msgpackr-extract/msgpackr-extract-linux-"] as const;

const root = join(import.meta.dirname, "..", "..");

/** Where each file of `systemd/` belongs. */
const unitFiles: Readonly<Record<string, string>> = {
  "ledge.service": "usr/lib/systemd/system/ledge.service",
  "ledge.sysusers": "usr/lib/sysusers.d/ledge.conf",
  "ledge.rules": "usr/share/polkit-1/rules.d/50-ledge.rules",
  "ledge.modules": "usr/lib/modules-load.d/ledge.conf",
  "65-ledge-serial.rules": "usr/lib/udev/rules.d/65-ledge-serial.rules",
};

const command = `#!/bin/sh
# The command ledge of the hub that systemd runs.
case " $* " in
  *" --data "*) ;;
  *) [ $# -eq 0 ] || set -- "$@" --data /var/lib/ledge ;;
esac
exec /opt/ledge/bin/node /opt/ledge/lib/ledge.mjs "$@"
`;

/**
 * Writes the files of an installed hub as they stand on a machine: the release with its own Node in
 * `/opt/ledge`, the units, the command `ledge`, and the board's profile as `/etc/ledge/profile.json`.
 * @param folder stands for the machine's root; it is replaced
 * @param profile the file of the board's profile, which names the architecture
 * @returns the release's version and the board
 * @throws Error when the profile is for no machine, or a package for its architecture cannot be had
 */
export async function writeTree(folder: string, profile: string): Promise<{ version: string; board: Board }> {
  const { board } = readProfile(profile);
  if (board === undefined) throw new Error(`${profile} is for no machine: it has no field board`);
  rmSync(folder, { recursive: true, force: true });
  const release = join(folder, "opt", "ledge");
  await bundleInto(release);
  keepOnly([board.architecture], release);
  const cpu = cpus[board.architecture];
  const node = process.arch === cpu ? process.execPath : join(npmPackage(nodePin(cpu)), "bin", "node");
  put(node, join(release, "bin", "node"), 0o755);
  cpSync(join(root, "docs"), join(release, "docs"), {
    recursive: true,
    filter: (path) => !path.endsWith("screenshots"),
  });
  for (const [name, path] of Object.entries(unitFiles)) put(join(root, "systemd", name), join(folder, path));
  const unit = join(folder, unitFiles["ledge.service"] as string);
  write(unit, readFileSync(unit, "utf8").replace("/usr/bin/node", "/opt/ledge/bin/node"));
  write(
    join(folder, "usr/lib/systemd/system/ledge.service.d/10-board.conf"),
    `# From the profile ${basename(profile)}.\n[Service]\nMemoryMax=${board.memory.hubMebibytes}M\n`,
  );
  write(join(folder, "usr/bin/ledge"), command, 0o755);
  put(profile, join(folder, "etc/ledge/profile.json"));
  const { version } = JSON.parse(readFileSync(join(release, "package.json"), "utf8")) as { version: string };
  return { version, board };
}

/** Removes native code for other platforms, and brings that for these. */
export function keepOnly(architectures: readonly Architecture[], release: string): void {
  const kept = architectures.map((architecture) => cpus[architecture]);
  for (const prefix of nativePackages) {
    const [scope = "", stem = ""] = prefix.split("/");
    const found = globSync(`**/node_modules/${scope}/${stem}*`, { cwd: release });
    for (const folder of new Set(found.map((path) => dirname(join(release, path))))) {
      const wanted = kept.map((cpu) => `${stem}${cpu}`);
      for (const name of readdirSync(folder))
        if (name.startsWith(stem) && !wanted.includes(name)) rmSync(join(folder, name), { recursive: true });
      for (const name of wanted) {
        if (existsSync(join(folder, name))) continue;
        cpSync(npmPackage(lockedPin(`${scope}/${name}`)), join(folder, name), { recursive: true });
      }
    }
  }
  for (const path of globSync("**/prebuilds/*", { cwd: release })) {
    if (!kept.some((cpu) => basename(path) === `linux-${cpu}`))
      rmSync(join(release, path), { recursive: true });
  }
  // Left are builds for other C libraries, and for the internals of other releases of Node.
  for (const path of globSync("**/*.node", { cwd: release })) {
    if (!path.endsWith("glibc.node") || /abi\d+/.test(basename(path))) rmSync(join(release, path));
  }
}

function put(from: string, to: string, mode = 0o644): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { dereference: true });
  chmodSync(to, mode);
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}
