import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleInto } from "../bundle.ts";
import { nodePin } from "./npm-package.ts";
import { keepOnly } from "./release-tree.ts";

const root = join(import.meta.dirname, "..", "..");
const starter = join(import.meta.dirname, "npx");

/** Fields of a packed package that would have npm build it, or look for what is left out. */
const unwanted = [
  "bundledDependencies",
  "cpu",
  "devDependencies",
  "gypfile",
  "libc",
  "optionalDependencies",
  "os",
  "peerDependencies",
  "scripts",
] as const;

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
}

/**
 * Builds the npm package `@ledge/hub`: a release for Linux on both architectures, whose packages are inside, and
 * which fetches nothing but a Node of its own where the user's is older.
 * @param out folder for the package
 * @param work folder for intermediate files; it is replaced
 * @returns the archive's path
 */
export async function buildNpx(out: string, work: string): Promise<string> {
  rmSync(work, { recursive: true, force: true });
  await bundleInto(work);
  keepOnly(["amd64", "arm64"], work);
  for (const name of ["cloud", "ledge-cloud", "oidc-provider"]) rmSync(join(work, "lib", `${name}.mjs`));
  cpSync(starter, join(work, "bin"), { recursive: true });
  for (const page of ["LICENSE", "CHANGELOG.md"]) cpSync(join(root, page), join(work, page));
  cpSync(join(root, "docs", "npx.md"), join(work, "README.md"));
  const { version } = read(join(work, "package.json"));
  // The library of Z-Wave is in a bundle, and its database beside it.
  const database = join(work, "node_modules", "@zwave-js", "config");
  write(join(database, "package.json"), { name: "@zwave-js/config", version });
  const packed = packagesIn(work);
  const node = (cpu: string): [string, string] => {
    const pin = nodePin(cpu);
    return [pin.name, pin.version];
  };
  write(join(work, "package.json"), {
    name: "@ledge/hub",
    version,
    description: "An event-sourced automation hub",
    license: "Apache-2.0",
    type: "module",
    bin: { hub: "bin/hub.mjs", ledge: "bin/ledge.mjs" },
    os: ["linux"],
    libc: ["glibc"],
    engines: { node: ">=20" },
    dependencies: packed,
    bundleDependencies: Object.keys(packed),
    optionalDependencies: Object.fromEntries([node("x64"), node("arm64")]),
  });
  mkdirSync(out, { recursive: true });
  const name = execFileSync("npm", ["pack", "--silent", "--pack-destination", out], { cwd: work });
  return join(out, name.toString().trim());
}

/**
 * Rewrites the manifests below a folder so that npm takes each package as it is, with the packages inside it.
 * @returns the packages of the folder itself, with their versions
 */
function packagesIn(folder: string): Record<string, string> {
  const modules = join(folder, "node_modules");
  const found: Record<string, string> = {};
  for (const path of globSync(["*/package.json", "@*/*/package.json"], { cwd: modules }).toSorted()) {
    const file = join(modules, path);
    const manifest = read(file);
    for (const field of unwanted) Reflect.deleteProperty(manifest, field);
    manifest.dependencies = packagesIn(join(file, ".."));
    write(file, manifest);
    found[manifest.name] = manifest.version;
  }
  return found;
}

function read(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}

function write(path: string, manifest: object): void {
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}
