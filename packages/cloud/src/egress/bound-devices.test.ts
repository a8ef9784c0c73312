import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { accepted, TestHub } from "../testdata/open-cloud.ts";
import { TestEgress } from "./test-egress.ts";
import { TestReceiver } from "./test-receiver.ts";

let world: TestEgress;
let receiver: TestReceiver;
let hub: TestHub;
before(async () => {
  world = await TestEgress.open();
  receiver = await TestReceiver.start();
  hub = await TestHub.make();
  const { cloud } = world.test;
  await hub.connect(cloud);
  accepted(await cloud.hubs.claim(hub.id, "ada@example.org"));
});
after(async () => {
  await world.remove();
  await receiver.stop();
});

let count = 0;
/** Lets a device of the hub change, as replication does. */
async function change(device: string): Promise<void> {
  const { registers } = world.test.cloud;
  const event = {
    ref: `1-${++count}`,
    device,
    type: "StateChanged",
    timestamp: 7,
    changed: { isOn: true },
  } as const;
  const outbox = world.egress.messagesFor(hub.id, event);
  const { cursor = null } = (await registers.cursorOf(hub.id)) ?? {};
  const batch = {
    source: hub.id,
    generation: 1,
    after: cursor,
    upto: String(count),
    upserts: [],
    removals: [],
  };
  assert.equal((await registers.apply({ ...batch, outbox })).outcome, "applied");
  world.egress.stored(outbox);
}

const bind = (name: string, deviceId: string | null): Promise<void> => {
  const device = deviceId && { deviceRegisterId: hub.id, deviceId, by: world.account };
  const about = { entityType: "lamp", displayName: name, attributes: [], device };
  return world.submit({ type: "CREATE_SITE_ENTITY", id: world.siteId, parent: "", name, ...about });
};
const devices = (): string[] =>
  receiver.events.flatMap(({ type, path }) => (type.startsWith("Device") ? [`${type} ${path}`] : []));
const arrived = (total: number): Promise<void> =>
  world.until(`${total} events of devices`, () => devices().length >= total);

test("an entity that stands for a device sends the device's events, wherever it is moved, until it is loosed", async () => {
  await bind("lamp", "lamp");
  await bind("free", null);
  await change("lamp");
  await world.target("main", receiver.url);
  await change("lamp");
  await change("other");
  await arrived(1);
  const [event] = receiver.events.slice(-1);
  const device = { deviceRegisterId: hub.id, deviceId: "lamp", changed: { isOn: true } };
  assert.deepEqual(event, {
    ref: `${hub.id}:1-2`,
    type: "DeviceStateChanged",
    path: "lamp",
    device,
    timestamp: 7,
  });
  const { siteId: id } = world;
  await world.submit({ type: "UPDATE_SITE_ENTITY", id, path: "lamp", parent: "free" });
  await change("lamp");
  await arrived(2);
  await world.submit({ type: "UPDATE_SITE_ENTITY", id, path: "free/lamp", device: null });
  await change("lamp");
  await bind("lamp", "lamp");
  await world.restart();
  await change("lamp");
  await arrived(3);
  const state = "DeviceStateChanged";
  assert.deepEqual(devices(), [`${state} lamp`, `${state} free/lamp`, `${state} lamp`]);
});

test("a device sends its events to so many entities at most", async () => {
  for (let at = 0; at <= limits.egressBindings; at++) await bind(`many${at}`, "popular");
  const event = { ref: "9-0", device: "popular", type: "Updated", timestamp: 1 } as const;
  assert.equal(world.egress.messagesFor(hub.id, event).length, limits.egressBindings);
});

test("a device that who has bound it may not read any more sends nothing, also what waits already", async () => {
  const sent = devices().length;
  await receiver.stop();
  await change("lamp");
  await world.until("a try", () => world.egress.counts.failing === 1);
  accepted((await world.test.cloud.operation.releaseHub(hub.id)) ?? {});
  await receiver.listen();
  await world.entities(1);
  await world.until("the entity", () => receiver.events.at(-1)?.type === "EntityCreated", 1000);
  assert.equal(devices().length, sent);
});
