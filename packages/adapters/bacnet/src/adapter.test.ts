import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { until } from "@ledge/testkit";
import type { BacnetDevice } from "@ledge/testkit/bacnet";
import { objectType } from "@ledge/testkit/bacnet";
import type { Rig } from "./testdata/rig.ts";
import { airHandler, settingsFor, startDevice, startRig } from "./testdata/rig.ts";

let device: BacnetDevice;
let rig: Rig;

before(async () => {
  device = await startDevice();
});
after(() => device.down());

beforeEach(async (t) => {
  for (const key of Object.keys(device.behaviour)) delete device.behaviour[key as "silent"];
  device.objects.splice(0, Infinity, ...airHandler());
  device.heard.length = 0;
  device.subscriptions.length = 0;
  rig = await startRig(settingsFor(device));
  (t as unknown as { after(end: () => Promise<void>): void }).after(() => rig.adapter.stop());
});

type Hosts = Readonly<Record<string, Record<string, unknown>>>;

/** Waits until a scan has found so many objects. */
function found(count: number): Promise<Hosts> {
  return until(`${count} objects`, async () => {
    const hosts = (await rig.ask({ type: "GET_BACNET_DEVICES" })) as Hosts;
    return Object.keys(hosts).length >= count && hosts;
  });
}

async function scan(search: object = {}): Promise<Hosts> {
  assert.equal(await rig.ask({ type: "SCAN_BACNET_DEVICE", ...search }), true);
  return await found(1);
}

test("a scan lists the objects of a device and what each can be", async () => {
  const hosts = await scan();
  assert.deepEqual(Object.keys(hosts), [
    "1001 analogInput 1",
    "1001 analogValue 1",
    "1001 analogOutput 1",
    "1001 binaryInput 1",
    "1001 binaryOutput 1",
    "1001 multiStateValue 1",
  ]);
  assert.deepEqual(hosts["1001 analogInput 1"], {
    type: "BACNET_HOST",
    identifier: "1001 analogInput 1",
    objectId: 1,
    objectType: "analogInput",
    address: device.address,
    deviceId: 1001,
    objectName: "Supply air",
    vendorName: "Simulated",
    modelName: "Controller",
    alreadyPaired: false,
    possibleDevices: ["TEMPERATURE", "FLOW_TEMPERATURE", "DEVICE"],
    deviceObjects: {
      "analogInput 1": "Supply air",
      "analogValue 1": "Setpoint",
      "analogOutput 1": "Valve",
      "binaryInput 1": "Filter guard",
      "binaryOutput 1": "Fan",
      "multiStateValue 1": "Mode",
    },
  });
  assert.deepEqual(hosts["1001 multiStateValue 1"]?.["possibleDevices"], ["DEVICE"]);
  const names = hosts["1001 binaryOutput 1"]?.["possibleDevices"] as string[];
  assert.ok(names.includes("CONTROL_POWER") && !names.includes("TEMPERATURE"));
});

test("a scan by number asks devices in that range only", async () => {
  await rig.ask({ type: "SCAN_BACNET_DEVICE", deviceId: 7 });
  await device.until(() => device.heard.includes(-8));
  assert.deepEqual(await rig.ask({ type: "GET_BACNET_DEVICES" }), {});
  assert.equal(Object.keys(await scan({ deviceId: 1001 })).length, 6);
});

test("a scan of one object reads that object only", async () => {
  const hosts = await scan({ address: device.address, objectType: "binaryInput", objectId: 1 });
  assert.deepEqual(Object.keys(hosts), ["1001 binaryInput 1"]);
});

test("a paired object is a device with its class, capabilities and value", async () => {
  const native = await rig.pair("analogInput", 1, "TEMPERATURE");
  const { class: kind, capabilities, name, manufacturer, model } = rig.described.get(native) ?? assert.fail();
  assert.deepEqual(
    { kind, capabilities, name, manufacturer, model },
    {
      kind: "MULTI_SENSOR",
      capabilities: ["DEVICE", "TEMPERATURE"],
      name: "Supply air",
      manufacturer: "Simulated",
      model: "Controller",
    },
  );
  await rig.until("a temperature", () => rig.latest(native, "temperature") === 21.5);
  assert.equal(rig.latest(native, "reachable"), true);
  const hosts = await scan();
  assert.equal(hosts["1001 analogInput 1"]?.["alreadyPaired"], true);
});

test("a multi-state object shows and takes its state as an extra", async () => {
  const native = await rig.pair("multiStateValue", 1, "DEVICE");
  await rig.until("a state", () => rig.latest(native, "extras.value") === 2);
  await rig.set(native, { "extras.value": 3 });
  assert.equal(rig.latest(native, "extras.value"), 3);
  await assert.rejects(rig.set(native, { "extras.value": 0 }), { code: "refused" });
});

for (const [what, behaviour] of Object.entries({
  ReadPropertyMultiple: {},
  "ReadProperty alone": { withoutMultiple: true },
  "short answers, without segments": { maxApdu: 50 },
})) {
  test(`finds and reads a device with ${what}`, async () => {
    Object.assign(device.behaviour, behaviour);
    assert.equal(Object.keys(await scan()).length, 6);
    const native = await rig.pair("analogInput", 1, "TEMPERATURE");
    await rig.until("a temperature", () => rig.latest(native, "temperature") === 21.5);
  });
}

test("a subscription brings changes without a question", async () => {
  const native = await rig.pair("analogInput", 1, "TEMPERATURE");
  await rig.until("a temperature", () => rig.latest(native, "temperature") === 21.5);
  // A late frame of an adapter that has stopped may have left a subscription, too.
  const own = (): { lifetime: number } | undefined =>
    device.subscriptions.find(({ to }) => to.port === device.lastPort);
  await rig.until("a subscription", () => own() !== undefined);
  assert.equal(own()?.lifetime, 300);
  // From here on no question is answered.
  device.behaviour.silent = true;
  device.change(objectType.analogInput, 1, { real: 22.25 });
  await rig.until("the change", () => rig.latest(native, "temperature") === 22.25);
});

test("a device that refuses subscriptions is polled", async () => {
  device.behaviour.withoutCov = true;
  const native = await rig.pair("analogInput", 1, "TEMPERATURE");
  await rig.until("a temperature", () => rig.latest(native, "temperature") === 21.5);
  device.object(objectType.analogInput, 1).value = { real: 23 };
  await rig.until("the change", () => rig.latest(native, "temperature") === 23);
  assert.equal(device.heard.filter((service) => service === 5).length, 1);
});

test("a subscription is renewed before it ends", async () => {
  await rig.adapter.stop();
  rig = await startRig(settingsFor(device, { covLifetimeS: 1 }));
  await rig.pair("binaryInput", 1, "CONTACT");
  await device.until(() => device.heard.filter((service) => service === 5).length >= 3);
  assert.equal(device.subscriptions.length, 1);
  await rig.adapter.stop();
});

test("a command is written with the lowest priority and read back", async () => {
  const native = await rig.pair("binaryOutput", 1, "CONTROL_POWER");
  await rig.set(native, { isOn: true });
  const fan = device.object(objectType.binaryOutput, 1);
  assert.deepEqual([...(fan.priorities ?? [])], [[16, { enumerated: 1 }]]);
  assert.equal(rig.latest(native, "isOn"), true);
  fan.priorities?.set(8, { enumerated: 1 });
  await rig.set(native, { isOn: false });
  assert.equal(rig.latest(native, "isOn"), true, "another controller holds the output");
});

test("a setpoint takes both names, and refuses what does not fit", async () => {
  const native = await rig.pair("analogValue", 1, "CONTROL_TEMPERATURE");
  await rig.set(native, { targetTemp: 22 });
  assert.equal(rig.latest(native, "targetTemp"), 22);
  await rig.set(native, { targetTemperature: 23 });
  assert.equal(rig.latest(native, "targetTemp"), 23);
  await assert.rejects(rig.set(native, { isOn: true }), { code: "unsupported" });
  device.behaviour.refuseWrites = [2, 40];
  await assert.rejects(rig.set(native, { targetTemp: 21 }), {
    code: "refused",
    message: /write access denied/,
  });
});

test("a device that is forgotten gives up control and its subscription", async () => {
  const native = await rig.pair("analogOutput", 1, "VALVE");
  await rig.set(native, { openPct: 40 });
  await rig.until("a subscription", () => device.subscriptions.length === 1);
  await rig.adapter.forget?.(native);
  const valve = device.object(objectType.analogOutput, 1);
  await device.until(() => valve.priorities?.size === 0 && device.subscriptions.length === 0);
  assert.deepEqual(rig.stored.get("devices"), []);
});

test("a killed device is unreachable until it is back", async () => {
  const native = await rig.pair("analogInput", 1, "TEMPERATURE");
  await rig.until("a subscription", () => device.subscriptions.length === 1);
  await rig.adapter.stop();
  rig = await startRig(settingsFor(device, { checkMs: 60 }), rig.stored);
  await rig.until("a temperature", () => rig.latest(native, "temperature") === 21.5);
  await device.down();
  await rig.until("unreachable", () => rig.latest(native, "reachable") === false);
  await assert.rejects(rig.adapter.send(native, { type: "refresh" }, new AbortController().signal), {
    code: "timeout",
  });
  await device.up();
  await rig.until("reachable", () => rig.latest(native, "reachable") === true);
  await rig.until("another subscription", () => device.subscriptions.length === 1);
  await rig.adapter.stop();
});

for (const [what, lie] of Object.entries({
  "another request's number": (answer: Buffer) =>
    Buffer.concat([answer.subarray(0, 1), Buffer.from([201]), answer.subarray(2)]),
  "a length beyond its frame": (answer: Buffer) =>
    Buffer.concat([answer.subarray(0, 3), Buffer.from([0x65, 0xff, 0x7f, 0xff, 0xff, 0xff])]),
  segments: (answer: Buffer) =>
    Buffer.concat([Buffer.from([0x3c, answer[1] ?? 0, 0, 4]), answer.subarray(2)]),
  "half a value": (answer: Buffer) => answer.subarray(0, -3),
})) {
  test(`a device that answers with ${what} is unreachable, and back when it is honest`, async () => {
    device.behaviour.withoutCov = true;
    const native = await rig.pair("analogInput", 1, "TEMPERATURE");
    await rig.until("a temperature", () => rig.latest(native, "temperature") === 21.5);
    device.behaviour.lie = (answer) => (answer[0] === 0x30 ? lie(answer) : answer);
    await rig.until("unreachable", () => rig.latest(native, "reachable") === false);
    delete device.behaviour.lie;
    await rig.until("reachable", () => rig.latest(native, "reachable") === true);
    assert.ok(!rig.complaints.some((each) => each.includes("library failed")), rig.complaints.join());
  });
}

test("an object in fault, or without a number, is not relied upon", async () => {
  const native = await rig.pair("analogInput", 1, "TEMPERATURE");
  await rig.until("a subscription", () => device.subscriptions.length === 1);
  device.change(objectType.analogInput, 1, { real: 99 }, [false, true, false, false]);
  await rig.until("unreachable", () => rig.latest(native, "reachable") === false);
  assert.equal(rig.latest(native, "temperature"), 21.5);
  device.change(objectType.analogInput, 1, { real: 22 }, [false, false, false, false]);
  await rig.until("reachable", () => rig.latest(native, "temperature") === 22);
  device.change(objectType.analogInput, 1, { real: NaN });
  await rig.until("unreachable", () => rig.latest(native, "reachable") === false);
});

test("devices with one number are told apart by their addresses", async () => {
  const twin = await startDevice(
    [{ type: objectType.analogInput, instance: 1, name: "Other air", value: { real: 5 }, units: 62 }],
    1001,
  );
  try {
    await rig.ask({ type: "SCAN_BACNET_DEVICE" });
    const iAm = { address: twin.address };
    await rig.until("the first", () => device.heard.includes(12) || device.heard.includes(14));
    // Nobody hears broadcasts here: the twin says of itself that it is there.
    twin.announce(await rigPort(device));
    const hosts = await found(7);
    assert.ok(`1001 analogInput 1 at ${device.address}` in hosts);
    assert.ok(`1001 analogInput 1 at ${twin.address}` in hosts);
    const pairing = { deviceId: 1001, objectType: "analogInput", objectId: 1, capability: "TEMPERATURE" };
    await assert.rejects(rig.ask({ type: "PAIR_BACNET_DEVICE", ...pairing }), {
      code: "settings",
      message: /^address: is missing: .* and .* have this number$/,
    });
    const native = await rig.pair("analogInput", 1, "TEMPERATURE", iAm);
    await rig.until("the twin's air", () => rig.latest(native, "temperature") === 5);
    const other = await rig.pair("analogInput", 1, "TEMPERATURE", { address: device.address });
    await rig.until("the first's air", () => rig.latest(other, "temperature") === 21.5);
  } finally {
    await twin.down();
  }
});

test("the hub registers with a BBMD and distributes its broadcasts", async () => {
  await rig.adapter.stop();
  rig = await startRig(
    settingsFor(device, { broadcast: "127.0.0.1:9", bbmd: { address: device.address, ttlS: 60 } }),
  );
  await device.until(() => device.foreign.length > 0);
  assert.equal(device.foreign.at(-1)?.ttl, 60);
  assert.equal(Object.keys(await scan()).length, 6);
  await rig.adapter.stop();
});

for (const [field, request] of Object.entries({
  objectType: { deviceId: 1001, objectType: "clock", objectId: 1, capability: "TEMPERATURE" },
  objectId: { deviceId: 1001, objectType: "analogInput", objectId: 9, capability: "TEMPERATURE" },
  capability: { deviceId: 1001, objectType: "analogInput", objectId: 1, capability: "MOTION" },
  deviceId: { deviceId: 4_194_303, objectType: "analogInput", objectId: 1, capability: "TEMPERATURE" },
  address: {
    deviceId: 1001,
    objectType: "analogInput",
    objectId: 1,
    capability: "TEMPERATURE",
    address: "here",
  },
})) {
  test(`a pairing with a wrong ${field} names it`, async () => {
    await assert.rejects(rig.ask({ type: "PAIR_BACNET_DEVICE", ...request }), {
      code: "settings",
      message: new RegExp(`^${field}: `),
    });
  });
}

test("an object is paired once", async () => {
  await rig.pair("analogInput", 1, "TEMPERATURE");
  const again = { deviceId: 1001, objectType: "analogInput", objectId: 1, capability: "TEMPERATURE" };
  await assert.rejects(rig.ask({ type: "PAIR_BACNET_DEVICE", ...again }), {
    message: "objectId: is paired already",
  });
});

/** The port at which the adapter listens, as a device has seen it. */
async function rigPort(peer: BacnetDevice): Promise<number> {
  await peer.until(() => peer.lastPort > 0);
  return peer.lastPort;
}

test("a command has the priority of its object's settings, and is let go on request", async () => {
  const native = await rig.pair("binaryOutput", 1, "CONTROL_POWER");
  const { priorities } = device.object(objectType.binaryOutput, 1);
  const slots = (): number[] => [...(priorities?.keys() ?? [])];
  const configure = (parameters: object): Promise<unknown> =>
    rig.ask({ type: "SET_CONFIGURATION", native, parameters });
  const shown = (): unknown => rig.described.get(native)?.configuration?.values;
  assert.deepEqual(shown(), { priority: 16, relinquish: false });
  await rig.set(native, { isOn: true });
  assert.deepEqual(slots(), [16]);
  for (const [parameters, field] of [
    [{ priority: 6 }, "priority"],
    [{ priority: 17 }, "priority"],
    [{ relinquish: 1 }, "relinquish"],
    [{ speed: 1 }, "speed"],
  ] as const)
    await assert.rejects(configure(parameters), new RegExp(`AdapterError: ${field}: `));
  await configure({ priority: 8 });
  assert.deepEqual(slots(), [], "what was commanded at the old priority is let go");
  assert.deepEqual(shown(), { priority: 8, relinquish: false });
  assert.equal(rig.latest(native, "isOn"), false);
  await rig.set(native, { isOn: true });
  assert.deepEqual(slots(), [8]);
  await configure({ relinquish: true });
  assert.deepEqual(slots(), []);
  await rig.until("the default", () => rig.latest(native, "isOn") === false);
  const again = await startRig(settingsFor(device), rig.stored);
  await again.set(native, { isOn: true });
  assert.deepEqual(slots(), [8], "the priority outlives a restart");
  await again.adapter.stop();
  const input = await rig.pair("binaryInput", 1, "MOTION");
  assert.ok(!rig.described.get(input)?.capabilities.includes("CONFIGURABLE"));
  await assert.rejects(
    rig.ask({ type: "SET_CONFIGURATION", native: input, parameters: { relinquish: true } }),
    /has no priorities/,
  );
});
