// Makes one file of each library that scripts/libraries.ts names.
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { libraries, libraryFile } from "./libraries.ts";

const root = join(import.meta.dirname, "..");
const toolchain = join(root, ".toolchain");

/** Returns the folder of the files, made of the packages that the lock file names. */
export async function bundleLibraries(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of ["pnpm-lock.yaml", "scripts/libraries.ts", "scripts/bundle-libraries.ts"])
    hash.update(readFileSync(join(root, path)));
  const folder = join(toolchain, `test-libraries-${hash.digest("hex").slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(toolchain, { recursive: true });
  const made = mkdtempSync(join(toolchain, "new-libraries-"));
  try {
    for (const library of libraries) await bundleInto(made, library);
    renameSync(made, folder);
    removeOlder(folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another run has made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Removes what earlier versions of the packages were made into, beside a folder of the files. */
export function removeOlder(folder: string): void {
  const beside = dirname(folder);
  for (const name of globSync("test-libraries-*", { cwd: beside }))
    if (name !== basename(folder)) rmSync(join(beside, name), { recursive: true, force: true });
}

/** Bundles imports together, so that what they share is one module. @param library imports by the folder that has them */
async function bundleInto(
  folder: string,
  library: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const users = Object.entries(library).flatMap(([user, names]) =>
    names.map((name) => [name, join(root, user)] as const),
  );
  await build({
    entryPoints: users.map(([name]) => ({ in: name, out: libraryFile(name).replace(/\.mjs$/, "") })),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunk-[hash]",
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    keepNames: true,
    logLevel: "error",
    plugins: [foundFrom(new Map(users)), inPlace],
    banner: {
      js: 'import { createRequire as _requireOf } from "node:module"; const require = _requireOf(import.meta.url);',
    },
  });
}

/** Finds each entry from the package that depends on it. */
function foundFrom(users: ReadonlyMap<string, string>): Plugin {
  return {
    name: "found-from",
    setup(esbuild) {
      esbuild.onResolve({ filter: /.*/ }, ({ path, kind }) => {
        const resolveDir = users.get(path);
        if (kind !== "entry-point" || resolveDir === undefined) return undefined;
        return esbuild.resolve(path, { kind: "import-statement", resolveDir });
      });
    },
  };
}

/** Leaves packages with native code, and the folder of the Z-Wave library's database, where they are installed. */
const inPlace: Plugin = {
  name: "in-place",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^@serialport\/bindings-cpp$/ }, async ({ path, resolveDir, pluginData }) => {
      if (pluginData === inPlace.name) return undefined;
      const found = await esbuild.resolve(path, {
        kind: "import-statement",
        resolveDir,
        pluginData: inPlace.name,
      });
      return { path: found.path, external: true };
    });
    esbuild.onLoad({ filter: /@zwave-js[\\/]config[\\/].*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: "js",
    }));
  },
};
