import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Device } from "@ledge/model";
import {
  MbusBus,
  type SerialStick,
  type ServedStick,
  servePty,
  serveStick,
  type SimulatedMeter,
} from "@ledge/testkit/mbus";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";
import { LineSpeed } from "../testdata/line-speed.ts";

const energyOf = (kwh: number): string =>
  `04 06 ${Buffer.from(Uint32Array.of(kwh).buffer)
    .toString("hex")
    .replaceAll(/(..)(?=.)/g, "$1 ")}`;
const meterOf = (id: string, more: Partial<SimulatedMeter>): SimulatedMeter => ({
  address: 0,
  id,
  manufacturer: "KAM",
  version: 8,
  medium: 4,
  telegrams: [energyOf(100)],
  ...more,
});
const heat = meterOf("10000001", {
  telegrams: [`${energyOf(100)} 02 59 5A 19 1F`, "02 3B 7B 00 04 13 39 30 00 00"],
});
const water = meterOf("20000002", { address: 2, medium: 7, telegrams: ["04 13 10 27 00 00"] });
const fast = meterOf("40000004", { address: 4, baudRate: 2400, telegrams: [energyOf(7)] });
const stray = meterOf("30000003", { version: 3, medium: 7, telegrams: ["04 13 01 00 00 00"] });

const folder = temporaryFolder();
let gateway: ServedStick<MbusBus>;
let converter: SerialStick<MbusBus>;
let speed: LineSpeed;
let hub: HubProcess;
let key: string;

const start = (profile: string): Promise<HubProcess> =>
  HubProcess.start(join(folder.path, "data"), "--profile", profile);
let profile: string;

before(async () => {
  gateway = await serveStick(new MbusBus([heat, stray]));
  converter = await servePty(new MbusBus([water, fast]));
  speed = new LineSpeed(converter.path);
  converter.stick.lineSpeed = () => speed.ask();
  const common = { latencyMs: 300, readEveryMs: 1000, unreachableAfter: 1 };
  const tcp = { type: "tcp", host: "127.0.0.1", port: gateway.port, baudRate: 38_400 };
  const ports = [
    { ...common, name: "cellar", transport: tcp, meters: [{ id: "heat", name: "Heat", serial: "10000001" }] },
    {
      ...common,
      name: "riser",
      transport: { type: "serial", path: converter.path, baudRate: 2400 },
      meters: [
        { id: "water", name: "Water", address: 2 },
        { id: "fast", name: "Fast", address: 4, baudRate: 9600 },
      ],
    },
  ];
  profile = bareProfile(folder.path, { name: "meters", adapters: { mbus: { ports } } });
  hub = await start(profile);
  key = await hub.key();
});

after(async () => {
  await hub.stop();
  await converter.close();
  await speed.close();
  await gateway.close();
  folder.remove();
});

const reads = (name: string, attribute: string, value: unknown): Promise<Device> =>
  hub.device(name, key, ({ state }) => state[attribute] === value);

test("meters at a gateway and at a serial port are devices with their counters", async () => {
  const { state, capabilities } = await reads("Heat", "totalPower", 100);
  assert.deepEqual([state["volume"], state["flow"], state["flowTemp"]], [12_345, 123, 64.9]);
  for (const capability of ["POWER_METER", "FLOW_VOLUME", "FLOW", "FLOW_TEMPERATURE"])
    assert.ok(JSON.stringify(capabilities).includes(`"${capability}"`), capability);
  await reads("Water", "volume", 10_000);
});

test("a meter is read at a speed of its own, and the bus keeps its speed for the others", async () => {
  await reads("Fast", "totalPower", 7);
  const speeds = (): string[] =>
    converter.stick.heard.flatMap((frame) =>
      frame.type === "control" && frame.address === 4 ? [frame.information.toString(16)] : [],
    );
  assert.deepEqual(speeds().slice(0, 2), ["bd", "bb"], "to 9600, and back to 2400");
  // A power cut during a reading has left it at its own speed.
  fast.telegrams = [energyOf(8)];
  fast.baudRate = 9600;
  await reads("Fast", "totalPower", 8);
  water.telegrams = ["04 13 11 27 00 00"];
  await reads("Water", "volume", 10_001);
  water.telegrams = ["04 13 10 27 00 00"];
  await reads("Water", "volume", 10_000);
});

test("what a meter counts is in its history, and why says that the meter reported it", async () => {
  const { id } = await reads("Heat", "totalPower", 100);
  heat.telegrams = [`${energyOf(101)} 02 59 5A 19 1F`, "02 3B 7B 00 04 13 39 30 00 00"];
  await reads("Heat", "totalPower", 101);
  const past = await hub.call("GET", `/devices/history?deviceId=${id}&attribute=totalPower`, key);
  assert.equal(past.status, 200, JSON.stringify(past.json));
  assert.match(JSON.stringify(past.json), /101/);
  const why = await hub.call("GET", `/why?id=${id}&attribute=totalPower`, key);
  assert.equal(why.status, 200, JSON.stringify(why.json));
  assert.match(JSON.stringify(why.json), /DeviceReported/);
});

test("a killed gateway, a lying meter and a dead one make a device unreachable, a slow one does not", async () => {
  await gateway.unplug();
  await reads("Heat", "reachable", false);
  await reads("Water", "reachable", true);
  await gateway.plug();
  await reads("Heat", "reachable", true);
  for (const trouble of [{ lies: "identity" }, { lies: "checksum" }, { isDead: true }] as const) {
    Object.assign(heat, trouble);
    await reads("Heat", "reachable", false);
    Object.assign(heat, { lies: undefined, isDead: false, delayMs: 60 });
    const earlier = gateway.stick.reads;
    await reads("Heat", "reachable", true);
    assert.ok(gateway.stick.reads > earlier, JSON.stringify(trouble));
  }
});

interface Config {
  readonly name: string;
  readonly controllerType: string;
  readonly settings: { readonly baudrate: number };
}

test("a serial port takes only allowed settings, and takes them without a restart", async () => {
  const list = async (): Promise<readonly Config[]> =>
    (await hub.call("GET", "/hub/serialports", key)).json as readonly Config[];
  const [port, ...others] = await list();
  assert.deepEqual([port?.name, port?.controllerType, others], ["riser", "SERIAL_MBUS_CONTROLLER", []]);
  const set = (baudrate: number): Promise<{ status: number; json: unknown }> =>
    hub.call("POST", "/hub/serialport", key, { ...port, settings: { ...port?.settings, baudrate } });
  assert.equal((await set(1000)).status, 422);
  const earlier = converter.stick.reads;
  assert.deepEqual(await set(9600), { status: 200, json: true });
  assert.equal((await list())[0]?.settings.baudrate, 9600);
  await eventually("a reading at the new speed", async () =>
    converter.stick.reads > earlier + 1 ? true : undefined,
  );
  await reads("Water", "reachable", true);
});

test("a search finds a meter that nobody has named, and it stays after a kill", async () => {
  heat.delayMs = 0;
  await hub.call("GET", "/hub/scan", key);
  const found = await eventually("the stray meter", async () => {
    const { json } = await hub.call("GET", "/hub/scan", key);
    const { devices } = json as { devices: readonly { id: string; pairingStatus: string; name?: string }[] };
    return devices.find(({ pairingStatus }) => pairingStatus === "COMPLETE");
  });
  await hub.call("PUT", "/hub/scan", key, { id: found.id, ignored: false });
  await hub.call("GET", "/hub/stopscan", key);
  await reads("Water 30000003", "volume", 1);
  await hub.kill();
  stray.telegrams = ["04 13 02 00 00 00"];
  hub = await start(profile);
  await reads("Water 30000003", "volume", 2);
});
