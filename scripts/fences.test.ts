import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import {
  circleFindings,
  facesOf,
  globalFindings,
  importFindings,
  imports,
  manifestFindings,
  relativeFindings,
  type Manifest,
} from "./fences.ts";
import type { File } from "./tidy.ts";

const root = join(import.meta.dirname, "..");
const manifests = globSync(["packages/*/package.json", "packages/adapters/*/package.json"], { cwd: root });

test("every package keeps to its fence", () => {
  assert.ok(manifests.length > 0, "no package is where it was");
  const findings = manifests.flatMap((path) => {
    const folder = dirname(path);
    const manifest: Manifest = JSON.parse(read(path).text);
    const sources = code(folder).map(read);
    return [
      ...manifestFindings(manifest),
      ...sources.flatMap((file) => importFindings(file, folder, manifest)),
      ...sources.flatMap((file) => globalFindings(file, manifest)),
    ];
  });
  assert.deepEqual(findings, []);
});

test("scripts and benchmarks reach packages by name", () => {
  const findings = ["scripts", "bench"].flatMap((folder) =>
    code(folder)
      .map(read)
      .flatMap(({ path, text }) =>
        imports(text)
          .filter(({ from }) => from.startsWith("."))
          .flatMap(({ from }) => relativeFindings(path, from, folder)),
      ),
  );
  assert.deepEqual(findings, []);
});

test("no files import each other in a circle", () => {
  const faces = manifests.flatMap((path) => facesOf(dirname(path), JSON.parse(read(path).text)));
  const files = ["packages", "scripts", "bench"].flatMap(code).map(read);
  assert.ok(files.length > 1000, "no file is where it was");
  assert.deepEqual(circleFindings(files, new Map(faces)), []);
});

/** What is found, the texts of files by name, and the circles of these files. */
const circles: readonly [title: string, files: Readonly<Record<string, string>>, found: readonly string[]][] =
  [
    [
      "no circle where imports lead one way",
      { a: importing("b", "c"), b: importing("c"), c: 'import { join } from "node:path";' },
      [],
    ],
    [
      "no circle where two ways lead to one file",
      { a: importing("b", "c"), b: importing("d"), c: importing("d"), d: "" },
      [],
    ],
    ["two files that import each other", { a: importing("b"), b: importing("a") }, ["a b a"]],
    ["a file that imports itself", { a: importing("a") }, ["a a"]],
    [
      "types that need each other",
      { a: 'import type { B } from "./b.ts";', b: 'export type { A } from "./a.ts";' },
      ["a b a"],
    ],
    [
      "a circle closed by a type in place",
      { a: importing("b"), b: 'type A = import("./a.ts").A;' },
      ["a b a"],
    ],
    [
      "a circle closed by a dynamic import",
      { a: importing("b"), b: 'const a = await import("./a.ts");' },
      ["a b a"],
    ],
    [
      "a circle closed by an addition to a module",
      { a: importing("b"), b: 'declare module "./a.ts" {\n}' },
      ["a b a"],
    ],
    [
      "a circle closed by the name of the package",
      { a: importing("b"), b: 'import { a } from "@ledge/log";' },
      ["a b a"],
    ],
    [
      "a longer circle without the file that leads to it",
      {
        a: importing("c"),
        b: importing("d"),
        c: importing("d"),
        d: importing("e"),
        e: importing("b", "f"),
        f: "",
      },
      ["b d e b"],
    ],
    [
      "the shortest circle through each file",
      { a: importing("b"), b: importing("c", "a"), c: importing("a") },
      ["a b a", "c a b c"],
    ],
    [
      "two circles with a file in common",
      { a: importing("b"), b: importing("a", "c"), c: importing("b") },
      ["a b a", "c b c"],
    ],
  ];

for (const [title, texts, found] of circles) {
  test(`finds ${title}`, () => {
    const files = Object.entries(texts).map(([name, text]) => ({
      path: `packages/log/src/${name}.ts`,
      text,
    }));
    const faces = facesOf("packages/log", { name: "@ledge/log", exports: { ".": "./src/a.ts" } });
    const named = circleFindings(files, new Map(faces)).map((finding) =>
      finding.replaceAll(/packages\/log\/src\/|\.ts/g, "").replaceAll(" -> ", " "),
    );
    assert.deepEqual(
      named,
      found.map((circle) => `${circle}: a circle of files`),
    );
  });
}

/** Returns a file that imports others of its folder. */
function importing(...names: readonly string[]): string {
  return names.map((name) => `import { ${name} } from "./${name}.ts";\n`).join("");
}

/** Programs of systemd that are told something and end: they may finish what the process has asked for last. */
const untied: readonly string[] = ["packages/host/src/notices.ts", "packages/hub/src/process/machine.ts"];

test("no process that the product starts outlives it", () => {
  const starting = globSync(["packages/*/src/**/*.ts", "packages/adapters/*/src/**/*.ts"], { cwd: root })
    .filter((path) => !/\.test\.ts$|\/testdata\/|\/test-|\/contract\/|packages\/testkit\//.test(path))
    .map(read)
    .filter(({ text }) => /import \{[^}]*\} from "node:child_process"/.test(text));
  assert.ok(starting.length > untied.length, "nothing starts a process as it did");
  const loose = starting.filter(({ path, text }) => !untied.includes(path) && !/\btied\(/.test(text));
  assert.deepEqual(
    loose.map(({ path }) => path),
    [],
  );
});

/** A file of a package that lists what it imports, and what the fence says of it. */
const crossings: readonly [name: string, file: string, text: string, finding?: RegExp][] = [
  ["log", "a.ts", 'import { x } from "@ledge/model";'],
  ["log", "a.ts", 'import { x } from "@ledge/kernel";', /may not use/],
  ["log", "a.ts", 'import { x } from "@ledge/testkit";', /may not use/],
  ["log", "test-log.ts", 'import { x } from "@ledge/testkit";'],
  ["log", "latest-log.ts", 'import { x } from "@ledge/testkit";', /may not use/],
  ["log", "a.test.ts", 'import { x } from "@ledge/testkit";'],
  ["log", "a.ts", 'import { x } from "lmdb";'],
  ["log", "a.ts", 'import { x } from "pino";', /not in its package.json/],
  ["log", "a.ts", 'import { x } from "../../model/src/room.ts";', /leaves packages\/log/],
  ["log", "a.ts", 'import { x } from "./b";', /does not end with .ts/],
  ["log", "a.ts", 'const x = await import("@ledge/hub");', /may not use/],
  ["log", "a.ts", 'export {\n  x,\n} from "@ledge/hub";', /may not use/],
  ["kernel", "a.ts", 'import type { x } from "@ledge/log";'],
  ["kernel", "a.ts", 'import { x } from "@ledge/log";', /only types/],
  ["kernel", "a.test.ts", 'import { x } from "@ledge/log";'],
  ["model", "a.ts", 'import Type from "typebox";'],
  ["model", "a.ts", 'import { join } from "node:path";', /may not use node:path/],
  ["model", "a.ts", 'import { x } from "lmdb";', /may not use lmdb/],
  ["model", "a.test.ts", 'import assert from "node:assert/strict";'],
  ["model", "a.test.ts", 'import { x } from "@ledge/testkit";'],
  ["model", "a.test.ts", 'import { readFileSync } from "node:fs";', /may not use node:fs/],
  ["api", "a.ts", 'import { x } from "@ledge/log";', /may not use/],
  ["api", "a.test.ts", 'import { x } from "@ledge/log";'],
  ["api", "a.test.ts", 'import { x } from "@ledge/hub";', /may not use/],
  ["adapter-sim", "a.ts", 'import { x } from "@ledge/port";'],
  ["adapter-sim", "a.ts", 'import { x } from "@ledge/adapter-modbus";', /may not use/],
  ["adapter-sim", "a.ts", 'import { x } from "@ledge/serial";'],
  ["serial", "a.ts", 'import { x } from "@ledge/model";'],
  ["serial", "a.ts", 'import { x } from "@ledge/adapter-modbus";', /may not use/],
  ["api", "a.ts", 'import { x } from "@ledge/serial";', /may not use/],
  ["hub", "a.ts", 'import { x } from "@ledge/adapter-modbus";'],
  ["hub", "a.ts", 'import { x } from "@ledge/cloud";', /may not use/],
  ["ui", "a.ts", 'import type { x } from "@ledge/model";'],
  ["ui", "a.tsx", 'import { x } from "@ledge/model";', /only types/],
  ["ui", "a.ts", 'import type { x } from "@ledge/api";', /may not use/],
  ["ui", "a.ts", 'import { join } from "node:path";', /a browser runs it/],
  ["ui", "a.test.ts", 'import { join } from "node:path";'],
  ["ui", "screens/a/a.tsx", 'import { x } from "../b/b.tsx";', /a screen may not use/],
  ["ui", "screens/a/a.tsx", 'import { x } from "./b.ts";'],
  ["ui", "screens/a/a.tsx", 'import { x } from "../../parts/b.tsx";'],
  ["cloud", "a.ts", 'import { x } from "@ledge/hub";', /may not use/],
  ["testkit", "a.ts", 'import { x } from "@ledge/cloud";'],
];

for (const [name, file, text, finding] of crossings) {
  test(`${name}, ${file}: ${text.replaceAll("\n", "")}: ${finding ? "refused" : "allowed"}`, () => {
    const listed = ["@ledge/model", "@ledge/kernel", "@ledge/testkit", "@ledge/log", "@ledge/hub"];
    const more = ["@ledge/port", "@ledge/serial", "@ledge/adapter-modbus", "@ledge/cloud", "lmdb", "typebox"];
    const dependencies = Object.fromEntries([...listed, ...more].map((other) => [other, "*"]));
    const path = `packages/${name}/src/${file}`;
    const found = importFindings({ path, text }, `packages/${name}`, {
      name: `@ledge/${name}`,
      dependencies,
    });
    assert.equal(found.length, finding ? 1 : 0, found.join("\n"));
    if (finding) assert.match(found[0] ?? "", finding);
  });
}

/** A file of a package, and what it may not take from the runtime. */
const takings: readonly [name: string, file: string, text: string, finding?: RegExp][] = [
  ["model", "a.ts", "const at = Date.now();", /the time of Date/],
  ["model", "a.ts", "const at = new Date();", /the time of Date/],
  ["model", "a.ts", "const at = new Date( );", /the time of Date/],
  ["model", "a.ts", "const { now } = Date;", /the time of Date/],
  ["model", "a.ts", "const at = new Date(timestamp).getDay();"],
  ["model", "a.ts", "const at = Date.UTC(2026, 0, 15);"],
  ["model", "a.ts", "const at = state.Date;"],
  ["model", "a.ts", "const dice = Math.random();", /Math.random/],
  ["model", "a.ts", "const { random } = Math;", /Math.random/],
  ["model", "a.ts", "const most = Math.max(1, 2);"],
  ["model", "a.ts", "const id = crypto.randomUUID();", /crypto/],
  ["model", "a.ts", "setTimeout(() => {}, 5);", /a timer/],
  ["model", "a.ts", "setInterval(() => {}, 5);", /a timer/],
  ["model", "a.ts", "setImmediate(() => {});", /a timer/],
  ["model", "a.ts", "const at = performance.now();", /performance/],
  ["model", "a.ts", 'const at = globalThis["Date"]["now"]();', /globalThis/],
  ["model", "a.ts", "const home = process.env;", /process/],
  ["model", "a.ts", "console.log(5);", /console/],
  ["model", "a.ts", "queueMicrotask(done);", /queueMicrotask/],
  ["model", "a.ts", "const text = `at ${Date.now()}`;", /the time of Date/],
  ["model", "a.ts", "const text = `at ${pad({ at: Math.random() })}`;", /Math.random/],
  ["model", "a.ts", "// the process calls Date.now()\nconst a = 5;"],
  ["model", "a.ts", "/** Date.now()\n * console.log */\nconst a = 5;"],
  ["model", "a.ts", 'const a = "Math.random() of a process";'],
  ["model", "a.ts", "const a = 'it\\'s Math.random()';"],
  ["model", "a.ts", "const a = `the process ${id} has ended`;"],
  ["model", "a.ts", "interface A { readonly process: string; readonly console?: string }"],
  ["model", "a.ts", "const a = adapter.process;"],
  ["model", "a.test.ts", "const seed = Date.now();"],
  ["kernel", "a.ts", "const at = Date.now();", /the time of Date/],
  ["kernel", "a.ts", "setTimeout(() => {}, 5);", /a timer/],
  ["kernel", "a.ts", 'import { randomUUID } from "node:crypto";', /node:crypto/],
  ["kernel", "a.ts", 'import { scheduler } from "node:timers/promises";', /node:timers/],
  ["kernel", "a.ts", "queueMicrotask(done);"],
  ["kernel", "clock.ts", "const at = Date.now();"],
  ["kernel", "a.test.ts", 'import { setImmediate } from "node:timers/promises";'],
  ["rules", "a.ts", "const dice = Math.random();", /Math.random/],
  ["dispatch", "a.ts", "const at = performance.now();", /performance/],
  ["hub", "a.ts", "const at = Date.now();"],
];

for (const [name, file, text, finding] of takings) {
  test(`${name}, ${file}: ${text.replaceAll("\n", " ")}: ${finding ? "refused" : "allowed"}`, () => {
    const found = globalFindings({ path: `packages/${name}/src/${file}`, text }, { name: `@ledge/${name}` });
    assert.equal(found.length, finding ? 1 : 0, found.join("\n"));
    if (finding) assert.match(found[0] ?? "", finding);
  });
}

const sound = { name: "@ledge/log", license: "Apache-2.0" };
const badManifests: readonly [manifest: Manifest, finding: RegExp][] = [
  [{ ...sound, name: "@ledge/elsewhere" }, /has no fence/],
  [{ ...sound, license: "MIT" }, /licence/],
  [{ ...sound, dependencies: { "@ledge/kernel": "workspace:*" } }, /may not depend on @ledge\/kernel/],
  [{ ...sound, dependencies: { "@ledge/testkit": "workspace:*" } }, /may not depend on @ledge\/testkit/],
  [{ ...sound, name: "@ledge/model", dependencies: { hono: "catalog:" } }, /may not depend on hono/],
];

for (const [manifest, finding] of badManifests) {
  test(`a package.json is refused: ${finding.source}`, () => {
    const found = manifestFindings(manifest);
    assert.equal(found.length, 1);
    assert.match(found[0] ?? "", finding);
  });
}

function code(folder: string): readonly string[] {
  return globSync(`${folder}/**/*.{ts,tsx,mjs}`, {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**"],
  });
}

function read(path: string): File {
  return { path, text: readFileSync(join(root, path), "utf8") };
}
