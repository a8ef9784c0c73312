// Starts in a separate checkout, where two scripts that record their calls replace npm and pnpm.
import assert from "node:assert/strict";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";

const platform = `${process.platform}-${process.arch}`;

test("the first start installs, reports that on stderr only, and ends like the program", async (t) => {
  const checkout = makeCheckout(t);
  const first = await start(checkout, "exec", "program.ts", "7");
  assert.deepEqual({ ...first, stderr: "" }, { code: 7, stdout: "ran 7\n", stderr: "" });
  assert.match(first.stderr, /^ledge: bringing Node .+\nledge: installing packages\n$/);
  const second = await start(checkout, "exec", "program.ts", "0");
  assert.deepEqual(second, { code: 0, stdout: "ran 0\n", stderr: "" });
  assert.deepEqual(calls(checkout), ["npm ci", "pnpm install"]);
});

test("two simultaneous starts install once", async (t) => {
  const checkout = makeCheckout(t);
  const ends = await Promise.all([1, 2].map((code) => start(checkout, "exec", "program.ts", `${code}`)));
  assert.deepEqual(
    ends.map(({ code }) => code),
    [1, 2],
  );
  assert.deepEqual(calls(checkout), ["npm ci", "pnpm install"]);
});

test("an interrupted start does not block the next", async (t) => {
  const checkout = makeCheckout(t);
  const cache = join(checkout, ".toolchain");
  mkdirSync(join(cache, "new-abandoned"), { recursive: true });
  symlinkSync(`${hostname()}:${await pidOfTheDead()}`, join(cache, "lock"));
  assert.equal((await start(checkout, "exec", "program.ts", "0")).code, 0);
  assert.deepEqual(
    readdirSync(cache).filter((name) => /new-|lock/.test(name)),
    [],
  );
});

test("installs packages again after a change of the lock or of a package.json", async (t) => {
  const checkout = makeCheckout(t);
  await start(checkout, "exec", "program.ts", "0");
  for (const file of ["pnpm-lock.yaml", "packages/adapters/sim/package.json"]) {
    writeFileSync(join(checkout, file), "{}\n");
    await start(checkout, "exec", "program.ts", "0");
  }
  rmSync(join(checkout, "node_modules"), { recursive: true });
  await start(checkout, "exec", "program.ts", "0");
  assert.deepEqual(calls(checkout), ["npm ci", ...Array.from({ length: 4 }, () => "pnpm install")]);
});

test("names an unreachable registry, and tries again at the next start", async (t) => {
  const checkout = makeCheckout(t);
  const npm = join(checkout, "bin", "npm");
  const working = readFileSync(npm);
  writeFileSync(npm, "#!/bin/sh\necho npm verbose fetch failed with ENOTFOUND >&2\n");
  const offline = await start(checkout, "exec", "program.ts", "0");
  assert.equal(offline.code, 1);
  assert.match(offline.stderr, /node is missing.*\n.*offline.*\nnpm verbose fetch failed with ENOTFOUND/);
  writeFileSync(npm, working);
  assert.equal((await start(checkout, "exec", "program.ts", "0")).code, 0);
});

test("shows pnpm's message when it cannot install packages, and tries again at the next start", async (t) => {
  const checkout = makeCheckout(t);
  writeFileSync(join(checkout, "broken"), "");
  const broken = await start(checkout, "exec", "program.ts", "0");
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /could not install the packages:\npnpm is broken/);
  rmSync(join(checkout, "broken"));
  assert.equal((await start(checkout, "exec", "program.ts", "0")).code, 0);
});

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`forwards ${signal} to the program and ends like it`, async (t) => {
    const checkout = makeCheckout(t);
    assert.equal((await interrupted(checkout, signal, "falls")).code, code);
    assert.equal((await interrupted(checkout, signal, "ends")).code, 9);
  });
}

test("runs the pinned pnpm", async (t) => {
  const checkout = makeCheckout(t);
  assert.equal((await start(checkout, "pnpm", "add", "x")).code, 0);
  assert.deepEqual(calls(checkout), ["npm ci", "pnpm add x"]);
});

interface End {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function start(checkout: string, ...args: string[]): Promise<End> {
  return await endOf(begin(checkout, args));
}

/** Sends the signal once the program runs, which dies of it or ends on its own with code 9. */
async function interrupted(checkout: string, signal: NodeJS.Signals, reaction: string): Promise<End> {
  const child = begin(checkout, ["exec", "waits.ts", signal, reaction]);
  child.stdout.once("data", () => child.kill(signal));
  return await endOf(child);
}

function begin(checkout: string, args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
  const env = { ...process.env, PATH: `${join(checkout, "bin")}:${process.env["PATH"]}` };
  const program = join(checkout, "scripts", "toolchain.mjs");
  return spawn(process.execPath, [program, ...args], {
    cwd: checkout,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function endOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<End> {
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { code: child.exitCode, stdout, stderr };
}

/** Returns the calls of the set-up, in order. */
function calls(checkout: string): readonly string[] {
  return readFileSync(join(checkout, "calls"), "utf8").trim().split("\n");
}

async function pidOfTheDead(): Promise<number> {
  const child = spawn("true");
  await once(child, "close");
  return child.pid ?? assert.fail("nothing was started");
}

function makeCheckout(t: TestContext): string {
  const checkout = mkdtempSync(join(tmpdir(), "ledge-toolchain-"));
  t.after(() => rmSync(checkout, { recursive: true }));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), content, { mode: 0o755 });
  };
  for (const name of ["toolchain.mjs", "toolchain"]) {
    cpSync(join(import.meta.dirname, name), join(checkout, "scripts", name), { recursive: true });
  }
  for (const name of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"]) write(name, "{}");
  write("packages/adapters/sim/package.json", "{ }");
  write(
    "program.ts",
    "const code: string = process.argv[2]!; console.log(`ran ${code}`); process.exit(+code);",
  );
  write("waits.ts", waits);
  write("bin/npm", fakeNpm(checkout));
  return checkout;
}

const waits = `
const [signal, reaction] = process.argv.slice(2);
if (reaction === "ends") process.on(signal!, () => process.exit(9));
setInterval(() => {}, 1000);
console.log("waiting");
`;

/** Returns a script in place of npm. It installs the Node of this test, and a pnpm that only records its calls. */
function fakeNpm(checkout: string): string {
  const pins = JSON.parse(readFileSync(join(import.meta.dirname, "toolchain", "package.json"), "utf8"));
  const [node, pnpm] = [`node-${platform}`, `@pnpm/exe.${platform}`];
  const version = (name: string) => pins.optionalDependencies[name];
  return `#!/bin/sh
echo "npm $1" >> ${checkout}/calls
mkdir -p node_modules/${node}/bin node_modules/${pnpm}
cat > node_modules/${node}/bin/node <<'END'
#!/bin/sh
[ "$1" = --version ] && echo v${version(node)} && exit
exec ${process.execPath} "$@"
END
cat > node_modules/${pnpm}/pnpm <<'END'
#!/bin/sh
[ "$1" = --version ] && echo ${version(pnpm)} && exit
[ "$1" = install ] && set install && mkdir -p node_modules
[ -e ${checkout}/broken ] && echo pnpm is broken && exit 1
echo "pnpm $*" >> ${checkout}/calls
END
chmod 755 node_modules/${node}/bin/node node_modules/${pnpm}/pnpm
`;
}
