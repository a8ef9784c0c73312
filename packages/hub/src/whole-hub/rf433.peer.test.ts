import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Device } from "@ledge/model";
import {
  type SerialStick,
  type ServedStick,
  servePty,
  serveStick,
  SimulatedRflink,
} from "@ledge/testkit/rf433";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
let hall: SerialStick<SimulatedRflink>;
let attic: ServedStick<SimulatedRflink>;
let profile: string;
let hub: HubProcess;
let key: string;

const start = (): Promise<HubProcess> => HubProcess.start(join(folder.path, "data"), "--profile", profile);

before(async () => {
  hall = await servePty(new SimulatedRflink());
  attic = await serveStick(new SimulatedRflink());
  const lamp = { id: "lamp", name: "Floor lamp", kind: "socket", protocol: "Kaku", address: "41", unit: "1" };
  const gateways = [
    { name: "hall", transport: { type: "serial", path: hall.path }, devices: [lamp] },
    {
      name: "attic",
      transport: { type: "tcp", host: "127.0.0.1", port: attic.port },
      devices: [{ ...lamp, id: "fan", name: "Attic fan" }],
    },
  ];
  profile = bareProfile(folder.path, {
    name: "codes",
    features: ["FOUR33_HW2"],
    adapters: { rf433: { gateways } },
  });
  hub = await start();
  key = await hub.key();
});

after(async () => {
  await hub.stop();
  await hall.close();
  await attic.close();
  folder.remove();
});

const named = (name: string, is: (device: Device) => boolean): Promise<Device> => hub.device(name, key, is);
const shows = (name: string, attribute: string, value: unknown): Promise<Device> =>
  named(name, ({ state }) => state[attribute] === value);
const command = async (type: string, id: string): Promise<void> => {
  const { status, json } = await hub.call("PUT", "/devices/command", key, [{ type, id }]);
  assert.equal(status, 200, JSON.stringify(json));
};
const sent = (line: string): Promise<true> =>
  eventually(line, async () => (hall.stick.sent.includes(line) ? true : undefined));

interface Found {
  readonly id: string;
  readonly pairingStatus: string;
  readonly status: { readonly name: string } | null;
}
/** Returns what a search finds by a name. A transmitter goes on speaking, as the search may begin a little later. */
const found = (name: string, code: string): Promise<Found> =>
  eventually(name, async () => {
    const { json } = await hub.call("GET", "/hub/scan", key);
    hall.stick.hear(code);
    const { devices } = json as { readonly devices: readonly Found[] };
    return devices.find(({ status }) => status?.name === name);
  });
const take = async (id: string): Promise<void> => {
  await hub.call("PUT", "/hub/scan", key, { id, ignored: false });
  await hub.call("GET", "/hub/stopscan", key);
};

test("a socket obeys, says that its state is assumed, and follows its remote", async () => {
  const { id, ...lamp } = await shows("Floor lamp", "reachable", true);
  assert.equal((lamp as { assumedState?: unknown }).assumedState, true);
  await command("CMD_DEVICE_ON", id);
  await sent("Kaku;41;1;ON");
  await shows("Floor lamp", "isOn", true);
  hall.stick.hear("Kaku;ID=41;SWITCH=1;CMD=OFF");
  await shows("Floor lamp", "isOn", false);
});

test("a thermometer that speaks while a search runs is found and kept", async () => {
  const { id } = await found("Sensor Cresta 3001", "Cresta;ID=3001;TEMP=00b0;HUM=50");
  await take(id);
  const { state, type } = await named("Sensor Cresta 3001", (device) => {
    hall.stick.hear("Cresta;ID=3001;TEMP=80b0;HUM=51;BAT=LOW");
    return device.state["temperature"] === -17.6;
  });
  assert.deepEqual([type, state["humidity"], state["batteryLow"]], ["MULTI_SENSOR", 51, true]);
});

test("a receiver learns a code that the hub makes up, and a remote is learned key by key", async () => {
  const { json } = await hub.call("GET", "/hub/433devices", key);
  const kinds = json as readonly { readonly type: string; readonly id: string }[];
  assert.ok(kinds.length > 10 && kinds.every(({ type }) => type === "433_PAIR_INFO"));
  assert.equal((await hub.call("POST", "/hub/pair433?device433=toaster", key)).status, 404);
  const earlier = hall.stick.sent.length;
  assert.deepEqual(await hub.call("POST", "/hub/pair433?device433=newkaku.dimmer", key), {
    status: 200,
    json: true,
  });
  const [, address = ""] = /^NewKaku;([0-9a-f]{8});1;ON$/.exec(hall.stick.sent[earlier] ?? "") ?? [];
  const { id } = await shows(`Dimmer NewKaku ${address}/1`, "reachable", true);
  const dim = { type: "CMD_DEVICE", id, state: { type: "STATE_LIGHT", brightness: 0.4 } };
  assert.equal((await hub.call("PUT", "/devices/command", key, [dim])).status, 200);
  await sent(`NewKaku;${address};1;6`);

  assert.deepEqual(await hub.call("POST", "/hub/pair433?device433=heard.remote", key), {
    status: 200,
    json: true,
  });
  hall.stick.hear("Eurodomest;ID=03696b;SWITCH=00;CMD=OFF");
  await named("Remote Eurodomest 03696b", () => true);
  hall.stick.hear("Eurodomest;ID=03696b;SWITCH=01;CMD=ON");
  const remote = await shows("Remote Eurodomest 03696b", "button", 2);
  const { buttons } = remote as unknown as { readonly buttons: readonly { readonly label: string }[] };
  assert.deepEqual(
    buttons.map(({ label }) => label),
    ["00 OFF", "01 ON"],
  );
});

/** Everything that was paired, by its name. */
const paired = async (): Promise<ReadonlyMap<string, Device>> => {
  const { json } = await hub.call("GET", "/devices", key);
  const devices = Object.values(json as Record<string, Device>);
  return new Map(devices.filter(({ name }) => !/^(?:Floor|Attic)/.test(name)).map((one) => [one.name, one]));
};
const idsOf = (devices: ReadonlyMap<string, Device>): readonly string[] =>
  [...devices.values()].map(({ name, id }) => `${name} ${id}`).toSorted();
const dimmer = async (): Promise<{ readonly name: string; readonly id: string; readonly code: string }> => {
  const device = [...(await paired()).values()].find(({ name }) => name.startsWith("Dimmer"));
  const [, address = ""] = /NewKaku (\w+)/.exec(device?.name ?? "") ?? [];
  return { name: device?.name ?? "", id: device?.id ?? "", code: `NewKaku;${address};1;` };
};

test("pairings and learned keys outlive a hub that is killed", async () => {
  const earlier = await paired();
  assert.equal(earlier.size, 3, [...earlier.keys()].join());
  const { name, id, code } = await dimmer();
  const times = (line: string): number => hall.stick.sent.filter((each) => each === line).length;
  const earlierSent = times(`${code}OFF`);
  await hub.kill();
  hub = await start();
  await named("Sensor Cresta 3001", ({ state }) => {
    hall.stick.hear("Cresta;ID=3001;TEMP=0064;HUM=40");
    return state["temperature"] === 10;
  });
  await shows(name, "reachable", true);
  assert.deepEqual(idsOf(await paired()), idsOf(earlier));
  await command("CMD_DEVICE_OFF", id);
  await eventually("the code", async () => (times(`${code}OFF`) > earlierSent ? true : undefined));
  hall.stick.hear("Eurodomest;ID=03696b;SWITCH=00;CMD=OFF");
  await shows("Remote Eurodomest 03696b", "button", 1);
});

test("the adapter goes with its feature while the hub runs, and needs no pairing when it is back", async () => {
  const turn = async (isOn: boolean): Promise<void> => {
    await hub.done("PUT", "/hub/featureswitches", key, [
      { type: "FEATURE_SWITCH", feature: "FOUR33_HW2", isOn },
    ]);
    await eventually("the process", async () => (hub.adapters().has("rf433") === isOn ? true : undefined));
  };
  const { name, id, code } = await dimmer();
  const earlier = await paired();
  const first = hub.adapters().get("rf433");
  await turn(false);
  await shows("Floor lamp", "reachable", false);
  await shows(name, "reachable", false);
  assert.deepEqual((await hub.call("GET", "/hub/433devices", key)).json, []);
  assert.equal((await hub.call("POST", "/hub/pair433?device433=newkaku.lamp", key)).status, 404);
  await turn(true);
  assert.notEqual(hub.adapters().get("rf433"), first);
  await shows("Floor lamp", "reachable", true);
  await shows(name, "reachable", true);
  assert.deepEqual(idsOf(await paired()), idsOf(earlier));
  const earlierSent = hall.stick.sent.length;
  await command("CMD_DEVICE_ON", id);
  await eventually("the code", async () =>
    hall.stick.sent.slice(earlierSent).includes(`${code}ON`) ? true : undefined,
  );
});

test("a gateway that is killed or falls silent takes its own devices with it, and comes back", async () => {
  await attic.unplug();
  await shows("Attic fan", "reachable", false);
  await shows("Floor lamp", "reachable", true);
  await attic.plug();
  const { id } = await shows("Attic fan", "reachable", true);
  await command("CMD_DEVICE_ON", id);
  await eventually("the code", async () => (attic.stick.sent.includes("Kaku;41;1;ON") ? true : undefined));
  await hall.unplug();
  await shows("Floor lamp", "reachable", false);
  await hall.plug();
  await shows("Floor lamp", "reachable", true);
});
