import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  type Answer,
  bareProfile,
  eventually,
  HubProcess,
  ledge,
  temporaryFolder,
  TestHome,
} from "../testdata/hub-process.ts";

const home = new TestHome("--log", "debug");
const command = (body: unknown): Promise<Answer> => home.call("PUT", "/devices/command", body);
const outcomes = async (): Promise<string> =>
  (await ledge("events", "tail", "--once", "--data", home.folder)).stdout;

test("a lamp identifies itself, every device refreshes, a camera takes a picture", async () => {
  const [lamp, camera] = [await home.device("Living room ceiling"), await home.device("Yard camera")];
  const list = [
    { type: "CMD_IDENTIFY", id: lamp.id },
    { type: "CMD_REFRESH_DEVICE", id: lamp.id },
    { type: "CMD_SNAPSHOT", id: camera.id },
  ];
  assert.deepEqual(await command(list), { status: 200, json: null });
  await eventually("their outcomes", async () => {
    const text = await outcomes();
    return (text.match(/CommandSucceeded/g)?.length ?? 0) >= list.length ? true : undefined;
  });
  assert.doesNotMatch(await outcomes(), /CommandFailed/);
  assert.equal((await command({ type: "CMD_IDENTIFY", id: (await home.device("Fridge")).id })).status, 422);
});

test("a media player lists its content and its queue and accepts a partial sound state", async () => {
  const { id } = await home.device("Living room speaker");
  const root = (await command([{ type: "CMD_GET_CD", id }])).json as { items: { objectId: string }[] };
  const objectId = root.items[0]?.objectId;
  const { total, items } = (await command([{ type: "CMD_GET_CD", id, objectId, start: 1, count: 1 }]))
    .json as {
    total: number;
    items: object[];
  };
  assert.deepEqual([total, items.length], [3, 1]);
  assert.equal((await command([{ type: "CMD_GET_CD", id, objectId: "none" }])).status, 422);
  const queue = (await command({ type: "CMD_GET_QUEUE", id })).json as { id: string; tracks: object[] };
  assert.deepEqual([queue.id, queue.tracks.length], [id, 3]);
  const state = { type: "STATE_MEDIA_RENDERER", isOn: true, rcData: { volume: 42, bass: null } };
  assert.equal((await command([{ type: "CMD_DEVICE", id, state }])).status, 200);
  const loud = await home.device("Living room speaker", (device) => {
    const { isOn, rcData } = device.state as { isOn: boolean; rcData?: { volume: number } };
    return isOn && rcData?.volume === 42;
  });
  assert.deepEqual((loud.state["rcData"] as { treble: number }).treble, 0);
});

test("an air conditioner lists its pumps", async () => {
  const pumps = (await command({ type: "CMD_GET_AIRCON_PUMPS", id: (await home.device("Heat pump")).id }))
    .json;
  assert.deepEqual(
    (pumps as { name: string }[]).map(({ name }) => name),
    ["Circulation", "Brine"],
  );
});

const canary = "canary-7f3a9";

test("a camera takes its password and its network, and no later answer shows a password", async () => {
  const { id } = await home.device("Yard camera");
  const status = async (type: string, password: string): Promise<unknown> => {
    const { json } = await command({ type, id, username: "admin", password });
    return (json as { credentialStatus?: string }).credentialStatus;
  };
  assert.equal(await status("CMD_USE_CREDENTIALS", "admin"), "DEFAULT");
  assert.equal(await status("CMD_CHANGE_CREDENTIALS", canary), "OK");
  assert.equal(await status("CMD_USE_CREDENTIALS", `${canary}-wrong`), "ERROR");
  assert.equal(await status("CMD_USE_CREDENTIALS", canary), "OK");
  await home.device(
    "Yard camera",
    (device) => (device as { credentialStatus?: string }).credentialStatus === "OK",
  );
  const at = { type: "CMD_CAMERA_HOST_AT_IP", ip: "192.168.255.254", username: "admin", password: canary };
  assert.equal(((await command(at)).json as { code: number }).code, 10);
  const enter = { type: "CMD_SET_WIFI", id, ssid: "Home" };
  assert.equal((await command({ ...enter, password: canary })).status, 422);
  assert.equal((await command({ ...enter, password: canary.repeat(20) })).status, 422);
  assert.equal((await command({ ...enter, password: { canary } })).status, 422);
  assert.deepEqual(await command({ ...enter, password: "simulated" }), { status: 200, json: true });
  const wifis = (await command({ type: "CMD_SCAN_WIFIS", id })).json as {
    ssid: string;
    connected: boolean;
  }[];
  assert.deepEqual(
    wifis.map(({ ssid, connected }) => [ssid, connected]),
    [
      ["Home", true],
      ["Guests", false],
    ],
  );
  await home.device(
    "Yard camera",
    (device) => (device as { wifiConnected?: boolean }).wifiConnected === true,
  );
  assert.equal(((await command({ type: "CMD_SEARCH" })).json as object[]).length, 1);
  const answers = [
    await home.call("GET", "/devices"),
    await home.call("GET", "/hub/poll?ts=0"),
    await home.call("GET", "/alarms"),
  ];
  assert.doesNotMatch(JSON.stringify(answers), /canary|simulated"/);
  const log = await outcomes();
  for (const request of ["USE_CREDENTIALS", "CHANGE_CREDENTIALS", "SET_WIFI"])
    assert.match(log, new RegExp(request));
  assert.doesNotMatch(log, /canary/);
  const { stderr, stdout } = await home.hub.stop();
  assert.doesNotMatch(stderr + stdout, /canary/);
  const files = readdirSync(home.folder, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  assert.ok(files.length > 2);
  for (const { parentPath, name } of files)
    assert.equal(readFileSync(join(parentPath, name)).includes(canary), false, name);
});

test("a hub without adapters answers questions to all adapters with empty lists", async (t) => {
  const other = temporaryFolder();
  const bare = await HubProcess.start(other.path, "--profile", bareProfile(other.path));
  t.after(async () => {
    await bare.stop();
    other.remove();
  });
  const owner = await bare.key();
  for (const type of ["CMD_SEARCH", "CMD_GET_FNIP_CONFIGS"]) {
    const { status, json } = await bare.call("PUT", "/devices/command", owner, { type });
    assert.deepEqual([status, json], [200, []]);
  }
});
