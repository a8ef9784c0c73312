// Builds the web interface: code and styles in files whose names change with their content, each also packed for the
// wire, and the page that names them. `npm start` does so when its sources are newer.
//
//   node scripts/toolchain.mjs exec scripts/web.ts [--out DIR]
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = join(import.meta.dirname, "..");
const ui = join(root, "packages", "ui");
const sources = join(ui, "src");

/** Where `npm start` and the hub's sources look for it. */
export const webFolder = join(ui, "dist");

/** The pages of a hub and of a cloud; their names do not change. */
const page = "index.html";
const cloudPage = "cloud.html";
const pages: ReadonlySet<string> = new Set([page, cloudPage]);

/** A built file. */
export interface WebFileSize {
  readonly name: string;
  /** Bytes as they are, and packed with gzip. */
  readonly bytes: number;
  readonly gzip: number;
  /** The page loads it before it shows anything. */
  readonly isFirst: boolean;
}

/** The oldest browsers that it is for: those of wall tablets that get no updates any more. */
const target = ["chrome111", "firefox115", "safari16.4"];

/**
 * Builds the interface into a folder, in place of an earlier one.
 * @param used gets each source file that is in it
 */
export async function buildWeb(
  folder: string = webFolder,
  used?: (path: string) => void,
): Promise<readonly WebFileSize[]> {
  // Loaded only now: most starts find the interface built.
  const { build } = await import("esbuild");
  const { metafile, outputFiles } = await build({
    entryPoints: [join(sources, "main.tsx"), join(sources, "styles", "styles.css")],
    outdir: folder,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    target,
    jsx: "automatic",
    jsxImportSource: "preact",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    legalComments: "none",
    logLevel: "error",
    absWorkingDir: ui,
  });
  for (const path of Object.keys(metafile.inputs)) used?.(join(ui, path));
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({
    name: basename(path),
    ...output,
  }));
  const entry = (end: string): string => {
    const found = outputs.find(({ entryPoint }) => entryPoint?.endsWith(end));
    if (found === undefined) throw new Error(`the interface has no ${end}`);
    return found.name;
  };
  const [main, styles] = [entry("main.tsx"), entry("styles.css")];
  const first = new Set([main, styles, page]);
  for (const name of first)
    for (const { path, kind } of outputs.find((output) => output.name === name)?.imports ?? [])
      if (kind === "import-statement") first.add(basename(path));
  const html = readFileSync(join(sources, page), "utf8")
    .replace("/ui/main.css", `/ui/${styles}`)
    .replace("/ui/main.js", `/ui/${main}`);
  files.set(page, Buffer.from(html));
  files.set(cloudPage, Buffer.from(html.replace('data-at="hub"', 'data-at="cloud"')));
  files.set("icon.svg", readFileSync(join(sources, "icon.svg")));
  mkdirSync(folder, { recursive: true });
  // Pages come last, so that whoever reads one finds what it names: several starts may build at once.
  const inOrder = [...files].toSorted(([a], [b]) => Number(pages.has(a)) - Number(pages.has(b)));
  const sizes = inOrder.map(([name, contents]) => ({
    ...written(folder, name, contents),
    isFirst: first.has(name),
  }));
  for (const name of readdirSync(folder))
    if (!files.has(name.replace(/\.(?:br|gz)$/, ""))) rmSync(join(folder, name), { force: true });
  return sizes;
}

function written(folder: string, name: string, contents: Buffer): Omit<WebFileSize, "isFirst"> {
  const gzip = gzipSync(contents, { level: constants.Z_BEST_COMPRESSION });
  const forms = { ".br": brotliCompressSync(contents), ".gz": gzip, "": contents };
  for (const [suffix, bytes] of Object.entries(forms)) {
    const path = join(folder, name + suffix);
    writeFileSync(`${path}.${process.pid}`, bytes);
    renameSync(`${path}.${process.pid}`, path);
  }
  return { name, bytes: contents.length, gzip: gzip.length };
}

/** Builds the interface if it is missing, or older than its sources. */
export async function ensureWeb(): Promise<void> {
  if (!isBuilt()) await buildWeb();
}

function isBuilt(): boolean {
  const built = statSync(join(webFolder, page), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const from = [...globSync("src/**/*", { cwd: ui }), "package.json"].map((path) => join(ui, path));
  return [...from, import.meta.filename].every((path) => statSync(path).mtimeMs <= built);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: "string", default: webFolder } } });
  for (const { name, bytes, gzip } of await buildWeb(resolve(values.out)))
    console.log(`${name.padEnd(32)} ${String(bytes).padStart(8)} ${String(gzip).padStart(8)} gz`);
}
