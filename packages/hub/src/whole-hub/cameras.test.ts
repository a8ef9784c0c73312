import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Device } from "@ledge/model";
import { SimulatedCamera } from "@ledge/testkit/onvif";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const login = { username: "admin", password: "canary-of-the-camera" };
const folder = temporaryFolder();
const yard = new SimulatedCamera({
  serial: "1000",
  login,
  moves: true,
  seesMotion: true,
  aheadMs: 3_600_000,
});
const hall = new SimulatedCamera({
  serial: "2000",
  login,
  httpDigest: true,
  media2: true,
  names: "192.0.2.7",
});
const odd = new SimulatedCamera({ serial: "3000", login });
const safe = new SimulatedCamera({
  serial: "4000",
  model: "Safe",
  login,
  isSecure: true,
  seesMotion: true,
});
const cameras = [yard, hall, odd, safe];

let profile: string;
let hub: HubProcess;
let key: string;
const printed: string[] = [];

const start = (): Promise<HubProcess> => HubProcess.start(join(folder.path, "data"), "--profile", profile);
const ended = async ({ stdout, stderr }: { stdout: string; stderr: string }): Promise<void> =>
  void printed.push(stdout, stderr);

before(async () => {
  for (const camera of cameras) await camera.listen();
  const discovery = { address: "127.0.0.1", port: await hall.announce() };
  profile = bareProfile(folder.path, {
    name: "cameras",
    localTargets: true,
    adapters: { onvif: { discovery } },
  });
  hub = await start();
  key = await hub.key();
});

after(async () => {
  await ended(await hub.stop());
  for (const camera of cameras) await camera.close();
  folder.remove();
});

interface Status {
  readonly code: number;
  readonly host: Readonly<Record<string, unknown>> | null;
}

async function at(
  place: number | string,
  password = login.password,
  username = login.username,
): Promise<Status> {
  const ip = typeof place === "string" ? place : `127.0.0.1:${place}`;
  const body = { type: "CAMERA_AT_IP", ip, username, password };
  const { status, json } = await hub.call("POST", "/hub/pairIp", key, body);
  assert.equal(status, 200, JSON.stringify(json));
  return json as Status;
}

const camera = (name: string, is: (device: Device) => boolean = () => true): Promise<Device> =>
  hub.device(name, key, is);
const extrasOf = (device: Device): Readonly<Record<string, unknown>> => ({ ...device });

test("a camera is refused with the code that says why, and paired where its login fits", async () => {
  assert.equal((await at(yard.port, "wrong")).code, 11);
  assert.equal((await at(yard.port, "", "")).code, 11);
  for (const [trouble, code] of [
    ["html", 10],
    ["notFound", 10],
    ["noVideo", 10],
    ["entities", 10],
    ["huge", 10],
    ["resets", 99],
    ["stalls", 12],
    ["hangs", 12],
  ] as const) {
    odd.trouble = trouble;
    assert.equal((await at(odd.port)).code, code, trouble);
  }
  odd.trouble = undefined;
  await odd.unplug();
  assert.equal((await at(odd.port)).code, 13);
  await odd.listen();
  const paired = await at(yard.port);
  assert.deepEqual([paired.code, paired.host?.["identifier"]], [0, "Ledge/1000"]);
  assert.equal((await at(yard.port)).code, 1);
  yard.serial = "other";
  assert.equal((await at(yard.port)).code, 14);
  yard.serial = "1000";
});

test("a paired camera tells its streams, at its own address and without a user", async () => {
  const device = await camera("Ledge Lens 1", ({ state }) => state["connectionState"] === "CONNECTED");
  const { medias, credentialStatus, username } = extrasOf(device);
  assert.deepEqual([credentialStatus, username], ["OK", "admin"]);
  assert.partialDeepStrictEqual(medias, [
    { token: "main", width: 1920, height: 1080, bitrate: "3840", streamUri: "rtsp://127.0.0.1:8554/main" },
    { token: "sub", name: "Small & fast", streamUri: "rtsp://127.0.0.1:8554/sub" },
  ]);
  assert.equal((medias as unknown[]).length, 2, "a profile without video is none");
});

test("motion is an attribute, also after the camera was unplugged", async () => {
  const shows = (motion: boolean): Promise<Device> =>
    camera("Ledge Lens 1", ({ state }) => state["motion"] === motion && state["reachable"] === true);
  await eventually("a subscription", async () => (yard.subscriptions > 0 ? true : undefined));
  yard.moves(true);
  await shows(true);
  yard.moves(false);
  await shows(false);
  await yard.unplug();
  await camera("Ledge Lens 1", ({ state }) => state["reachable"] === false);
  yard.moves(true);
  await yard.listen();
  await shows(true);
  yard.moves(false);
  await shows(false);
});

test("a camera turns to a preset and to a place, and shows where it looks", async () => {
  const { id } = await camera("Ledge Lens 1");
  const set = (parameters: object): Promise<unknown> =>
    hub.done("PUT", "/devices/configuration", key, { type: "CONFIGURATION", id, parameters });
  const shown = (name: string, value: unknown): Promise<true> =>
    eventually(`${name} ${String(value)}`, async () => {
      const { json } = await hub.call("GET", `/devices/configuration?deviceId=${id}`, key);
      const { parameters } = json as { parameters: Readonly<Record<string, unknown>> };
      return parameters[name] === value ? true : undefined;
    });
  await set({ "ptz.preset": "gate" });
  await shown("ptz.pan", 0.5);
  assert.equal(yard.preset, "gate");
  await set({ "ptz.pan": -0.25, "ptz.zoom": 0.5 });
  await shown("ptz.pan", -0.25);
  assert.deepEqual(yard.position, { pan: -0.25, tilt: 0, zoom: 0.5 });
});

test("a camera with TLS is pinned when it is paired: another certificate is a state and an alarm, and hears nothing", async () => {
  const place = `https://127.0.0.1:${safe.port}`;
  assert.equal((await at(place.replace("https", "http"))).code, 99);
  assert.equal((await at(`https://127.0.0.1:${yard.port}`)).code, 99);
  assert.equal((await at(place, "wrong")).code, 11);
  assert.equal((await at(safe.port)).code, 0, "found without being told of TLS");
  const shows = (state: object): Promise<Device> =>
    camera("Ledge Safe", (device) => Object.entries(state).every(([name, is]) => device.state[name] === is));
  const { id } = await shows({ connectionState: "CONNECTED", reachable: true });
  await hub.done("PUT", "/devices/command", key, [{ type: "CMD_SNAPSHOT", id }]);
  safe.moves(true);
  await shows({ motion: true });

  await safe.unplug();
  await shows({ connectionState: "DISCONNECTED" });
  safe.replaceCertificate();
  safe.asked.length = 0;
  safe.refused.length = 0;
  await safe.listen();
  await shows({ connectionState: "CERTIFICATE", reachable: false });
  const alarm = async (): Promise<{ kind: string; closed: boolean } | undefined> => {
    const { json } = await hub.call("GET", "/alarms", key);
    const all = Object.values(json as Record<string, { kind: string; closed: boolean }>);
    return all.find(({ kind }) => kind === "DEVICE_CERTIFICATE");
  };
  assert.equal((await eventually("the alarm", alarm)).closed, false);
  const told = { type: "CMD_USE_CREDENTIALS", id, username: "admin", password: "canary-of-the-third" };
  assert.notEqual((await hub.call("PUT", "/devices/command", key, [told])).status, 200);
  assert.deepEqual([safe.asked, safe.refused], [[], []]);

  assert.equal((await at(place)).code, 1, "paired again, with the certificate that it has now");
  await shows({ connectionState: "CONNECTED" });
  await eventually("the alarm is closed", async () => ((await alarm())?.closed ? true : undefined));
});

test("a camera takes a picture", async () => {
  const { id } = await camera("Ledge Lens 1");
  await hub.done("PUT", "/devices/command", key, [{ type: "CMD_SNAPSHOT", id }]);
  await eventually("the picture", async () => (yard.pictures > 0 ? true : undefined));
});

test("a search finds a camera that wants a login, and its address with a login pairs it", async () => {
  const scan = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    ((await hub.call("GET", "/hub/scan", key)).json as { devices: Readonly<Record<string, unknown>>[] })
      .devices;
  await scan();
  await eventually("a camera without a name", async () =>
    (await scan()).find(({ actionRequired }) => actionRequired === true),
  );
  assert.equal((await at(hall.port)).code, 0);
  const { id } = await eventually("the camera", async () =>
    (await scan()).find(({ pairingStatus }) => pairingStatus === "COMPLETE"),
  );
  await hub.call("PUT", "/hub/scan", key, { id, ignored: false });
  await hub.call("GET", "/hub/stopscan", key);
  const device = await eventually("the device", async () => {
    const { json } = await hub.call("GET", "/devices", key);
    const found = (json as Record<string, Device>)[String(id)];
    return found?.state["connectionState"] === "CONNECTED" ? found : undefined;
  });
  const [media] = extrasOf(device)["medias"] as readonly Readonly<Record<string, unknown>>[];
  assert.equal(media?.["streamUri"], "rtsp://127.0.0.1:8554/main", "not at the address that it names");
  assert.ok(hall.asked.includes("GetProfiles"), "at the address that was asked");
});

test("the hub's login at a camera is changed there, and tried before it is kept", async () => {
  const { id } = await camera("Ledge Lens 1");
  const command = async (type: string, password: string): Promise<unknown> =>
    (
      (await hub.call("PUT", "/devices/command", key, [{ type, id, username: "admin", password }])).json as {
        credentialStatus?: string;
      }
    ).credentialStatus;
  assert.equal(await command("CMD_USE_CREDENTIALS", "wrong"), "ERROR");
  assert.equal(await command("CMD_CHANGE_CREDENTIALS", "canary-of-the-second"), "OK");
  assert.equal(yard.password, "canary-of-the-second");
  yard.password = login.password;
  assert.equal(await command("CMD_USE_CREDENTIALS", login.password), "OK");
});

test("a pairing ends when its feature is switched off under it, and cameras are back with the feature", async () => {
  const turn = (isOn: boolean): Promise<unknown> =>
    hub.done("PUT", "/hub/featureswitches", key, [
      { type: "FEATURE_SWITCH", feature: "VIDEO_SERVICE", isOn },
    ]);
  odd.trouble = "stalls";
  odd.asked.length = 0;
  const pairing = at(odd.port);
  await eventually("a question", async () => (odd.asked.length > 0 ? true : undefined));
  await hub.call("GET", "/hub/scan", key);
  await turn(false);
  assert.equal((await pairing).code, 99);
  await hub.call("GET", "/hub/stopscan", key);
  await camera("Ledge Lens 1", ({ state }) => state["reachable"] === false);
  assert.equal((await at(yard.port)).code, 10, "a web server, for a hub without the adapter");
  odd.trouble = undefined;
  await turn(true);
  await camera("Ledge Lens 1", ({ state }) => state["connectionState"] === "CONNECTED");
  assert.equal((await at(odd.port)).code, 0);
});

test("paired cameras are back after a kill, and passwords are nowhere in the clear", async () => {
  await ended(await hub.kill());
  hub = await start();
  await camera("Ledge Lens 1", ({ state }) => state["connectionState"] === "CONNECTED");
  await yard.unplug();
  await camera("Ledge Lens 1", ({ state }) => state["reachable"] === false);
  await yard.listen();
  await camera("Ledge Lens 1", ({ state }) => state["reachable"] === true);
  await ended(await hub.stop());
  for (const file of readdirSync(folder.path, { recursive: true, encoding: "utf8" })) {
    const path = join(folder.path, file);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true)
      assert.ok(!readFileSync(path).includes("canary-of-the"), file);
  }
  assert.ok(!printed.join("\n").includes("canary-of-the"), "the log");
  hub = await start();
});
