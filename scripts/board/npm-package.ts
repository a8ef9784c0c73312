import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";

const root = join(import.meta.dirname, "..", "..");
const cache = join(cacheFolder(), "npm");

/** A package of the npm registry, as a lock file pins it. */
export interface Pin {
  readonly name: string;
  readonly version: string;
  /** `sha512-…`, of the archive. */
  readonly integrity: string;
}

/**
 * Returns the folder of a package's files. Fetches the package once; later calls need no network.
 * @throws Error when the registry does not answer, or answers with other bytes than were pinned
 */
export function npmPackage({ name, version, integrity }: Pin): string {
  const home = join(cache, `${name.replace("/", "+")}@${version}`);
  if (existsSync(home)) return join(home, "package");
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "new-"));
  try {
    const flags = ["--silent", "--pack-destination", fresh];
    const archive = join(
      fresh,
      execFileSync("npm", ["pack", ...flags, `${name}@${version}`])
        .toString()
        .trim(),
    );
    const [kind = "", expected] = integrity.split(/-(.*)/s);
    const found = createHash(kind).update(readFileSync(archive)).digest("base64");
    if (found !== expected) throw new Error(`${name}@${version} is not what the lock file pins`);
    execFileSync("tar", ["-xzf", archive, "-C", fresh]);
    rmSync(archive);
    renameSync(fresh, home);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return join(home, "package");
}

/** Returns what pnpm's lock file pins for a package of which it has one version. */
export function lockedPin(name: string): Pin {
  const lock = readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
  const quoted = name.replaceAll(/[/.]/g, "\\$&");
  const found = new RegExp(
    `^ {2}'?${quoted}@([\\d.]+)'?:\\n {4}resolution: \\{integrity: (\\S+?)[,}]`,
    "m",
  ).exec(lock);
  if (found === null) throw new Error(`pnpm-lock.yaml has no ${name}`);
  return { name, version: found[1] as string, integrity: found[2] as string };
}

/** Returns what the tool chain pins for Node on Linux. */
export function nodePin(cpu: string): Pin {
  const file = join(root, "scripts", "toolchain", "package-lock.json");
  const { packages } = JSON.parse(readFileSync(file, "utf8")) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const name = `node-linux-${cpu}`;
  const entry = packages[`node_modules/${name}`];
  if (entry === undefined) throw new Error(`the tool chain has no Node for ${cpu}`);
  return { name, version: entry.version, integrity: entry.integrity };
}
