// Bundles what a device runs: one file per kind of process, each with all that it needs but packages that load code or
// data from their own folder, which stand beside the files as packages.
//
//   node scripts/toolchain.mjs exec scripts/bundle.ts [--out DIR]
//
//   DIR/lib/{hub,ledge,log-child,history-child,journal-worker,past-worker,adapter-<protocol>}.mjs
//   DIR/lib/recovered-key.mjs, for when the hub signs a key itself   DIR/lib/nodemailer.mjs, for when it sends e-mail
//   DIR/lib/small-heap.mjs, which the hub loads before the rest: loading that is a burst, too
//   DIR/lib/{cloud,ledge-cloud}.mjs
//   DIR/node_modules   DIR/firmware-profiles   DIR/package.json
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");
const hub = join(root, "packages", "hub");
const cloud = join(root, "packages", "cloud");

const zigbee = join(root, "packages", "adapters", "zigbee");

/** Packages that load code or data from their own folder -> the folder of the package that uses them. */
const beside: Readonly<Record<string, string>> = {
  lmdb: join(root, "packages", "log"),
  "@serialport/bindings-cpp": packageFolder("serialport", join(root, "packages", "adapters", "modbus")),
  "zigbee-herdsman": zigbee,
  // A file for each maker's devices: only those are loaded that there are.
  "zigbee-herdsman-converters": zigbee,
};

/** What of such a package is used when it runs; the rest is what it was built from. */
const usedKinds: ReadonlySet<string> = new Set(["", ".cjs", ".js", ".json", ".mjs", ".node"]);

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Puts the bundles into a folder, in place of what was bundled there before. */
export async function bundleInto(folder: string): Promise<void> {
  for (const part of ["lib", "node_modules", "firmware-profiles"]) {
    rmSync(join(folder, part), { recursive: true, force: true });
  }
  mkdirSync(folder, { recursive: true });
  const { version, dependencies = {} } = manifestIn(hub);
  const adapters = Object.keys(dependencies).filter((name) => name.startsWith("@ledge/adapter-"));
  const source = join(hub, "src");
  await Promise.all([
    bundle(folder, "hub", `import ${JSON.stringify(join(source, "main.ts"))};`, 'import "./small-heap.mjs";'),
    bundle(
      folder,
      "small-heap",
      `import { keepHeapSmall } from ${JSON.stringify(join(source, "process/heap.ts"))}; keepHeapSmall();`,
    ),
    bundle(folder, "ledge", `import ${JSON.stringify(join(source, "cli.ts"))};`),
    bundle(folder, "cloud", `import ${JSON.stringify(join(cloud, "src", "main.ts"))};`),
    bundle(folder, "ledge-cloud", `import ${JSON.stringify(join(cloud, "src", "cli.ts"))};`),
    bundle(folder, "log-child", `import ${JSON.stringify(join(source, "start/log-child.ts"))};`),
    bundle(
      folder,
      "journal-worker",
      `import ${JSON.stringify(join(root, "packages/log/src/journal/worker.ts"))};`,
    ),
    bundle(folder, "history-child", `import ${JSON.stringify(join(source, "history/history-child.ts"))};`),
    bundle(folder, "past-worker", `import ${JSON.stringify(join(source, "past/worker.ts"))};`),
    bundle(folder, "nodemailer", 'export * from "nodemailer";'),
    ...adapters.map((name) => bundle(folder, name.replace("@ledge/", ""), adapterEntry(name))),
  ]);
  for (const [name, user] of Object.entries(beside)) copyPackage(name, user, folder);
  cpSync(join(root, "firmware-profiles"), join(folder, "firmware-profiles"), { recursive: true });
  const manifest = { name: "ledge", version, private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

function adapterEntry(name: string): string {
  return `import { runAdapter } from "@ledge/port"; import { createAdapter } from "${name}"; runAdapter(createAdapter);`;
}

/** @param first stands before all else: what it imports is loaded before the packages beside the bundles. */
async function bundle(folder: string, name: string, entry: string, first = ""): Promise<void> {
  await build({
    stdin: { contents: entry, resolveDir: hub, sourcefile: `${name}.entry.ts`, loader: "ts" },
    outfile: join(folder, "lib", `${name}.mjs`),
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    // Names stay, so that a stack in the log can be read.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "error",
    external: Object.keys(beside),
    plugins: [besides],
    // Packages in the older module format ask for node's own modules by require.
    banner: {
      js: `${first}import { createRequire as _requireOf } from "node:module"; const require = _requireOf(import.meta.url);`,
    },
  });
}

/** What is loaded only at times is no part of the hub's own file. */
const besides: Plugin = {
  name: "besides",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^@ledge\/adapter-|^nodemailer$/ }, ({ kind, path }) =>
      kind === "dynamic-import"
        ? { path: `./${basename(path).replace(/\.ts$/, "")}.mjs`, external: true }
        : undefined,
    );
  },
};

/** Copies a package and, each into it, those that it depends on and that do not stand beside the bundles. */
function copyPackage(name: string, user: string, into: string): void {
  const from = packageFolder(name, user);
  const to = join(into, "node_modules", name);
  cpSync(from, to, {
    recursive: true,
    filter: (path) => basename(path) !== "node_modules" && usedKinds.has(extname(path)),
  });
  const { dependencies = {}, optionalDependencies = {} } = manifestIn(from);
  for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (other in optionalDependencies && !isThere(other, from)) continue;
    if (standsBeside(other, from)) continue;
    copyPackage(other, from, to);
  }
}

/** Whether a package finds what it names among those beside the bundles: there is one of it, not one for each. */
function standsBeside(name: string, user: string): boolean {
  const first = beside[name];
  return first !== undefined && packageFolder(name, first) === packageFolder(name, user);
}

/** Where a package that another one names is installed. */
function packageFolder(name: string, user: string): string {
  for (let folder = realpathSync(user); folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(found)) return realpathSync(found);
  }
  throw new Error(`${name} is not installed for ${user}`);
}

function isThere(name: string, user: string): boolean {
  try {
    return packageFolder(name, user) !== "";
  } catch {
    return false;
  }
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "dist") } } });
  await bundleInto(resolve(values.out));
}
