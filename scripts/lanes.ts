// Finds test files and decides which of them share a process.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { imports } from "./fences.ts";
import { secondsOf } from "./test-costs.ts";

const root = join(import.meta.dirname, "..");

/** Modules that start processes, open connections or run threads. */
const outward = /^node:(?:child_process|cluster|dgram|https?|http2|net|tls|worker_threads)$/;

/** Code that changes its whole process, or starts one without a module of `outward`. */
const ofProcess = /\bprocess\.(?:env\b.*\]? = |chdir|exitCode)|\bmock\.|\bstartAdapterProcess\b/;

/** Packages whose tests share a process although some of their code imports a module of `outward`. */
const pure = /^packages\/(?:adapters\/dispatch|api|kernel|link|model|rules)\//;

/** Files that start programs or kill one, or open a browser. */
const alone = /^(?:scripts|bench)\/|\.(?:peer|browser)\.test\.ts$|kill\.test\.ts$/;

/** Packages whose tests share a process with a few others although they start or connect. */
const withOthers =
  /^packages\/(?:adapters\/(?:bacnet|hue|mbus|modbus|onvif|port|rf433|upnp|zigbee)|cloud|host|log|mbus|serial|signalr|soap|testkit)\//;

/**
 * Tests that change or measure their own process, or listen to what befalls it; and those of the Zigbee library alone,
 * which the adapter changes for a whole process.
 */
const ofOwnProcess =
  /\bprocess\.(?:env\b.*\]? = |chdir|exit|on\(|once\(|cpuUsage|memoryUsage|resourceUsage)|\bmock\.|\/proc\/self|setFlagsFromString|\bgarbage\b|\bherdsmanAt\b/;

/**
 * Splits files into those that share one process per package, those that share one with a few others, and those that
 * need a process each. To load the packages again for each file takes longer than most tests.
 * @param files paths from the root of the checkout
 * @returns `shared`: files of pure computation, by package. `few`: files that start or connect, by package. `others`:
 *   files that kill programs, change their own process, or take long.
 */
export function lanesOf(files: readonly string[]): {
  readonly shared: ReadonlyMap<string, readonly string[]>;
  readonly few: ReadonlyMap<string, readonly string[]>;
  readonly others: readonly string[];
} {
  const shared = new Map<string, string[]>();
  const few = new Map<string, string[]>();
  const others: string[] = [];
  const looked = new Map<string, boolean>();
  for (const file of files) {
    const isPure = !alone.test(file) && (pure.test(file) || !goesOutward(file, looked));
    if (!isPure && !sharesWithFew(file)) others.push(file);
    else {
      const lane = isPure ? shared : few;
      lane.set(suiteOf(file), [...(lane.get(suiteOf(file)) ?? []), file]);
    }
  }
  return { shared, few, others };
}

function sharesWithFew(file: string): boolean {
  if (alone.test(file) || !withOthers.test(file) || secondsOf[file] !== undefined) return false;
  return !ofOwnProcess.test(readFileSync(join(root, file), "utf8"));
}

/** Returns the package of a file, or its top folder. */
export function suiteOf(file: string): string {
  return /^(?:packages\/adapters\/[^/]+|packages\/[^/]+|[^/]+)/.exec(file)?.[0] ?? file;
}

/** Whether a file or one of its imports starts processes, connections or threads. */
function goesOutward(file: string, looked: Map<string, boolean>): boolean {
  return reaches(
    file,
    looked,
    ({ names, text }) => names.some((name) => outward.test(name)) || ofProcess.test(text),
  );
}

/** Returns all test files, sorted, as paths from the root of the checkout. @param paths narrows to these files and folders, if any */
export function testFiles(paths: readonly string[]): readonly string[] {
  const patterns = [
    "packages/**/src/**/*.test.ts",
    "packages/*/browser/**/*.test.ts",
    "scripts/**/*.test.ts",
    "bench/**/*.test.ts",
  ];
  const files = globSync(patterns, { cwd: root, exclude: ["**/node_modules/**"] }).toSorted();
  if (paths.length === 0) return files;
  const wanted = paths.map((path) => relative(root, resolve(path)));
  return files.filter((file) => wanted.some((path) => file === path || file.startsWith(`${path}/`)));
}

/** Returns the tests with random input that run no program of the product. */
export function randomTests(files: readonly string[]): readonly string[] {
  const isRandom = /from "fast-check"|\benv\["SEED"\]/;
  return files.filter(
    (file) => isRandom.test(readFileSync(join(root, file), "utf8")) && !runPrograms([file]),
  );
}

/** Whether any of the tests runs a program of the product, which then needs bundling. */
export function runPrograms(files: readonly string[]): boolean {
  const looked = new Map<string, boolean>();
  return files.some((file) => reaches(file, looked, ({ path }) => path === programs));
}

const programs = "packages/testkit/src/programs.ts";

interface Looked {
  readonly path: string;
  readonly text: string;
  /** Its imports, without imports of types. */
  readonly names: readonly string[];
}

/** Whether `holds` is true for a file or for any file that it imports, directly or not. */
function reaches(path: string, looked: Map<string, boolean>, holds: (of: Looked) => boolean): boolean {
  const known = looked.get(path);
  if (known !== undefined) return known;
  // Breaks cycles of imports.
  looked.set(path, false);
  // A test may hold imports of files that are not there, as text.
  const text = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
  const names = imports(text).flatMap(({ from, typesOnly }) => (typesOnly ? [] : [from]));
  const found =
    holds({ path, text, names }) ||
    names.some((name) => {
      const place = placeOf(name, path);
      return place !== undefined && reaches(place, looked, holds);
    });
  looked.set(path, found);
  return found;
}

/** Returns the file of an import from this workspace. Skips the index of a package: it exports far more than a test uses. */
function placeOf(from: string, file: string): string | undefined {
  if (from.startsWith(".")) return relative(root, join(root, dirname(file), from));
  const [, name, part] = /^@ledge\/([\w-]+)\/(.+)$/.exec(from) ?? [];
  if (name === undefined) return undefined;
  for (const folder of [`packages/${name}`, `packages/adapters/${name.replace(/^adapter-/, "")}`]) {
    try {
      const { exports } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
        exports: Readonly<Record<string, string>>;
      };
      const place = exports[`./${part}`];
      return place === undefined ? undefined : join(folder, place);
    } catch {
      continue;
    }
  }
  return undefined;
}
