import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Device } from "@ledge/model";
import { programFile } from "@ledge/testkit/programs";
import {
  bareProfile,
  eventually,
  finish,
  HubProcess,
  ledge,
  temporaryFolder,
  TestHome,
} from "./testdata/hub-process.ts";

const home = new TestHome();

interface PollDelta {
  readonly timestamp: number;
  readonly full: boolean;
  readonly polls: readonly { type: string; devices?: Record<string, Device | null> }[];
}

async function poll(ts: number): Promise<PollDelta> {
  const { json } = await home.call("GET", `/hub/poll?ts=${ts}`);
  return json as PollDelta;
}

test("a hub whose data folder is moved away reports it and ends; the moved folder stays valid", async (t) => {
  const around = temporaryFolder();
  t.after(() => around.remove());
  const profile = bareProfile(around.path);
  const [here, there] = [join(around.path, "here"), join(around.path, "there")];
  const moved = await HubProcess.start(here, "--profile", profile);
  const owner = await moved.key();
  assert.equal((await moved.call("PUT", "/rooms", owner, [{ name: "Hall" }])).status, 200);
  renameSync(here, there);
  const { code, stdout, stderr } = await moved.ended;
  assert.equal(code, 70);
  assert.match(stdout + stderr, /the log in \S+here is gone/);
  const again = await HubProcess.start(there, "--profile", profile);
  t.after(() => again.stop());
  assert.match(JSON.stringify((await again.call("GET", "/rooms", owner)).json), /Hall/);
});

test("a switched lamp shows in the next poll, and its event names the command as its cause", async () => {
  const { id } = await home.device("Living room ceiling");
  const { timestamp } = await poll(0);
  const answer = await home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE_ON", id }]);
  assert.deepEqual(answer, { status: 200, json: null });
  await eventually("the lamp in a delta, on", async () => {
    const { full, polls } = await poll(timestamp);
    assert.equal(full, false);
    return polls.find(({ type }) => type === "DEVICE_DELTA")?.devices?.[id]?.state["isOn"] === true
      ? true
      : undefined;
  });
  const tail = await ledge(
    "events",
    "tail",
    "--data",
    home.folder,
    "--json",
    "--after",
    String(timestamp),
    "--once",
  );
  const lines = tail.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { ref: string; event: Record<string, unknown> });
  const issued = lines.find(({ event }) => event["type"] === "CommandIssued" && event["device"] === id);
  const reported = lines.find(({ event }) => event["type"] === "DeviceReported" && event["id"] === id);
  assert.equal(reported?.event["cause"], issued?.ref);
  assert.match(String(reported?.event["root"]), /^request:/);
  const shown = await ledge("events", "show", reported?.ref ?? "", "--data", home.folder, "--json");
  const { causes } = JSON.parse(shown.stdout) as { causes: { ref: string }[] };
  assert.deepEqual(
    causes.map(({ ref }) => ref),
    [issued?.ref],
  );
});

test("acknowledged changes survive a kill, and a cursor from before it still gets a delta", async () => {
  const { json: rooms } = await home.call("PUT", "/rooms", [{ type: "CMD_ROOM", id: null, name: "Attic" }]);
  assert.deepEqual(rooms, [true]);
  const { timestamp } = await poll(0);
  assert.deepEqual((await home.call("PUT", "/hub/name?name=Lodge")).json, true);
  await home.hub.kill();
  await home.start();
  const meta = (await (await fetch(`${home.hub.address}/hub`)).json()) as { name: string; state: string };
  assert.equal(meta.name, "Lodge");
  assert.equal(meta.state, "claimed");
  const { json } = await home.call("GET", "/rooms");
  assert.deepEqual(
    Object.values(json as object).map(({ name }) => name as string),
    ["Attic"],
  );
  assert.equal((await poll(timestamp)).full, false);
});

test("a second hub on the same folder is refused and leaves the first one alone", async () => {
  await assert.rejects(HubProcess.start(home.folder), /ended with 75: a hub is running/);
  assert.equal((await fetch(`${home.hub.address}/healthz`)).status, 200);
});

test("a killed adapter restarts, and the hub answers meanwhile", async () => {
  await home.hub.killAdapter();
  await eventually("the adapter failing and running again", async () => {
    assert.ok((await poll(1)).timestamp > 0);
    const { stdout } = await ledge("events", "tail", "--data", home.folder, "--json", "--once");
    const failed = stdout.indexOf('"AdapterFailed"');
    return failed !== -1 && stdout.includes('"AdapterStarted"', failed) ? true : undefined;
  });
  assert.equal((await ledge("status", "--data", home.folder)).code, 0);
});

test("a hub that is asked to stop exits with 0, and the next one starts from its snapshot", async () => {
  const stopped = await poll(0);
  assert.equal((await home.hub.stop()).code, 0);
  await home.start();
  const later = await poll(stopped.timestamp);
  assert.equal(later.full, false);
});

test("a hub that is told to stop while it sets up HTTPS exits with 0", async (t) => {
  const around = temporaryFolder();
  t.after(() => around.remove());
  // The key is a pipe: the hub waits, with its API open, until somebody has written to it.
  const key = join(around.path, "key");
  execFileSync("mkfifo", [key]);
  const profile = bareProfile(around.path, { certificate: { key, file: "/dev/null" } });
  const options = ["--data", join(around.path, "data"), "--profile", profile, "--port", "0"];
  const child = spawn(process.execPath, [programFile("hub"), ...options], { stdio: "pipe" });
  const ended = finish(child);
  const pipe = await open(key, "w");
  child.kill("SIGTERM");
  await pipe.close();
  assert.equal((await ended).code, 0);
});

test("a port in use ends the start with a message, before a folder is made", async () => {
  const other = temporaryFolder();
  const port = new URL(home.hub.address).port;
  const folder_ = join(other.path, "never-made");
  await assert.rejects(
    HubProcess.start(folder_, "--port", port),
    new RegExp(`ended with 69: 127.0.0.1:${port} is taken: another program listens there\n$`),
  );
  assert.equal(existsSync(folder_), false);
  other.remove();
});

test("an unknown log level is wrong usage, reported in one line", async () => {
  await assert.rejects(
    HubProcess.start(home.folder, "--log", "loud"),
    /ended with 2: --log loud is no level: one of silent, error, warn, info, debug\n$/,
  );
});
