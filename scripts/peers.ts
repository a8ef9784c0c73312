// Test suites that run against real programs beside the product, and what brings those programs.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, matchesGlob } from "node:path";

const root = join(import.meta.dirname, "..");

interface Program {
  /** Ends with code 0 where the program is installed. */
  readonly probe: readonly [string, ...string[]];
  /** The package that brings it; none for what only root may do, where a container allows it. */
  readonly debianPackage?: string;
}

interface PeerSuite {
  /** Glob of its test files, from the root of the checkout. */
  readonly files: string;
  readonly needs: readonly Program[];
  /** Too long for every run: it waits for CI to be set. */
  readonly inCiOnly?: boolean;
  /** Debian's stable release has no program that is new enough, or there is no package: CI goes without it. */
  readonly isOptional?: boolean;
  /** A folder that it reads, from the root of the checkout; no package brings it. */
  readonly folder?: string;
}

export interface LeftOut {
  readonly files: readonly string[];
  readonly debianPackages: readonly string[];
  /** A folder that is absent. */
  readonly folder?: string;
  /** It would run for root, where a container allows it. */
  readonly asRoot?: boolean;
  /** It would run if CI were set. */
  readonly waitsForCi?: boolean;
  /** CI goes without it. */
  readonly isOptional?: boolean;
}

/** Debian's own Python is named in full, because another may come first in PATH. */
const pymodbus: Program = {
  probe: ["/usr/bin/python3", "-c", "import pymodbus"],
  debianPackage: "python3-pymodbus",
};
// The server half of pymodbus does not load without it, though Debian only recommends it.
const serialAsyncio: Program = {
  probe: ["/usr/bin/python3", "-c", "import serial_asyncio"],
  debianPackage: "python3-serial-asyncio",
};

/** Debian keeps the programs of a server from PATH. */
const postgres: Program = {
  probe: ["sh", "-c", "ls /usr/lib/postgresql/*/bin/initdb"],
  debianPackage: "postgresql",
};
const nats: Program = { probe: ["nats-server", "--version"], debianPackage: "nats-server" };
const systemd: Program = { probe: ["systemd-analyze", "--version"], debianPackage: "systemd" };
/** Only root mounts, and a container may forbid it to root as well. */
const mounts: Program = { probe: ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"] };
/** A container may forbid namespaces to root as well. */
const namespaces: Program = { probe: ["unshare", "--net", "true"] };
/** Debian keeps it where only root looks. */
const mosquitto: Program = {
  probe: ["sh", "-c", "PATH=$PATH:/usr/sbin; command -v mosquitto"],
  debianPackage: "mosquitto",
};
const mosquittoClients: Program = {
  probe: ["sh", "-c", "command -v mosquitto_pub"],
  debianPackage: "mosquitto-clients",
};
const socat: Program = { probe: ["socat", "-V"], debianPackage: "socat" };

/** The one table. */
const peerSuites: readonly PeerSuite[] = [
  {
    files: "packages/{adapters/modbus/src,hub/src/whole-hub}/*.peer.test.ts",
    needs: [
      socat,
      pymodbus,
      { probe: ["/usr/bin/python3", "-c", "import serial"], debianPackage: "python3-serial" },
      serialAsyncio,
    ],
  },
  { files: "packages/adapters/{zigbee,zwave}/src/*.peer.test.ts", needs: [socat] },
  { files: "packages/{adapters/mqtt,hub}/src/**/mqtt*.peer.test.ts", needs: [mosquitto] },
  {
    files: "packages/adapters/rf433/src/*.peer.test.ts",
    needs: [{ probe: ["rtl_433", "-V"], debianPackage: "rtl-433" }, mosquitto],
  },
  { files: "scripts/session-{ble,mqtt}.peer.test.ts", needs: [mosquitto, mosquittoClients] },
  { files: "scripts/session.peer.test.ts", needs: [pymodbus, serialAsyncio] },
  { files: "packages/{hub,cloud}/src/process/*.peer.test.ts", needs: [systemd, socat] },
  {
    files: "packages/cloud/src/operations/*.peer.test.ts",
    needs: [{ probe: ["promtool", "--version"], debianPackage: "prometheus" }],
  },
  { files: "scripts/units.peer.test.ts", needs: [systemd] },
  {
    files: "scripts/board/*.peer.test.ts",
    needs: [
      { probe: ["mkfs.vfat", "--help"], debianPackage: "dosfstools" },
      { probe: ["mtools", "--version"], debianPackage: "mtools" },
      { probe: ["sfdisk", "--version"], debianPackage: "fdisk" },
      { probe: ["mksquashfs", "-version"], debianPackage: "squashfs-tools" },
      { probe: ["systemd-repart", "--version"], debianPackage: "systemd-repart" },
    ],
  },
  {
    files: "scripts/fleet-files.peer.test.ts",
    needs: [
      { probe: ["docker-compose", "version"], debianPackage: "docker-compose" },
      { probe: ["sh", "-c", "PATH=$PATH:/usr/sbin; haproxy -v"], debianPackage: "haproxy" },
    ],
  },
  {
    // RAUC mounts bundles: as root, where the kernel has loop devices.
    files: "packages/hub/src/update/*.peer.test.ts",
    needs: [
      { probe: ["rauc", "--version"], debianPackage: "rauc" },
      { probe: ["dbus-daemon", "--version"], debianPackage: "dbus" },
      { probe: ["losetup", "--find"], debianPackage: "mount" },
    ],
    isOptional: true,
  },
  // `udevadm verify` came with systemd 254.
  {
    files: "packages/serial/src/*.peer.test.ts",
    needs: [{ probe: ["udevadm", "verify", "--help"], debianPackage: "udev" }],
    isOptional: true,
  },
  {
    files: "packages/adapters/bacnet/src/*.peer.test.ts",
    needs: [
      namespaces,
      { probe: ["ip", "-V"], debianPackage: "iproute2" },
      { probe: ["tshark", "--version"], debianPackage: "tshark" },
    ],
    isOptional: true,
  },
  {
    files: "packages/adapters/upnp/src/*.peer.test.ts",
    needs: [
      namespaces,
      { probe: ["ip", "-V"], debianPackage: "iproute2" },
      { probe: ["gmediarender", "--version"], debianPackage: "gmediarender" },
      // What plays a file, and what reads it.
      {
        probe: ["sh", "-c", "ls /usr/lib/*/gstreamer-1.0/libgstplayback.so"],
        debianPackage: "gstreamer1.0-plugins-base",
      },
      {
        probe: ["sh", "-c", "ls /usr/lib/*/gstreamer-1.0/libgstwavparse.so"],
        debianPackage: "gstreamer1.0-plugins-good",
      },
    ],
    isOptional: true,
  },
  {
    files: "packages/fleet-nats/src/*.peer.test.ts",
    needs: [nats],
  },
  { files: "packages/fleet-postgres/src/**/*.peer.test.ts", needs: [postgres] },
  {
    files:
      "{packages/{cloud/src/{cluster,storage,rates},testkit/src},scripts/fleet{,/hubs,/store}}/*.peer.test.ts",
    needs: [postgres, nats],
  },
  { files: "packages/cloud/src/storage/full-disk.peer.test.ts", needs: [mounts], isOptional: true },
  {
    files: "scripts/fleet/partition.peer.test.ts",
    needs: [namespaces, { probe: ["ip", "-V"], debianPackage: "iproute2" }],
    isOptional: true,
  },
  // Recorded telegrams of meters are no part of the product.
  { files: "packages/mbus/src/recorded.test.ts", needs: [], folder: "../shared/data/mbus", isOptional: true },
  {
    files: "packages/{ui/browser,cloud/src/oauth}/*.browser.test.ts",
    needs: [{ probe: ["chromium", "--version"], debianPackage: "chromium" }],
  },
  // A gateway brings Bluetooth sensors by a broker.
  { files: "packages/ui/browser/pair.browser.test.ts", needs: [mosquitto] },
  {
    files: "scripts/crash/{crash,damage,faults}.test.ts",
    needs: [
      { probe: ["gcc", "--version"], debianPackage: "gcc" },
      { probe: ["sh", "-c", "echo '#include <stdio.h>' | gcc -E -"], debianPackage: "libc6-dev" },
    ],
  },
  {
    files: "bench/**/*.peer.test.ts",
    inCiOnly: true,
    needs: [
      { probe: ["qemu-aarch64", "--version"], debianPackage: "qemu-user" },
      { probe: ["gcc", "--version"], debianPackage: "gcc" },
      { probe: ["dpkg", "--version"], debianPackage: "dpkg" },
    ],
  },
];

/**
 * Parts the test files that can run here from the suites that cannot.
 * @param testFiles paths from the root of the checkout
 * @param isThere whether a program answers its probe
 * @param isCi whether CI is set
 * @param isFolder whether a folder is there, by its path from the root of the checkout
 */
export function partByPeers(
  testFiles: readonly string[],
  isThere: (probe: Program["probe"]) => boolean = answers,
  isCi: boolean = ciIsSet(),
  isFolder: (path: string) => boolean = (path) => existsSync(join(root, path)),
): { files: readonly string[]; leftOut: readonly LeftOut[] } {
  const leftOut: LeftOut[] = [];
  for (const suite of peerSuites) {
    const files = testFiles.filter((file) => matchesGlob(file, suite.files));
    if (files.length === 0) continue;
    if (suite.inCiOnly && !isCi) {
      leftOut.push({ files, debianPackages: [], waitsForCi: true });
      continue;
    }
    if (suite.folder !== undefined && !isFolder(suite.folder)) {
      leftOut.push({ files, debianPackages: [], folder: suite.folder, ...optional(suite) });
      continue;
    }
    const missing = suite.needs.filter((program) => !isThere(program.probe));
    const debianPackages = missing.flatMap(({ debianPackage }) => debianPackage ?? []);
    const asRoot = debianPackages.length < missing.length ? { asRoot: true } : {};
    if (missing.length > 0) leftOut.push({ files, debianPackages, ...asRoot, ...optional(suite) });
  }
  const out = new Set(leftOut.flatMap((suite) => suite.files));
  return { files: testFiles.filter((file) => !out.has(file)), leftOut };
}

/** What a reader is told about the suites left out, and how to bring them in. */
export function describe(leftOut: readonly LeftOut[]): string {
  const lines = leftOut.map(
    (suite) =>
      `  ${suite.files.join(", ")}: ${suite.waitsForCi ? "minutes long, runs where CI is set" : `needs ${needsOf(suite)}`}`,
  );
  const packages = packagesOf(leftOut).join(" ");
  const remedy =
    packages === "" ? "" : `\nto run them: apt-get install ${packages}, or as root npm test -- --install`;
  return `left out:\n${lines.join("\n")}${remedy}`;
}

function needsOf({ folder, debianPackages, asRoot }: LeftOut): string {
  return (
    folder ??
    [...debianPackages, ...(asRoot ? ["root, and leave to make network namespaces"] : [])].join(", ")
  );
}

/** In CI nothing may be left out in silence, and what takes minutes runs. */
export function ciIsSet(): boolean {
  return !["", "0", "false"].includes(process.env["CI"] ?? "");
}

/**
 * Installs the Debian packages that the suites left out need. Needs root; says all it says on stderr.
 * A failure is only told: the suite is then left out, which is what a reader needs to know.
 */
export async function install(leftOut: readonly LeftOut[]): Promise<void> {
  if (packagesOf(leftOut).length === 0) return;
  const flags = ["install", "-y", "--no-install-recommends", ...packagesOf(leftOut)];
  for (const args of [["update"], flags]) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const child = spawn("apt-get", ["-q", ...args], { stdio: ["ignore", 2, 2], env });
    const [ended] = await once(child, "close").catch((error: unknown) => [error]);
    if (ended !== 0) console.error(`apt-get ${args.join(" ")} failed: ${String(ended)}`);
  }
}

function optional({ isOptional }: PeerSuite): { readonly isOptional?: true } {
  return isOptional ? { isOptional: true } : {};
}

function packagesOf(leftOut: readonly LeftOut[]): readonly string[] {
  return [...new Set(leftOut.flatMap((suite) => suite.debianPackages))];
}

function answers([program, ...args]: Program["probe"]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}
