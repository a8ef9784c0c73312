// Bundles what a device runs: one file per kind of process, with everything it needs. Packages that load code or
// data from their own folder are copied beside the bundles instead.
//
//   node scripts/toolchain.mjs exec scripts/bundle.ts [--out DIR]
//
//   DIR/lib/{hub,ledge,log-child,history-child,journal-worker,past-worker,adapter-<protocol>}.mjs
//   DIR/lib/recovered-key.mjs, loaded when the hub signs a key itself   DIR/lib/nodemailer.mjs, when it sends e-mail
//   DIR/lib/small-heap.mjs, which the hub loads first, because loading the rest takes a burst of memory too
//   DIR/lib/{cloud,ledge-cloud}.mjs   DIR/lib/oidc-provider.mjs, loaded with the first request for OAuth2
//   DIR/ui, the web interface   DIR/node_modules   DIR/firmware-profiles   DIR/package.json
//   DIR/sbom.{cdx,spdx}.json, the packages that are in it
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build, type Plugin, transform } from "esbuild";
import { componentsOf, cycloneDx, spdx } from "./sbom.ts";
import { sourceDate } from "./source-date.ts";
import { buildWeb } from "./web.ts";

const root = join(import.meta.dirname, "..");
const hub = join(root, "packages", "hub");
const cloud = join(root, "packages", "cloud");

const zigbee = join(root, "packages", "adapters", "zigbee");

/** Packages that load code or data from their own folder -> the folder of the package that uses them. */
const beside: Readonly<Record<string, string>> = {
  lmdb: join(root, "packages", "log"),
  "@serialport/bindings-cpp": packageFolder("serialport", join(root, "packages", "serial")),
  "zigbee-herdsman": zigbee,
  // It has one file per maker, and loads only the files of makers that are present.
  "zigbee-herdsman-converters": zigbee,
};

const zwave = join(root, "packages", "adapters", "zwave");
/** The package with the library's database of Z-Wave devices, and the folder where it stands beside the bundles. */
const zwaveConfig = "@zwave-js/config";
const zwaveDatabase = `node_modules/${zwaveConfig}/config`;

/** The kinds of files that such a package uses at run time. The rest is what it was built from. */
const usedKinds: ReadonlySet<string> = new Set(["", ".cjs", ".js", ".json", ".mjs", ".node"]);

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Writes the bundles into a folder, and replaces earlier ones. */
export async function bundleInto(folder: string): Promise<void> {
  const used = await bundlePrograms(folder);
  const components = componentsOf([...used, ...(await copyPackages(folder))]);
  const { version } = manifestIn(hub);
  writeFileSync(join(folder, "sbom.cdx.json"), cycloneDx(version, components));
  const built = new Date(sourceDate() * 1000);
  writeFileSync(join(folder, "sbom.spdx.json"), spdx(version, components, built));
}

/**
 * As `bundleInto`, but leaves what was made of the same sources, and writes no list of parts, which belongs to a release.
 */
export async function bundleIfChanged(folder: string): Promise<void> {
  const made = join(folder, "made-of.json");
  const locks = ["pnpm-lock.yaml", "scripts/bundle.ts"];
  const code = ["packages/**/*.{ts,tsx,css,html,svg,json}", "firmware-profiles/**/*.json"];
  const [packages, programs] = [hashOf(locks), hashOf([...locks, "scripts/web.ts", ...code])];
  const before = existsSync(made) ? (JSON.parse(readFileSync(made, "utf8")) as Record<string, string>) : {};
  if (before["packages"] === packages && before["programs"] === programs) return;
  // Whoever is interrupted begins anew.
  rmSync(made, { force: true });
  if (before["programs"] !== programs) await bundlePrograms(folder);
  if (before["packages"] !== packages) await copyPackages(folder);
  writeFileSync(made, JSON.stringify({ packages, programs }));
}

/** Returns one hash of the paths and the content of files below the checkout. */
function hashOf(patterns: readonly string[]): string {
  const hash = createHash("sha256");
  const exclude = ["**/node_modules", "**/dist", "**/*.test.ts"];
  for (const path of globSync(patterns, { cwd: root, exclude }).toSorted())
    if (statSync(join(root, path)).isFile())
      hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

/** Bundles the programs and the web interface. @returns the files that went into them */
async function bundlePrograms(folder: string): Promise<readonly string[]> {
  const used: string[] = [];
  const bundle = async (name: string, entry: string, first?: string): Promise<void> => {
    used.push(...(await bundleFile(folder, name, entry, first)));
  };
  for (const part of ["lib", "firmware-profiles"]) {
    rmSync(join(folder, part), { recursive: true, force: true });
  }
  mkdirSync(folder, { recursive: true });
  const { version, dependencies = {} } = manifestIn(hub);
  const adapters = Object.keys(dependencies).filter((name) => name.startsWith("@ledge/adapter-"));
  const source = join(hub, "src");
  await Promise.all([
    bundle("hub", `import ${JSON.stringify(join(source, "main.ts"))};`, 'import "./small-heap.mjs";'),
    bundle(
      "small-heap",
      `import { keepHeapSmall } from ${JSON.stringify(join(source, "process/heap.ts"))}; keepHeapSmall();`,
    ),
    bundle("ledge", `import ${JSON.stringify(join(source, "cli.ts"))};`),
    bundle("cloud", `import ${JSON.stringify(join(cloud, "src", "main.ts"))};`),
    bundle("ledge-cloud", `import ${JSON.stringify(join(cloud, "src", "cli.ts"))};`),
    bundle("log-child", `import ${JSON.stringify(join(source, "start/log-child.ts"))};`),
    bundle("journal-worker", `import ${JSON.stringify(join(root, "packages/log/src/journal/worker.ts"))};`),
    bundle("history-child", `import ${JSON.stringify(join(source, "history/history-child.ts"))};`),
    bundle("past-worker", `import ${JSON.stringify(join(source, "past/worker.ts"))};`),
    buildWeb(join(folder, "ui"), (path) => used.push(path)),
    bundle("nodemailer", 'export * from "nodemailer";'),
    bundle(oauth, `export * from ${JSON.stringify(oauthEntry())};`),
    ...adapters.map((name) => bundle(name.replace("@ledge/", ""), adapterEntry(name))),
  ]);
  cpSync(join(root, "firmware-profiles"), join(folder, "firmware-profiles"), { recursive: true });
  const manifest = { name: "ledge", version, private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return used;
}

/** Copies the packages that stand beside the bundles. @returns the manifests of all that were copied */
async function copyPackages(folder: string): Promise<readonly string[]> {
  rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const copied = Object.entries(beside).flatMap(([name, user]) => copyPackage(name, user, folder));
  await minifyIn(join(folder, "node_modules"));
  const database = packageFolder(zwaveConfig, packageFolder("zwave-js", zwave));
  await indexDatabase(database);
  cpSync(join(database, "config"), join(folder, zwaveDatabase), {
    recursive: true,
    filter: (path) => extname(path) === "" || extname(path) === ".json",
  });
  return [...copied, join(database, "package.json")];
}

/**
 * Makes the index of the Z-Wave library's database, which comes without: a device could not write it everywhere. The
 * library keeps it, and the next bundle only compares its time with those of the files.
 * @param folder of the package with the database
 * @throws Error when the library has written none, of which it says nothing: a hub of that bundle would recognise no device
 */
export async function indexDatabase(folder: string): Promise<void> {
  const entry = pathToFileURL(join(folder, "build", "esm", "index.js"));
  const { ConfigManager } = (await import(entry.href)) as {
    readonly ConfigManager: new () => { loadAll(): Promise<void> };
  };
  await new ConfigManager().loadAll();
  const index = join(folder, "config", "devices", "index.json");
  if (!existsSync(index)) throw new Error(`the Z-Wave library has written no index in ${folder}`);
}

/** The library of OAuth2. It tells what it keeps apart by the names of classes, which the other bundles lose. */
const oauth = "oidc-provider";

function oauthEntry(): string {
  return join(packageFolder(oauth, cloud), "lib", "index.js");
}

function adapterEntry(name: string): string {
  return `import { runAdapter } from "@ledge/port"; import { createAdapter } from "${name}"; runAdapter(createAdapter);`;
}

/** Names stay, so that a stack trace in the log is readable. */
const minified = { minifySyntax: true, minifyWhitespace: true, legalComments: "none" } as const;

/** Minifies the copied packages: V8 keeps the source of every module that is loaded. */
async function minifyIn(folder: string): Promise<void> {
  const paths = globSync("**/*.{js,cjs,mjs}", { cwd: folder }).map((path) => join(folder, path));
  await Promise.all(
    paths.map(async (path) => {
      const { code } = await transform(readFileSync(path, "utf8"), { ...minified, target: "node24" });
      writeFileSync(path, code);
    }),
  );
}

/**
 * Bundles one entry, and returns the files that went into it.
 * @param first code before everything else: its imports load before the packages beside the bundles.
 */
async function bundleFile(
  folder: string,
  name: string,
  entry: string,
  first = "",
): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: { contents: entry, resolveDir: hub, sourcefile: `${name}.entry.ts`, loader: "ts" },
    outfile: join(folder, "lib", `${name}.mjs`),
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    ...minified,
    keepNames: name === oauth,
    logLevel: "error",
    metafile: true,
    absWorkingDir: root,
    external: Object.keys(beside),
    plugins: [besides, zwaveDatabaseBeside],
    // CommonJS packages import Node's own modules with require.
    banner: {
      js: `${first}import { createRequire as _requireOf } from "node:module"; const require = _requireOf(import.meta.url);`,
    },
  });
  return Object.keys(metafile.inputs)
    .map((path) => join(root, path))
    .filter((path) => existsSync(path));
}

/** Keeps modules that are loaded on demand out of the hub's own file. */
const besides: Plugin = {
  name: "besides",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^@ledge\/adapter-|^nodemailer$|^oidc-provider$/ }, ({ kind, path }) =>
      kind === "dynamic-import"
        ? { path: `./${basename(path).replace(/\.ts$/, "")}.mjs`, external: true }
        : undefined,
    );
  },
};

/** Lets the Z-Wave library, which is in a bundle, find its database beside the bundles. */
const zwaveDatabaseBeside: Plugin = {
  name: "zwave-database",
  setup(esbuild) {
    const namespace = "zwave-database";
    esbuild.onResolve({ filter: /^#config_dir$/ }, ({ path }) => ({ path, namespace }));
    esbuild.onLoad({ filter: /.*/, namespace }, () => ({
      contents: `import { fileURLToPath } from "node:url"; export const configDir = fileURLToPath(new URL(${JSON.stringify(`../${zwaveDatabase}`)}, import.meta.url));`,
    }));
  },
};

/**
 * Copies a package, with its dependencies inside it unless these are beside the bundles.
 * @returns the manifests of the package and of these dependencies
 */
function copyPackage(name: string, user: string, into: string): readonly string[] {
  const from = packageFolder(name, user);
  const to = join(into, "node_modules", name);
  cpSync(from, to, {
    recursive: true,
    // Some packages are published with hidden folders of their makers.
    filter: (path) =>
      basename(path) !== "node_modules" && !basename(path).startsWith(".") && usedKinds.has(extname(path)),
  });
  const { dependencies = {}, optionalDependencies = {} } = manifestIn(from);
  const needed = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
    (other) => !(other in optionalDependencies && !isThere(other, from)) && !standsBeside(other, from),
  );
  return [join(from, "package.json"), ...needed.flatMap((other) => copyPackage(other, from, to))];
}

/** Whether a dependency is among the packages beside the bundles, so that there is only one copy of it. */
function standsBeside(name: string, user: string): boolean {
  const first = beside[name];
  return first !== undefined && packageFolder(name, first) === packageFolder(name, user);
}

/** Returns where a dependency of a package is installed. */
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
