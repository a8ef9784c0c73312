// Packs a package that others install from npm: JavaScript and types instead of sources, and versions instead of
// references into the workspace.
//
//   node scripts/toolchain.mjs exec scripts/pack.ts mbus|signalr [--out DIR]
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({ options: { out: { type: "string" } }, allowPositionals: true });
const [name = ""] = positionals;
const source = join(root, "packages", name);
const out = resolve(values.out ?? join(root, "dist", name));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const flags = ["--outDir", join(out, "dist"), "--rootDir", join(source, "src"), "--declaration"];
const target = [
  "--module",
  "nodenext",
  "--target",
  "es2022",
  "--lib",
  "es2024,esnext.disposable",
  "--types",
  "node",
];
const style = ["--rewriteRelativeImportExtensions", "--strict", "--skipLibCheck", "--ignoreConfig"];
execFileSync(
  join(root, "node_modules", ".bin", "tsc"),
  [join(source, "src", "index.ts"), ...flags, ...target, ...style],
  { cwd: root, stdio: "inherit" },
);
for (const page of ["README.md", "CHANGELOG.md", "LICENSE"]) cpSync(join(source, page), join(out, page));
writeFileSync(join(out, "package.json"), `${JSON.stringify(publishedManifest(), null, 2)}\n`);
execFileSync("npm", ["pack", "--silent"], { cwd: out, stdio: "inherit" });

/** The manifest as installers read it. */
function publishedManifest(): object {
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
    devDependencies?: unknown;
    exports?: unknown;
  };
  const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  const versionOf = (dependency: string): string => {
    const [, version] =
      [...catalog.matchAll(/^ {2}"?([^\s":]+)"?: (\S+)$/gm)]
        .find(([, key]) => key === dependency)
        ?.slice(1) ?? [];
    if (version === undefined) throw new Error(`${dependency} is not in the catalog`);
    return `^${version}`;
  };
  const { devDependencies: _, ...published } = manifest;
  return {
    ...published,
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    files: ["dist", "CHANGELOG.md"],
    dependencies: Object.fromEntries(
      Object.keys(manifest.dependencies).map((dependency) => [dependency, versionOf(dependency)]),
    ),
  };
}
