import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { TestHouse } from "../../testdata/house.ts";

type Told = LoggedEvent & {
  readonly facts?: object;
  readonly hidden?: boolean;
  readonly text?: { readonly parameters: object };
  readonly sourceId?: string;
};

/** Returns the alarm and the message at a smoke alarm, after `first` has prepared the house. */
async function smoke(first: (house: TestHouse, detector: string) => Promise<void>): Promise<{
  readonly alarm: Told;
  readonly message: Told;
  readonly detector: string;
  readonly rule: string;
}> {
  const house = await TestHouse.open();
  const detector = await house.addDevice("Detector", "SMOKE_ALARM", ["SMOKE"], { alert: false });
  const rule = await house.addRule("Fire", "SMOKE_CO_ALARM", { inputs: { alarm: [detector] } });
  await first(house, detector);
  house.forget();
  await house.report(detector, { alert: true });
  const of = (type: string): Told => house.events.find((event) => event.type === type) as Told;
  const [alarm, message] = [of("AlarmRaised"), of("MessageQueued")];
  await house.close();
  return { alarm, message, detector, rule };
}

test("an alarm and its message name the room of the device", async () => {
  const { alarm, message, rule } = await smoke(async (house, id) => {
    const room = await house.accept({ type: "CMD_ROOM", name: "Attic" });
    await house.accept({ type: "CMD_DEVICE_META", id, room: [room] });
  });
  assert.deepEqual(alarm.facts, { rule: "Fire", room: "Attic" });
  assert.deepEqual(message.text?.parameters, { name: "Detector", rule: "Fire", room: "Attic" });
  assert.deepEqual([alarm.hidden, message.sourceId], [undefined, rule]);
});

test("an alarm about a device in no room shows a dash for the room", async () => {
  const { alarm } = await smoke(async () => {});
  assert.deepEqual(alarm.facts, { rule: "Fire", room: "–" });
});

test("hides the alarm and the message about a hidden device from guests", async () => {
  const { alarm, message, detector } = await smoke(async (house, id) => {
    await house.accept({ type: "CMD_DEVICE_VISIBLE", id, visible: false });
  });
  assert.equal(alarm.hidden, true);
  // The message's source decides who may see it.
  assert.equal(message.sourceId, detector);
});

test("hides a rule's alarm from guests when it names a hidden device", async () => {
  const house = await TestHouse.open();
  const meter = await house.addDevice("Meter", "POWER_SOCKET", ["MEASURE_POWER"], { activePower: 100 });
  const load = await house.addDevice("Sauna", "POWER_SOCKET", ["ON_OFF"], { isOn: true });
  await house.accept({ type: "CMD_DEVICE_VISIBLE", id: load, visible: false });
  const extras = { limitW: [{ type: "POWER_W", value: 1000 }] };
  await house.addRule("Overload", "POWER_OVERLOAD", {
    inputs: { meter: [meter] },
    outputs: { loads: [load] },
    extras,
  });
  house.forget();
  await house.report(meter, { activePower: 5000 });
  await house.clock.pass(60_000);
  const alarm = house.events.find(
    ({ type, id }) => type === "AlarmRaised" && id.startsWith("LOAD_SHED"),
  ) as Told;
  assert.deepEqual([alarm.facts, alarm.hidden], [{ rule: "Overload", loads: "Sauna", limit: 1000 }, true]);
  await house.close();
});
