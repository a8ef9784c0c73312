import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "@ledge/testkit";
import { served } from "./testdata/served-home.ts";
import { addresses, type Call, type Capture, twoNetworks } from "@ledge/testkit/network";

const type = { analogInput: 0, analogOutput: 1, binaryOutput: 4, device: 8 } as const;
const property = { all: 8, objectList: 76, objectName: 77, presentValue: 85, priorityArray: 87, units: 117 };
const tag = { null: 0, real: 4, enumerated: 9 } as const;
const deviceId = 77;

let networks: Awaited<ReturnType<typeof twoNetworks>>;
let capture: Capture;
let hub: Call;
let foreign: Call;

before(async () => {
  networks = await twoNetworks();
  foreign = networks.start("building", new URL("./testdata/foreign.child.ts", import.meta.url));
  hub = networks.start("hub", new URL("./testdata/hub.child.ts", import.meta.url));
  [capture] = await Promise.all([networks.capture(47_808), foreign("listening")]);
  await hub("start");
});
after(() => networks.dispose());

/** Returns what the foreign stack has heard, once there is as much. */
const heard = (event: string, count: number): Promise<{ payload: Record<string, unknown> }[]> =>
  until(`${count} of ${event}`, async () => {
    const all = (await foreign("heard")) as { event: string; payload: Record<string, unknown> }[];
    const those = all.filter((each) => each.event === event);
    return those.length >= count && those;
  });

test("a foreign client finds the hub by broadcast, and reads its objects", async () => {
  await foreign("whoIs", 70, deviceId);
  const [iAm] = await heard("iAm", 1);
  assert.equal(iAm?.payload["deviceId"], deviceId);
  const device = { type: type.device, instance: deviceId };
  const list = (await foreign("read", device, property.objectList)) as { type: number; instance: number }[];
  assert.deepEqual(list[0], device);
  const requests = list.map((objectId) => ({ objectId, properties: [{ id: property.all }] }));
  for (let at = 0; at < requests.length; at += 3) {
    const some = requests.slice(at, at + 3);
    const read = (await foreign("readMultiple", some)) as { values: unknown[] }[];
    assert.equal(read.length, some.length);
    for (const { values } of read) assert.ok(values.length > 10);
  }
  assert.deepEqual(await foreign("read", device, property.objectList, 0), [list.length]);
  assert.deepEqual(
    await foreign("read", { type: type.analogInput, instance: 1 }, property.presentValue),
    [21.5],
  );
});

test("a foreign client commands, relinquishes, and is refused what is not there", async () => {
  const lamp = { type: type.binaryOutput, instance: 1 };
  const command = { client: `${addresses.building}:47808`, device: "l" };
  await foreign("write", lamp, { type: tag.enumerated, value: 1 }, 8);
  await foreign("write", lamp, { type: tag.null, value: null }, 8);
  assert.deepEqual(await hub("commands"), [
    { ...command, attributes: { isOn: true } },
    { ...command, attributes: null },
  ]);
  await assert.rejects(foreign("write", lamp, { type: tag.enumerated, value: 7 }, 8), /Code:37/);
  await assert.rejects(foreign("read", { type: type.analogInput, instance: 999 }, property.units), /Code:31/);
  await assert.rejects(foreign("read", lamp, property.units), /Code:32/);
  // Rejected as unrecognized.
  await assert.rejects(foreign("readRange", lamp), /Reason:9/);
  // More than fits into one packet, as the hub sends no segments.
  const all = Array.from({ length: 12 }, () => ({ objectId: lamp, properties: [{ id: property.all }] }));
  await assert.rejects(foreign("readMultiple", all), /Abort/);
});

test("a foreign client is notified of changes, with and without acknowledgement", async () => {
  const room = { type: type.analogInput, instance: 1 };
  await foreign("subscribe", room, 5, false, false);
  await heard("covNotifyUnconfirmed", 1);
  await foreign("subscribe", room, 6, true, false);
  await heard("covNotify", 1);
  await hub("change", served("s", "Room", ["TEMPERATURE", "HUMIDITY"], { temperature: 25, humidity: 40 }));
  for (const event of ["covNotifyUnconfirmed", "covNotify"]) {
    const [, second] = await heard(event, 2);
    assert.ok(second);
    const [present] = second.payload["values"] as { value: { value: unknown }[] }[];
    assert.equal(present?.value[0]?.value, 25, event);
  }
  await foreign("subscribe", room, 5, false, true);
  await foreign("subscribe", room, 6, true, true);
  await foreign("timeSync", Date.now());
});

test("the hub finds a foreign device, follows its values, and commands it", async () => {
  await hub("ask", { type: "SCAN_BACNET_DEVICE" });
  const scanned = await until("both objects", async () => {
    const found = (await hub("ask", { type: "GET_BACNET_DEVICES" })) as Record<string, unknown>;
    return Object.keys(found).length >= 2 && found;
  });
  assert.deepEqual(Object.keys(scanned).toSorted(), ["1001 analogInput 1", "1001 binaryOutput 1"]);
  const air = (await hub("pair", "analogInput", 1, "TEMPERATURE")) as string;
  await hub("shows", air, "temperature", 21.5);
  await foreign("change", 23.25);
  await hub("shows", air, "temperature", 23.25);
  const fan = (await hub("pair", "binaryOutput", 1, "CONTROL_POWER")) as string;
  await hub("shows", fan, "isOn", false);
  await hub("set", fan, { isOn: true });
  assert.deepEqual(await foreign("written"), [{ value: 1, priority: 16 }]);
  await hub("shows", fan, "isOn", true);
});

test("tshark dissects every packet without a warning", async () => {
  const { packets } = capture;
  const strange = (): unknown[] =>
    packets.filter(({ protocol, warnings }) => !protocol.startsWith("BACnet") || warnings !== "");
  // The last packet: nobody has this number.
  await foreign("whoIs", 4_000_000, 4_000_000);
  await capture.until(({ info }) => info.includes("4000000"));
  assert.deepEqual(strange(), []);
  for (const from of [addresses.hub, addresses.building])
    assert.ok(packets.filter((packet) => packet.from === from).length > 20, `packets of ${from}`);
  const services = [
    "who-Is",
    "i-Am",
    "readProperty",
    "readPropertyMultiple",
    "writeProperty",
    "subscribeCOV",
  ];
  for (const service of [...services, "confirmedCOVNotification", "unconfirmedCOVNotification", "Abort"])
    assert.ok(
      packets.some(({ info }) => info.includes(service)),
      service,
    );
  assert.deepEqual(await hub("complaints"), []);
  // A Who-Is whose range begins with a number of no octets.
  await foreign("raw", "810a000c0100100808093c4c");
  await capture.until(({ warnings }) => warnings !== "");
  assert.equal(strange().length, 1, "a broken packet is told");
});
