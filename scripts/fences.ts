// Which package may use which: by what its package.json lists and by what its files import; and which may use
// the runtime's clock and chance. No file may import itself by way of others.
import { posix } from "node:path";
import { circlesIn } from "./circles.ts";
import type { File } from "./tidy.ts";

export interface Manifest {
  readonly name: string;
  readonly license?: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Ours by short name; "..." stands for all but cloud and testkit, adapter-* for every adapter. */
const fences: Readonly<Record<string, readonly string[]>> = {
  model: [],
  log: ["model"],
  history: ["log", "model"],
  fleet: ["log", "model"],
  "fleet-nats": ["fleet", "model"],
  "fleet-postgres": ["fleet", "log", "model"],
  kernel: ["log", "model"],
  rules: ["model"],
  port: ["model"],
  dispatch: ["model", "port"],
  serial: ["model", "port"],
  exposes: ["model", "port"],
  // Published on their own.
  signalr: [],
  mbus: [],
  ble: [],
  // What devices with SOAP have in common; of the link, which addresses are local.
  soap: ["link"],
  "adapter-*": ["ble", "exposes", "mbus", "model", "port", "serial", "soap"],
  // Ours under the name of a package that a library of an adapter asks for.
  "zigbee-on-host": [],
  link: ["model"],
  host: ["kernel", "log", "model"],
  api: ["kernel", "link", "model"],
  hub: ["..."],
  cloud: ["fleet", "fleet-nats", "fleet-postgres", "host", "kernel", "link", "log", "model", "signalr"],
  testkit: ["...", "cloud"],
  // Only types: a browser runs it.
  ui: ["model"],
};

/** The model knows no clock, no disk and no library but its schemas. */
const modelUses = ["typebox"];
const modelTestsUse = [...modelUses, "node:test", "node:assert", "fast-check", "@ledge/testkit"];

/**
 * Whether files of one package may name another; both by full name. A test may also use what its package
 * reaches through others: it has to build the world that its subject is given.
 */
export function mayUse(from: string, to: string, isTest: boolean): boolean {
  const target = short(to);
  if (target === "testkit" && (isTest || short(from) === "testkit")) return true;
  const allowed = fences[short(from).replace(/^adapter-.+/, "adapter-*")] ?? [];
  const ordinary = allowed.includes("...") && target !== "cloud" && target !== "testkit";
  return ordinary || allowed.some((name) => name === target || (isTest && mayUse(name, to, isTest)));
}

/** What is wrong with a package.json: unknown to the table, a listed package beyond the fence, the licence. */
export function manifestFindings(manifest: Manifest): readonly string[] {
  const { name } = manifest;
  const findings: string[] = [];
  if (!(short(name).replace(/^adapter-.+/, "adapter-*") in fences)) findings.push(`${name}: has no fence`);
  if (manifest.license !== "Apache-2.0") findings.push(`${name}: its licence is not Apache-2.0`);
  for (const isTest of [false, true]) {
    const listed = Object.keys((isTest ? manifest.devDependencies : manifest.dependencies) ?? {});
    const beyond = listed.filter((other) => isOurs(other) && !mayUse(name, other, isTest));
    findings.push(...beyond.map((other) => `${name}: may not depend on ${other}`));
    if (short(name) === "model" && !isTest) {
      findings.push(...without(listed, modelUses).map((other) => `${name}: may not depend on ${other}`));
    }
  }
  return findings;
}

/** Whether a file is of the tests. What several of a package stand on is called so too, or is in `testdata`. */
export function isTestFile(path: string): boolean {
  return /(?:\.test|\/test-[\w-]+|\/testdata\/.+)\.ts$|^packages\/ui\/browser\//.test(path);
}

/**
 * What is wrong with the imports of a file of a package.
 * @param folder the package's own, as packages/log
 */
export function importFindings(file: File, folder: string, manifest: Manifest): readonly string[] {
  const isTest = isTestFile(file.path);
  const isExample = file.path.startsWith(`${folder}/examples/`);
  const listed = { ...manifest.dependencies, ...(isTest || isExample ? manifest.devDependencies : {}) };
  const findings: string[] = [];
  for (const { from, typesOnly } of imports(file.text)) {
    const other = packageOf(from);
    if (from.startsWith(".")) findings.push(...relativeFindings(file.path, from, folder));
    // Examples name their package as its users do.
    else if (other === manifest.name && isExample) continue;
    else if (isOurs(from) && !mayUse(manifest.name, other, isTest)) findings.push(`may not use ${from}`);
    else if (!from.startsWith("node:") && !(other in listed))
      findings.push(`${other} is not in its package.json`);
    if (short(manifest.name) === "model" && !from.startsWith(".")) {
      findings.push(
        ...without([other], isTest ? modelTestsUse : modelUses).map((name) => `may not use ${name}`),
      );
    }
    if (short(manifest.name) === "kernel" && short(other) === "log" && !typesOnly && !isTest) {
      findings.push(`may use only types of ${from}`);
    }
    if (short(manifest.name) === "ui" && !isTest) findings.push(...pageFindings(file.path, from, typesOnly));
  }
  return findings.map((finding) => `${file.path}: ${finding}`);
}

/** What the code of the web interface imports beyond its own: types of the model, and no screen from a screen. */
function pageFindings(path: string, from: string, typesOnly: boolean): readonly string[] {
  if (from.startsWith("node:")) return [`may not use ${from}: a browser runs it`];
  if (isOurs(from)) return typesOnly ? [] : [`may use only types of ${from}`];
  const screenOf = (file: string): string | undefined => /\/screens\/([^/]+)\//.exec(file)?.[1];
  const [own, other] = [screenOf(path), screenOf(posix.join(posix.dirname(path), from))];
  return own === undefined || other === undefined || own === other ? [] : [`a screen may not use ${from}`];
}

/** What no pure code reaches for: it is handed in. By name, and how it looks where it is used. */
const timeAndChance: Readonly<Record<string, RegExp>> = {
  "the time of Date": /(?<![.\w$])Date\b(?!\.(?:UTC|parse)\b|\((?!\s*\)))/,
  "Math.random": /(?<![.\w$])Math\b(?:\.random\b|(?!\.))/,
  crypto: /(?<![.\w$])crypto\b(?!\s*\??:)/,
  performance: /(?<![.\w$])performance\b(?!\s*\??:)/,
  "a timer": /(?<![.\w$])(?:set|clear)(?:Timeout|Interval|Immediate)\b/,
  globalThis: /(?<![.\w$])globalThis\b/,
};
const surroundings: Readonly<Record<string, RegExp>> = {
  process: /(?<![.\w$])process\b(?!\s*\??:)/,
  console: /(?<![.\w$])console\b(?!\s*\??:)/,
  queueMicrotask: /(?<![.\w$])queueMicrotask\b/,
};
const timeAndChanceModules = new Set(["crypto", "perf_hooks", "process", "timers", "timers/promises"]);

/** Packages whose code is handed time and chance, and the files that get them from the runtime. */
const deterministic: Readonly<Record<string, readonly string[]>> = {
  model: [],
  kernel: ["packages/kernel/src/clock.ts"],
  rules: [],
  dispatch: [],
};

/** What a file of a pure package takes from the runtime by itself. Tests may do so. */
export function globalFindings(file: File, manifest: Manifest): readonly string[] {
  const name = short(manifest.name);
  const rim = deterministic[name];
  if (rim === undefined || rim.includes(file.path) || file.path.endsWith(".test.ts")) return [];
  const forbidden = name === "model" ? { ...timeAndChance, ...surroundings } : timeAndChance;
  const text = codeOf(file.text);
  const used = Object.entries(forbidden).filter(([, pattern]) => pattern.test(text));
  const modules = imports(file.text).filter(({ from }) =>
    timeAndChanceModules.has(from.replace(/^node:/, "")),
  );
  const names = [...used.map(([what]) => what), ...modules.map(({ from }) => from)];
  return names.map((what) => `${file.path}: may not use ${what}: it is handed in`);
}

/** A source without its comments and texts; what templates compute stays. */
function codeOf(text: string): string {
  const skipped = /\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
  return text.replace(skipped, (part) => {
    if (!part.startsWith("`")) return " ";
    return [...part.matchAll(/\$\{((?:[^{}]|\{[^{}]*\})*)\}/g)]
      .map(([, code]) => codeOf(code ?? ""))
      .join(";");
  });
}

/** Relative imports name a file in full and stay inside their package, or their folder at the root. */
export function relativeFindings(path: string, from: string, folder: string): readonly string[] {
  const target = posix.join(posix.dirname(path), from);
  return [
    ...(target.startsWith(`${folder}/`) ? [] : [`${from} leaves ${folder}: use its @ledge name`]),
    ...(/\.(?:tsx?|mjs|json|css)$/.test(from) ? [] : [`${from} does not end with .ts`]),
  ];
}

/**
 * Returns the circles of files that import each other. Types count, and so do dynamic imports.
 * @param faces the file behind each name that a package exports
 */
export function circleFindings(
  files: readonly File[],
  faces: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const fileOf = (path: string, from: string): string =>
    from.startsWith(".") ? posix.join(posix.dirname(path), from) : (faces.get(from) ?? from);
  const graph = new Map(
    files.map(({ path, text }) => [path, imports(text).map(({ from }) => fileOf(path, from))]),
  );
  return circlesIn(graph).map((circle) => `${[...circle, circle[0]].join(" -> ")}: a circle of files`);
}

/** Returns the file behind each name that a package exports, such as `@ledge/port` and `@ledge/port/contract`. */
export function facesOf(folder: string, { name, exports = {} }: Manifest): readonly [string, string][] {
  return Object.entries(exports).map(([part, file]) => [posix.join(name, part), posix.join(folder, file)]);
}

/**
 * The imports and re-exports of a file, static ones at the start of a line as the formatter puts them. An addition
 * to the types of another module (`declare module`) counts as an import of types.
 */
export function imports(text: string): readonly { from: string; typesOnly: boolean }[] {
  const fixed = /^(?:import|export)(?<typesOnly> type)?\b(?:[^;"'`=]*?\bfrom)?\s*["'](?<from>[^"']+)["']/gm;
  const extended = /^declare(?<typesOnly> module) ["'](?<from>[^"']+)["']/gm;
  const lazy = /\bimport\(\s*["'](?<from>[^"']+)["']/g;
  return [fixed, extended, lazy]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ groups }) => ({
      from: groups?.["from"] ?? "",
      typesOnly: groups?.["typesOnly"] !== undefined,
    }));
}

/** node:assert/strict is of node:assert, @ledge/log/x of @ledge/log. */
function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function short(name: string): string {
  return name.replace("@ledge/", "");
}

function isOurs(name: string): boolean {
  return name.startsWith("@ledge/");
}

function without(list: readonly string[], allowed: readonly string[]): readonly string[] {
  return list.filter((item) => !allowed.includes(item));
}
