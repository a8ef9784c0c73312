import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { AdapterLine, childChannel, startAdapterProcess, type FoundDevice } from "@ledge/port";
import { until } from "@ledge/testkit";
import { testBundle } from "@ledge/testkit/programs";
import { devices, serveStick, SimulatedAir, Stick } from "@ledge/testkit/zigbee";
import { plans, ZWaveStick } from "@ledge/testkit/zwave";
import { bundleInto, indexDatabase } from "./bundle.ts";
import { isGpl } from "./tidy.ts";

// Outside the checkout, so that nothing is found in its node_modules by chance.
const folder = mkdtempSync(join(tmpdir(), "ledge-bundle-"));
const data = join(folder, "data");
const file = (name: string): string => join(folder, "lib", `${name}.mjs`);
let child: ChildProcess;
let address = "";

before(async () => {
  if (testBundle === undefined) await bundleInto(folder);
  else cpSync(testBundle, folder, { recursive: true });
  child = spawn(process.execPath, [file("hub"), "--data", data, "--port", "0", "--cloud", "none"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = child.stdout as Readable;
  let printed = "";
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    address = /API +(http:\S+)\n/.exec(printed)?.[1] ?? "";
    if (address !== "") return;
  }
  throw new Error(`the bundled hub ended before it listened: ${printed}`);
});

after(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "close");
    child.kill("SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

async function ledge(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [file("ledge"), ...args, "--data", data]);
  return stdout;
}

test("a bundled hub serves, and writes its log through the journal's thread", async () => {
  const meta = (await (await fetch(`${address}/hub`)).json()) as { type: string; state: string };
  assert.deepEqual([meta.type, meta.state], ["HUB_META_DATA", "factory_new"]);
  const key = (await ledge("key", "--recover", "--email", "owner@localhost")).trim();
  const metrics = await (await fetch(`${address}/metrics`, { headers: { authorization: key } })).text();
  const checked = await fetch(`${address}/cc/1.14/hub/keycheck`, { headers: { authorization: key } });
  assert.deepEqual(await checked.json(), { role: 64 });
  assert.match(metrics, /^ledge_commits_total [1-9]/m);
  assert.ok(existsSync(join(data, "log", "journal")));
});

test("a bundled hub serves the web interface, packed", async () => {
  const page = await fetch(address);
  const [, script = ""] = /src="([^"]+)"/.exec(await page.text()) ?? [];
  const code = await fetch(new URL(script, address), { headers: { "accept-encoding": "br" } });
  assert.deepEqual([page.status, code.status], [200, 200]);
  assert.equal(code.headers.get("content-encoding"), "br");
  assert.match(code.headers.get("cache-control") ?? "", /immutable/);
});

test("a bundled hub runs its adapter from the adapter's own bundle", async () => {
  for (let tries = 0; tries < 600; tries++) {
    const { objects } = JSON.parse(await ledge("status", "--json")) as { objects: { devices: number } };
    if (objects.devices > 0) return;
    await sleep(100);
  }
  assert.fail("no device appeared");
});

test("a bundled hub reads the past with the bundle of that thread", async () => {
  const shown = JSON.parse(await ledge("at", "now", "hub", "--json")) as { type: string };
  assert.equal(shown.type, "HUB_META_DATA");
});

test("the bundled Zigbee adapter forms a network, and finds a device by its maker's definition", async (t) => {
  const air = new SimulatedAir();
  const served = await serveStick(new Stick({ air }));
  t.after(() => served.close());
  const own = mkdtempSync(join(folder, "zigbee-"));
  const { line, found, said } = startBundled("adapter-zigbee", own, t);
  const socket = devices.socket("0x000d6f0000000001");
  air.add(socket);
  await line.start({ radio: { path: served.path, stick: "zstack" } }, [], own);
  for (let tries = 0; served.stick.network === null && tries < 600; tries++) await sleep(100);
  await line.pair({ type: "open", windowMs: 60_000 }, 60_000);
  air.seek(socket.ieee);
  const named = (): string | undefined => found.findLast(({ description }) => description)?.description?.name;
  for (let tries = 0; named() === undefined && tries < 600; tries++) await sleep(100);
  assert.equal(named(), "Innr SP 120", said.join("\n"));
  await line.stop();
});

test("no bundle is made without the index of the Z-Wave devices", async () => {
  const library = join(folder, "silent");
  mkdirSync(join(library, "build", "esm"), { recursive: true });
  // As the library does where it cannot write.
  const silent = "export class ConfigManager { async loadAll() {} }";
  writeFileSync(join(library, "build", "esm", "index.js"), silent);
  writeFileSync(join(library, "package.json"), '{"type":"module"}');
  await assert.rejects(indexDatabase(library), /no index in .*silent/);
});

test("the bundled Z-Wave adapter knows the makers of devices", async (t) => {
  const makers = readFileSync(
    join(folder, "node_modules/@zwave-js/config/config/manufacturers.json"),
    "utf8",
  );
  assert.ok(makers.split("\n").filter((line) => /"0x[0-9a-f]{4}":/.test(line)).length > 700);
  const index = readFileSync(join(folder, "node_modules/@zwave-js/config/config/devices/index.json"), "utf8");
  assert.ok(index.split("\n").filter((line) => line.includes('"filename"')).length > 3000);
  const served = await serveStick(await ZWaveStick.create());
  t.after(() => served.close());
  const own = mkdtempSync(join(folder, "zwave-"));
  const { line, found, said } = startBundled("adapter-zwave", own, t);
  await line.start({ radio: { path: served.path } }, [], own);
  const opened = (): Promise<boolean> =>
    line.pair({ type: "open", windowMs: 60_000 }, 60_000).then(
      () => true,
      () => false,
    );
  // On a busy machine the network is up later than the adapter.
  await until("the window is open", opened);
  // The Smart Switch 6 of AEON Labs.
  const { capabilities, behaviours } = plans.wallPlug();
  const maker = { manufacturerId: 0x0086, productType: 0x0003, productId: 0x0060 };
  served.stick.inclusion.seek({ capabilities: { ...capabilities, ...maker }, behaviours });
  const named = (): string | undefined => found.findLast(({ description }) => description)?.description?.name;
  for (let tries = 0; named() === undefined && tries < 600; tries++) await sleep(100);
  assert.equal(named(), "AEON Labs ZW096", said.join("\n"));
  await line.stop();
});

/** Starts the bundle of an adapter, confined as in a hub, until the test ends. */
function startBundled(
  name: string,
  own: string,
  t: TestContext,
): { readonly line: AdapterLine; readonly found: FoundDevice[]; readonly said: string[] } {
  const program = ["lib", "node_modules", "package.json"].map((part) => join(folder, part));
  const read = [...program, "/dev", "/sys", "/etc/alpine-release", own];
  const adapter = startAdapterProcess(pathToFileURL(file(name)), [], {
    confinement: { read, write: [own], addons: true },
  });
  adapter.stdout?.resume();
  const exited = once(adapter, "exit");
  t.after(async () => {
    adapter.kill("SIGKILL");
    await exited;
  });
  const found: FoundDevice[] = [];
  const said: string[] = [];
  const line = new AdapterLine(childChannel(adapter), {
    announce: async () => {},
    found: async (device) => void found.push(device),
    lost: async () => {},
    trouble: async () => {},
    reports: async () => {},
    inFlight: () => {},
    store: async () => {},
    log: (level, message) => void said.push(`${level}: ${message}`),
    pong: () => {},
    closed: () => {},
    broken: (reason) => void said.push(`broken: ${reason}`),
  });
  return { line, found, said };
}

test("no package beside the bundles has a GPL licence, and no bundle holds the replaced package", () => {
  const manifests = globSync("node_modules/**/package.json", { cwd: folder });
  const read = (path: string): { name?: string; license?: unknown; licenses?: unknown } =>
    JSON.parse(readFileSync(join(folder, path), "utf8")) as object;
  const names = manifests.map((path) => read(path).name);
  for (const name of ["lmdb", "zigbee-herdsman", "zigbee-herdsman-converters", "zigbee-on-host"])
    assert.equal(names.filter((other) => other === name).length, 1, name);
  assert.deepEqual(
    manifests.filter((path) => isGpl(JSON.stringify(read(path).license ?? read(path).licenses ?? ""))),
    [],
  );
  const standIn = manifests.find((path) => read(path).name === "zigbee-on-host") ?? "";
  assert.equal(read(standIn).license, "Apache-2.0");
  // Names from the code of the replaced package.
  const replaced = /OTRCPDriver|SpinelCommandId|ZigbeeMACHelper/;
  for (const path of globSync("{lib/*.mjs,node_modules/**/zigbee-on-host/**/*.{js,cjs,mjs}}", {
    cwd: folder,
  }))
    assert.doesNotMatch(readFileSync(join(folder, path), "utf8"), replaced, path);
});

test("packages beside the bundles are minified, since V8 keeps the source of each module that it loads", () => {
  const paths = globSync("node_modules/zigbee-herdsman*/**/*.js", { cwd: folder });
  assert.ok(paths.length > 400, `${paths.length} files`);
  for (const path of paths)
    assert.doesNotMatch(readFileSync(join(folder, path), "utf8"), /sourceMappingURL/, path);
});

test("a bundled ledge prints its release", async () => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, "..", "packages", "hub", "package.json"), "utf8"),
  ) as { version: string };
  assert.equal(await ledge("--version"), `${version}\n`);
});

test("the hub's bundle contains no adapter library", () => {
  const hub = readFileSync(file("hub"), "utf8");
  assert.match(hub, /DEVICE_DELTA/);
  assert.match(readFileSync(file("adapter-modbus"), "utf8"), /ModbusRTU/);
  assert.doesNotMatch(hub, /ModbusRTU/);
});

test("the hub limits its heap before it loads anything else", () => {
  assert.match(readFileSync(file("hub"), "utf8"), /^import "\.\/small-heap\.mjs";/);
  assert.match(readFileSync(file("small-heap"), "utf8"), /setFlagsFromString/);
});

test("a bundled hub repairs its log after a kill and serves again", async () => {
  const ended = once(child, "close");
  child.kill("SIGKILL");
  await ended;
  const { kernel } = JSON.parse(await ledge("status", "--json")) as { kernel: { state: string } };
  assert.equal(kernel.state, "serving");
});

test("a bundled cloud serves, lists its accounts, and can be backed up while it runs", async () => {
  const kept = ["--data", join(folder, "cloud-data")];
  const server = spawn(process.execPath, [file("cloud"), ...kept, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "close");
  try {
    let printed = "";
    for await (const chunk of server.stdout.iterator({ destroyOnReturn: false })) {
      printed += String(chunk);
      if (printed.includes("  mail ")) break;
    }
    const [, base = ""] = /API +(http:\S+)\n/.exec(printed) ?? [];
    const email = "ann@example.org";
    await fetch(`${base}/ui/0.2/user/requestlogin?email=${email}`, { method: "POST" });
    const [mail = ""] = globSync("mail/*", { cwd: join(folder, "cloud-data") });
    const [, password = ""] =
      /password: (\w+)/.exec(readFileSync(join(folder, "cloud-data", mail), "utf8")) ?? [];
    const body = new URLSearchParams({ email, password });
    assert.equal((await fetch(`${base}/ui/0.2/user/emaillogin`, { method: "POST", body })).status, 200);
    const ledgeCloud = async (...args: string[]): Promise<string> => {
      const all = [file("ledge-cloud"), ...args, ...kept];
      return (await promisify(execFile)(process.execPath, all)).stdout;
    };
    assert.match(await ledgeCloud("users"), /ann@example\.org/);
    writeFileSync(join(folder, "passphrase"), "correct horse battery");
    const backup = join(folder, "cloud.ledge");
    await ledgeCloud("backup", backup, "--passphrase-file", join(folder, "passphrase"));
    assert.match(await ledgeCloud("verify", backup), /whole/);
    assert.ok(existsSync(join(folder, "cloud-data", "log", "journal")));
  } finally {
    server.kill("SIGTERM");
  }
  assert.deepEqual(await ended, [0, null]);
});

test("the hub's bundle contains nothing of the cloud", () => {
  assert.match(readFileSync(file("cloud"), "utf8"), /HubRegistered/);
  for (const name of ["hub", "ledge"]) assert.doesNotMatch(readFileSync(file(name), "utf8"), /HubRegistered/);
});
