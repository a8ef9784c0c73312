import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startAdapterProcess } from "@ledge/port";
import { socketPath } from "@ledge/host/lock";
import { adapterFolder } from "../folder/folder.ts";
import {
  commandLineOf,
  eventually,
  finish,
  HubProcess,
  ledge,
  temporaryFolder,
} from "../testdata/hub-process.ts";
import { confinementOf } from "./confinement.ts";
import { adapterModules } from "./registry.ts";

const curious = new URL("./testdata/curious-process.ts", import.meta.url);
const root = temporaryFolder();
const folder = join(root.path, "hub");
let hub: HubProcess;

before(async () => {
  hub = await HubProcess.start(folder);
  for (const name of ["secret-key", "personal-keys.json"])
    writeFileSync(join(folder, name), "", { flag: "a" });
  for (const protocol of Object.keys(adapterModules))
    mkdirSync(adapterFolder(folder, protocol), { recursive: true });
});

after(async () => {
  await hub.stop();
  root.remove();
});

/** The results of a probe that runs as the adapter of a protocol and tries to look around. */
async function lookedAround(start: (own: string) => ChildProcess, protocol: string): Promise<object> {
  const { stdout, stderr } = await finish(start(adapterFolder(folder, protocol)));
  try {
    return JSON.parse(stdout) as object;
  } catch {
    return assert.fail(stderr);
  }
}

const args = (own: string): string[] => [folder, own, String(hub.child.pid)];

const denied = "ERR_ACCESS_DENIED";
const refused = {
  "read secret-key": denied,
  "read identity-key.json": denied,
  "read personal-keys.json": denied,
  "read hub.json": denied,
  "read log/data.mdb": denied,
  "read through /proc": denied,
  "read the hub's environment": denied,
  "list the folder": denied,
  "list sockets": denied,
  "write a key": denied,
  "write a mark": denied,
  "link to a key": denied,
  "run a program": denied,
  "run a thread": denied,
  "open the socket by its usual name": "ENOENT",
};

describe("an adapter's process", () => {
  for (const [protocol, own] of [
    ["sim", denied],
    ["modbus", denied],
    ["zigbee", "done"],
  ] as const) {
    test(`${protocol}: cannot read keys, write the hub's files or find the console`, async () => {
      const found = await lookedAround((home) => {
        const confinement = confinementOf(protocol, home, {});
        return startAdapterProcess(curious, args(home), { confinement });
      }, protocol);
      assert.deepEqual(found, {
        ...refused,
        "write in its own folder": own,
        "wake the hub's debugger": "done",
      });
    });
  }

  test("without confinement, every attempt of the probe succeeds", async () => {
    const found = await lookedAround((own) => startAdapterProcess(curious, [...args(own), "all"]), "zigbee");
    assert.deepEqual(
      Object.entries(found).filter(([, outcome]) => outcome !== "done"),
      [["open the socket by its usual name", "ENOENT"]],
    );
  });

  test("the hub starts its adapters confined", async () => {
    const line = await eventually("the adapter", async () => {
      const lines = hub.descendants().map((pid) => commandLineOf(pid).split("\0"));
      return lines.find((words) => words.includes("--permission") && words.includes("sim"));
    });
    assert.ok(!line.some((flag) => flag.startsWith("--allow-") && flag.includes(folder)), line.join(" "));
    assert.ok(!line.includes("--allow-addons"));
  });
});

test("a hub that receives SIGUSR1 opens no debugger", async () => {
  hub.child.kill("SIGUSR1");
  // The hub has taken the signal by the time that it answers.
  assert.equal((await ledge("status", "--data", folder)).code, 0);
  const { stderr } = await hub.stop();
  assert.doesNotMatch(stderr, /Debugger/);
  hub = await HubProcess.start(folder);
});

test("the console's socket gets a new name at each start, and the ledge command finds it", async () => {
  const names = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".sock"));
  const [first = "", ...more] = names();
  assert.deepEqual(more, []);
  assert.match(first, /^ledge-[\w-]{12}\.sock$/);
  assert.equal(socketPath(folder), join(folder, first));
  await hub.kill();
  hub = await HubProcess.start(folder);
  const [second = ""] = names();
  assert.equal(names().length, 1);
  assert.notEqual(second, first);
  assert.equal((await ledge("status", "--data", folder)).code, 0);
});

test("an adapter may read the paths that its profile names, and no others", () => {
  const named = { images: "/srv/images", radio: { path: "/dev/serial/by-id/stick", stick: "zstack" } };
  const { read, write, addons } = confinementOf("zigbee", "/data/adapters/zigbee", named);
  const beyond = read.filter((path) => !/node_modules$|\/\.pnpm$|\/packages$|package\.json$/.test(path));
  assert.deepEqual(beyond, [
    "/dev",
    "/sys",
    "/etc/alpine-release",
    "/data/adapters/zigbee",
    "/srv/images",
    "/dev/serial/by-id/stick",
  ]);
  assert.deepEqual([write, addons], [["/data/adapters/zigbee"], true]);
  for (const settings of [
    null,
    7,
    { images: 7, radio: null },
    { images: "relative", radio: { path: "tcp://h:1" } },
  ])
    assert.equal(confinementOf("zigbee", "/f", settings).read.length, read.length - 2);
});
