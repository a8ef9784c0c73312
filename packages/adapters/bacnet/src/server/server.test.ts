import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { after, before, beforeEach, test } from "node:test";
import bacnet from "@bacnet-js/client";
import type { LibraryValue } from "node-bacnet";
import { type ClientCommand, CommandRate } from "@ledge/port";
import { freePort } from "@ledge/testkit";
import type { Rig } from "../testdata/rig.ts";
import { constant, tableRows } from "../testdata/conformance-page.ts";
import { startRig } from "../testdata/rig.ts";
import { home, served } from "../testdata/served-home.ts";
import { servicesSupported } from "./device-object.ts";
import type { DeviceFacts } from "./device-object.ts";
import type { ServedDevice } from "./exposed.ts";
import { readMany } from "./reading.ts";

const { default: Client, ObjectType, PropertyIdentifier: property, ApplicationTag: tag } = bacnet;
type Client = InstanceType<typeof Client>;

const deviceId = 77;
let rig: Rig;
let client: Client;
let port = 0;
let to: { address: string };
const commands: (ClientCommand & { id: number })[] = [];
let verdict: string | undefined;
const over = new AbortController();

// The library's types want its own enumeration.
const at = (type: number, instance: number): { type: never; instance: number } => ({
  type: type as never,
  instance,
});

async function serve(more: object = {}): Promise<void> {
  const settings = { deviceId, deviceName: "House", port, broadcast: false, timeZone: "Europe/Helsinki" };
  const devices = home.map((device) => [device.id, device]);
  await rig.ask({
    type: "SERVE_HOME",
    full: true,
    devices,
    bacnet: { ...settings, version: "1.14.15.0" },
    ...more,
  });
}

async function change(device: ServedDevice | string, gone: "hidden" | null = null): Promise<void> {
  const entry = typeof device === "string" ? [device, gone] : [device.id, device];
  await rig.ask({ type: "SERVE_HOME", full: false, devices: [entry] });
}

async function read(type: number, instance: number, id: number, index?: number): Promise<unknown[]> {
  const answer = await client.readProperty(
    to,
    at(type, instance),
    id,
    index === undefined ? {} : { arrayIndex: index },
  );
  return answer.values.map(({ value }) => value);
}

async function write(
  type: number,
  instance: number,
  value: { type: number; value: unknown },
  priority?: number,
): Promise<void> {
  await client.writeProperty(to, at(type, instance), property.PRESENT_VALUE, [value] as never, {
    ...(priority !== undefined && { priority }),
  });
}

/** Plays the hub, which decides on commands of clients. */
async function decide(): Promise<void> {
  let outcomes: object[] = [];
  for (;;) {
    if (over.signal.aborted) return;
    const request = { type: "TAKE_CLIENT_COMMANDS", outcomes, waitMs: 1000 };
    const taken = (await rig.ask(request)) as (ClientCommand & { id: number })[];
    commands.push(...taken);
    outcomes = taken.map(({ id }) => ({ id, ...(verdict !== undefined && { error: verdict }) }));
  }
}

let deciding: Promise<void>;
before(async () => {
  port = await freePort("udp");
  to = { address: `127.0.0.1:${port}` };
  rig = await startRig({ host: "127.0.0.1", port: 0, timeoutMs: 3000, retries: 0 });
  await serve();
  deciding = decide().catch(() => undefined);
  client = new Client({ port: await freePort("udp"), interface: "127.0.0.1", apduTimeout: 1000 });
  await new Promise<void>((resolve) => client.on("listening", () => resolve()));
});
after(async () => {
  over.abort();
  client.close();
  await rig.adapter.stop();
  await deciding;
});
beforeEach(async () => {
  commands.length = 0;
  verdict = undefined;
  await serve();
});

test("Who-Is is answered in its range, with what the hub can do", async () => {
  client.whoIs(to, { lowLimit: 78, highLimit: 90 });
  client.whoIs(to, { lowLimit: 70, highLimit: deviceId });
  const [{ payload }] = (await once(client as never, "iAm")) as [{ payload: object }];
  const { len: _, ...said } = payload as { len: number };
  assert.deepEqual(said, { deviceId, maxApdu: 1476, segmentation: 3, vendorId: 0 });
});

test("attributes are objects with values, units, flags and unique names", async () => {
  const { ANALOG_INPUT, ANALOG_OUTPUT, BINARY_INPUT, MULTI_STATE_OUTPUT } = ObjectType;
  assert.deepEqual(await read(ANALOG_INPUT, 1, property.PRESENT_VALUE), [21.5]);
  assert.deepEqual(await read(ANALOG_INPUT, 1, property.UNITS), [62]);
  assert.deepEqual(await read(ANALOG_INPUT, 1, property.OBJECT_NAME), ["Room temperature"]);
  assert.deepEqual(await read(ANALOG_OUTPUT, 1, property.PRESENT_VALUE), [25]);
  assert.deepEqual(await read(MULTI_STATE_OUTPUT, 1, property.PRESENT_VALUE), [3]);
  const names = await Promise.all(
    [1, 5].map((instance) => read(BINARY_INPUT, instance, property.OBJECT_NAME)),
  );
  assert.deepEqual(names, [["Room motion"], ["Room motion (binaryInput 5)"]]);
  assert.deepEqual(await read(BINARY_INPUT, 2, property.OBJECT_NAME), ["Door locked"]);
});

test("a device that cannot be reached is in fault", async () => {
  const [room] = home as [ServedDevice];
  await change({ ...room, state: { ...room.state, reachable: false } });
  assert.deepEqual(await read(ObjectType.ANALOG_INPUT, 1, property.RELIABILITY), [12]);
  assert.deepEqual(await read(ObjectType.ANALOG_INPUT, 1, property.STATUS_FLAGS), [
    { bitsUsed: 4, value: [2] },
  ]);
});

test("ReadPropertyMultiple reads all properties, and names those that are missing", async () => {
  const all: unknown = [
    { objectId: at(ObjectType.ANALOG_INPUT, 1), properties: [{ id: 8, index: 0xffff_ffff }] },
  ];
  const { values } = await client.readPropertyMultiple(to, all as never);
  const found = values[0]?.values.map(({ id }) => id) ?? [];
  assert.ok(found.includes(property.PRESENT_VALUE) && found.includes(property.PROPERTY_LIST));
  const missing: unknown = [
    { objectId: at(ObjectType.BINARY_INPUT, 1), properties: [{ id: property.UNITS, index: 0xffff_ffff }] },
  ];
  const refused = await client.readPropertyMultiple(to, missing as never);
  assert.match(JSON.stringify(refused.values), /"errorCode":32|"code":32/);
});

test("a client commands an output by priority; the hub gets what rules", async () => {
  const { BINARY_OUTPUT } = ObjectType;
  const on = { type: tag.ENUMERATED, value: 1 };
  await write(BINARY_OUTPUT, 1, on, 8);
  assert.deepEqual(commands.at(-1), {
    id: commands.at(-1)?.id,
    client: commands.at(-1)?.client,
    device: "l",
    attributes: { isOn: true },
  });
  assert.match(commands.at(-1)?.client ?? "", /^127\.0\.0\.1:\d+$/);
  // A weaker client waits in the array.
  await write(BINARY_OUTPUT, 1, { type: tag.ENUMERATED, value: 0 }, 12);
  assert.equal(commands.length, 1);
  await write(BINARY_OUTPUT, 1, { type: tag.NULL, value: null }, 8);
  assert.deepEqual(commands.at(-1)?.attributes, { isOn: false });
  const slots = await read(BINARY_OUTPUT, 1, property.PRIORITY_ARRAY);
  assert.deepEqual(
    slots,
    Array.from({ length: 16 }, (_, slot) => (slot === 11 ? 0 : null)),
  );
  assert.deepEqual(await read(BINARY_OUTPUT, 1, property.PRIORITY_ARRAY, 12), [0]);
  await write(BINARY_OUTPUT, 1, { type: tag.NULL, value: null }, 12);
  assert.equal(commands.at(-1)?.attributes, null, "nobody holds the lamp any more");
  assert.deepEqual(await read(BINARY_OUTPUT, 1, property.PRESENT_VALUE), [0]);
});

test("a client that writes what the device shows commands once", async () => {
  const lamp = home[1] as ServedDevice;
  const on = { type: tag.ENUMERATED, value: 1 };
  await write(ObjectType.BINARY_OUTPUT, 1, on, 8);
  await change({ ...lamp, state: { ...lamp.state, isOn: true } });
  await write(ObjectType.BINARY_OUTPUT, 1, on, 8);
  assert.equal(commands.length, 1, "the lamp is on");
  await change(lamp);
  await write(ObjectType.BINARY_OUTPUT, 1, on, 8);
  assert.equal(commands.length, 2, "somebody has turned it off");
  await write(ObjectType.BINARY_OUTPUT, 1, { type: tag.NULL, value: null }, 8);
});

test("a client that commands without end is told that the device is busy", async () => {
  const other = new Client({ port: 0, interface: "127.0.0.3", apduTimeout: 3000 });
  await new Promise<void>((resolve) => other.on("listening", () => resolve()));
  let given = 0;
  const flood = async (): Promise<void> => {
    for (; given < 1000; given++) {
      const value = { type: tag.REAL, value: given % 30 };
      const present = [at(ObjectType.ANALOG_VALUE, 1), property.PRESENT_VALUE, [value]] as const;
      await other.writeProperty(to, ...(present as unknown as [never, never, never]), {});
    }
  };
  await assert.rejects(flood(), /Code:.*\(?3\)?/);
  other.close();
  assert.ok(given >= 256, `${given} commands`);
  await write(ObjectType.ANALOG_VALUE, 1, { type: tag.REAL, value: 21 });
});

test("a client has 256 commands at once, and two in a second", () => {
  let now = 0;
  const rate = new CommandRate({ now: () => now });
  const taken = (host: string, count: number): number =>
    Array.from({ length: count }, () => rate.take(host)).filter(Boolean).length;
  assert.equal(taken("a", 300), 256);
  assert.equal(taken("b", 1), 1);
  now = 1000;
  assert.equal(taken("a", 10), 2);
});

test("a setpoint, a brightness and a mode are commanded in the hub's units", async () => {
  await write(ObjectType.ANALOG_VALUE, 1, { type: tag.REAL, value: 22.5 });
  await write(ObjectType.ANALOG_OUTPUT, 1, { type: tag.REAL, value: 40 });
  await write(ObjectType.MULTI_STATE_OUTPUT, 1, { type: tag.UNSIGNED_INTEGER, value: 4 });
  const attributes = commands.map((command) => command.attributes);
  assert.deepEqual(attributes, [{ targetTemp: 22.5 }, { brightness: 0.4 }, { mode: 3 }]);
});

for (const [what, type, value, priority, code] of [
  ["an input", ObjectType.ANALOG_INPUT, { type: tag.REAL, value: 1 }, 8, 40],
  ["a lock", ObjectType.BINARY_INPUT, { type: tag.ENUMERATED, value: 0 }, 8, 40],
  ["an alarm device", ObjectType.BINARY_INPUT, { type: tag.ENUMERATED, value: 1 }, 8, 40],
  ["a siren", ObjectType.BINARY_INPUT, { type: tag.ENUMERATED, value: 0 }, 8, 40],
  ["the reserved priority", ObjectType.BINARY_OUTPUT, { type: tag.ENUMERATED, value: 1 }, 6, 40],
  ["a value of another type", ObjectType.BINARY_OUTPUT, { type: tag.REAL, value: 1 }, 8, 9],
  ["a state beyond the last", ObjectType.MULTI_STATE_OUTPUT, { type: tag.UNSIGNED_INTEGER, value: 8 }, 8, 37],
] as const) {
  test(`refuses to write ${what}`, async () => {
    const instance = ["an input", "a lock", "an alarm device", "a siren"].indexOf(what) + 1 || 1;
    await assert.rejects(write(type, instance, value, priority), new RegExp(`Code:.*\\(?${code}\\)?`));
    assert.deepEqual(commands, []);
  });
}

test("a command that the hub refuses stands in no slot", async () => {
  verdict = "too warm";
  await assert.rejects(write(ObjectType.ANALOG_VALUE, 1, { type: tag.REAL, value: 150 }, 3), /37/);
  assert.deepEqual(await read(ObjectType.ANALOG_VALUE, 1, property.PRIORITY_ARRAY, 3), [null]);
});

for (const confirmed of [true, false]) {
  test(`a subscriber gets changes that are large enough, ${confirmed ? "confirmed" : "unconfirmed"}`, async () => {
    const [room] = home as [ServedDevice];
    const event = confirmed ? "covNotify" : "covNotifyUnconfirmed";
    const seen: number[] = [];
    const take = (content: {
      payload: { values: { value: { value: number }[] }[] };
      invokeId?: number;
      service?: number;
      header?: { sender: { address: string } };
    }): void => {
      seen.push(content.payload.values[0]?.value[0]?.value ?? NaN);
      if (confirmed)
        client.simpleAckResponse(
          content.header?.sender as never,
          content.service ?? 0,
          content.invokeId ?? 0,
        );
    };
    client.on(event as never, take as never);
    const subscription = [at(ObjectType.ANALOG_INPUT, 1), 5, false, confirmed, 60] as const;
    await client.subscribeCov(to, ...subscription);
    const active = await rawRead(8, deviceId, property.ACTIVE_COV_SUBSCRIPTIONS);
    assert.ok(active.length > 30, "the subscription is listed");
    await rig.until("the first value", () => seen.length > 0);
    for (const [temperature, count] of [
      [21.55, 1],
      [22, 2],
      [22.05, 2],
      [23, 3],
    ] as const) {
      await change({ ...room, state: { ...room.state, temperature } });
      await rig.until(`${count} notifications`, () => seen.length >= count);
    }
    assert.deepEqual(seen, [21.5, 22, 23]);
    await client.subscribeCov(to, at(ObjectType.ANALOG_INPUT, 1), 5, true, confirmed, 0);
    client.off(event as never, take as never);
  });
}

/** What a client subscribes, until the first refusal. */
async function subscribeAll(from: Client, count: number, lifetime: number): Promise<number> {
  for (let process = 1; process <= count; process++)
    try {
      await from.subscribeCov(to, at(ObjectType.BINARY_INPUT, 1), process, false, false, lifetime);
    } catch {
      return process - 1;
    }
  return count;
}

test("one host takes half of the subscriptions, and none for longer than a day", async () => {
  const notified = once(client as never, "covNotifyUnconfirmed");
  assert.equal(await subscribeAll(client, 257, 0), 256);
  const [{ payload }] = (await notified) as [{ payload: { timeRemaining: number } }];
  assert.equal(payload.timeRemaining, 24 * 3600);
  const other = new Client({ port: 0, interface: "127.0.0.2", apduTimeout: 1000 });
  await new Promise<void>((resolve) => other.on("listening", () => resolve()));
  assert.equal(await subscribeAll(other, 1, 5), 1);
  other.close();
  await rig.ask({ type: "SERVE_HOME", full: true, devices: [], bacnet: null });
});

test("CREATE_BACNET_DEVICE makes a device of what clients write", async () => {
  await assert.rejects(
    rig.ask({ type: "CREATE_BACNET_DEVICE", id: "teapot" }),
    /^AdapterError: id: must be one of/,
  );
  assert.equal(await rig.ask({ type: "CREATE_BACNET_DEVICE", id: "temperature" }), true);
  const native = [...rig.described.keys()].at(-1) as string;
  assert.deepEqual(rig.described.get(native)?.capabilities, ["DEVICE", "TEMPERATURE"]);
  const instance = Number(native.split("/").at(-1));
  await write(ObjectType.ANALOG_VALUE, instance, { type: tag.REAL, value: -3.5 });
  assert.equal(rig.latest(native, "temperature"), -3.5);
  assert.deepEqual(commands, []);
  const types = (await rig.ask({ type: "GET_BACNET_LOCAL_TYPES" })) as { id: string }[];
  assert.ok(types.some(({ id }) => id === "motion"));
  await rig.adapter.forget?.(native);
  await assert.rejects(read(ObjectType.ANALOG_VALUE, instance, property.PRESENT_VALUE), /31/);
});

test("a device that is hidden and shown again has the numbers that it had", async () => {
  await change("s", "hidden");
  await assert.rejects(read(ObjectType.ANALOG_INPUT, 1, property.PRESENT_VALUE), /31/);
  await change(home[0] as ServedDevice);
  assert.deepEqual(await read(ObjectType.ANALOG_INPUT, 1, property.OBJECT_NAME), ["Room temperature"]);
});

test("numbers of objects outlive a restart, and those of removed devices are not given again", async () => {
  await change("s");
  await change(served("n", "New", ["TEMPERATURE"], { temperature: 1 }));
  await assert.rejects(read(ObjectType.ANALOG_INPUT, 1, property.PRESENT_VALUE), /31/);
  assert.deepEqual(await read(ObjectType.ANALOG_INPUT, 3, property.OBJECT_NAME), ["New temperature"]);
  await rig.until("stored", () => rig.stored.has("server/device/n"));
  assert.deepEqual(rig.stored.get("server/device/n"), { temperature: ["analogInput", 3] });
  await rig.ask({ type: "SERVE_HOME", full: true, devices: [], bacnet: null });
  await serve({ devices: home.filter(({ id }) => id !== "s").map((device) => [device.id, device]) });
  await change(home[0] as ServedDevice);
  assert.deepEqual(await read(ObjectType.ANALOG_INPUT, 4, property.OBJECT_NAME), ["Room temperature"]);
});

/** Sends an APDU and returns the APDU of the answer. @param earlier makes a frame that goes first */
async function raw(
  apdu: readonly number[],
  earlier?: (ownPort: number) => readonly number[],
): Promise<Buffer> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port: ownPort } = socket.address();
  for (const bytes of [earlier?.(ownPort) ?? [], [0x81, 0x0a, 0, 0, 1, 4, ...apdu]]) {
    const frame = Buffer.from(bytes);
    if (frame.length > 0) frame.writeUInt16BE(frame.length, 2);
    if (frame.length > 0) socket.send(frame, port, "127.0.0.1");
  }
  const [answer] = (await once(socket, "message")) as [Buffer];
  socket.close();
  return answer.subarray(6);
}

function rawRead(type: number, instance: number, id: number): Promise<Buffer> {
  const object = Buffer.alloc(4);
  object.writeUInt32BE(type * 0x40_0000 + instance);
  const wide = id > 255 ? [0x1a, id >> 8, id & 255] : [0x19, id];
  return raw([0, 5, 9, 12, 0x0c, ...object, ...wide]);
}

test("what the hub cannot do is rejected or aborted, never left unanswered", async () => {
  assert.deepEqual([...(await raw([0, 5, 1, 26, 0x0c, 0, 0, 0, 1]))], [0x60, 1, 9], "ReadRange");
  assert.deepEqual([...(await raw([0, 5, 2, 12, 0x0c, 0, 0]))], [0x60, 2, 4], "half a request");
  assert.deepEqual([...(await raw([8, 5, 3, 0, 1, 12, 0]))], [0x71, 3, 4], "a segment");
  const short = await raw([0, 0, 4, 12, 0x0c, 2, 0, 0, deviceId, 0x19, 76]);
  assert.deepEqual([...short], [0x71, 4, 4], "an answer of more than 50 octets");
  const endless = [0x65, 0xff, 0x7f, 0xff, 0xff, 0xff];
  const written = [0, 5, 6, 15, 0x0c, 1, 0, 0, 1, 0x19, 85, 0x3e, ...endless, 0x3f];
  assert.deepEqual([...(await raw(written))], [0x60, 6, 4], "two gigabytes in a datagram");
  const library = await raw([0, 5, 5, 15, 0x0c, 1, 0, 0, 1, 0x19, 85, 0x3e, 0x91, 1, 0x3f, 0x49, 17]);
  assert.deepEqual([...library], [0x60, 5, 4], "priority 17");
});

test("says by number and by name what it has", async () => {
  const house = [0xc4, 2, 0, 0, deviceId];
  const whole = [0x75, 6, 0, ...Buffer.from("House")];
  assert.deepEqual(
    [...(await raw([0x10, 7, 0x3d, ...whole.slice(1)]))],
    [0x10, 1, ...house, ...house, ...whole],
  );
  const lamp = [0xc4, 1, 0, 0, 1];
  const name = [0x75, 10, 0, ...Buffer.from("Lamp isOn")];
  const answer = [0x10, 1, ...house, ...lamp, ...name];
  assert.deepEqual([...(await raw([0x10, 7, 0x3d, ...name.slice(1)]))], answer);
  assert.deepEqual([...(await raw([0x10, 7, 0x2c, ...lamp.slice(1)]))], answer);
});

const objectName = [12, 0x0c, 2, 0, 0, deviceId, 0x19, property.OBJECT_NAME];

for (const [what, frame] of Object.entries({
  "a BBMD's that is not the hub's": (own: number) =>
    [0x81, 4, 0, 0, 127, 0, 0, 1, own >> 8, own & 255, 1, 4, 0, 5, 1].concat(objectName),
  "longer than an APDU": () =>
    [0x81, 0x0a, 0, 0, 1, 4, 0, 5, 1, 14, 0x0c, 2, 0, 0, deviceId, 0x1e].concat(
      Array.from({ length: 740 }, () => [0x09, property.OBJECT_LIST]).flat(),
      0x1f,
    ),
}))
  test(`a frame that is ${what} gets no answer`, async () => {
    const answer = await raw([0, 5, 2, ...objectName], frame);
    assert.deepEqual([...answer.subarray(0, 2)], [0x30, 2]);
  });

test("what cannot fit into an answer is not read on", () => {
  let made = 0;
  const objectList = (): LibraryValue[] => {
    made += 1;
    return Array.from({ length: 700 }, () => ({ type: 12, value: { type: 0, instance: 1 } }));
  };
  const facts = { identity: { deviceId }, objectList } as unknown as DeviceFacts;
  const id = { type: 8, instance: deviceId };
  const asking = (count: number): readonly unknown[] | undefined => {
    const properties = Array.from({ length: count }, () => ({ id: property.OBJECT_LIST, index: undefined }));
    return readMany({ facts, find: () => undefined }, [{ object: id, properties }], 1476);
  };
  assert.equal(asking(2)?.length, 1);
  assert.equal(asking(300), undefined);
  assert.equal(made, 2 + 3);
});

test("the server is off unless it is on", async () => {
  await rig.ask({ type: "SERVE_HOME", full: true, devices: [], bacnet: null });
  await assert.rejects(rig.ask({ type: "CREATE_BACNET_DEVICE", id: "motion" }), { code: "refused" });
});

test("the page of conformance lists the properties of each object as the server has them", async () => {
  await rig.ask({ type: "CREATE_BACNET_DEVICE", id: "motion" });
  const list = (await read(8, deviceId, property.OBJECT_LIST)) as { type: number; instance: number }[];
  const documented = tableRows("Objects");
  const kinds = new Set(list.map(({ type }) => type));
  assert.equal(documented.length, kinds.size);
  for (const [kind = "", listed = ""] of documented) {
    const type: number = ObjectType[constant(kind) as "DEVICE"];
    const object = list.find((each) => each.type === type);
    assert.ok(object !== undefined, kind);
    const names = listed.replaceAll("\\*", "*").split(", ");
    const ids = names.map((name) => property[constant(name.replace("*", "")) as "UNITS"]);
    const always = [75, 77, 79, property.PROPERTY_LIST];
    const own = (await read(type, object.instance, property.PROPERTY_LIST)) as number[];
    const up = (one: number, other: number): number => one - other;
    assert.deepEqual(ids.toSorted(up), [...own, ...always].toSorted(up), kind);
    for (const [index, id] of ids.entries())
      assert.equal((await rawRead(type, object.instance, id))[0], 0x30, `${kind} ${names[index]}`);
    const present = { type: tag.NULL, value: null };
    const writes = names.includes("Present_Value*");
    const wrote = await write(type, object.instance, present, 16).then(
      () => true,
      () => false,
    );
    assert.equal(wrote, writes, `${kind}: Present_Value`);
  }
});

test("the page of conformance lists the services as the server has them", async () => {
  const documented = tableRows("Services");
  const [supported] = (await read(8, deviceId, property.PROTOCOL_SERVICES_SUPPORTED)) as [
    { value: number[] },
  ];
  const isSet = (bit: number): boolean => ((supported.value[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  const executed = documented.filter(([, executes]) => executes === "yes").map(([name = ""]) => name);
  const plain = (name: string): string => name.replaceAll("-", "").toLowerCase();
  const bits = Object.entries(servicesSupported);
  assert.deepEqual(executed.map(plain).toSorted(), bits.map(([name]) => plain(name)).toSorted());
  for (const [name, bit] of bits) assert.ok(isSet(bit), name);
  const refused = {
    writePropertyMultiple: 16,
    subscribeCOVProperty: 28,
    readRange: 26,
    createObject: 10,
    deleteObject: 11,
  };
  const alsoRefused = {
    deviceCommunicationControl: 17,
    reinitializeDevice: 20,
    atomicReadFile: 6,
    atomicWriteFile: 7,
  };
  for (const [name, service] of Object.entries({ ...refused, ...alsoRefused })) {
    const row = documented.find(([each = ""]) => plain(each) === name.toLowerCase());
    assert.equal(row?.[1], "no", name);
    assert.deepEqual([...(await raw([0, 5, 7, service]))], [0x60, 7, 9], name);
  }
});
