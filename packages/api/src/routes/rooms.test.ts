import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { SimulatedClock } from "@ledge/testkit";
import { type Client, openTestHub, type TestHub } from "../test-hub.ts";

describe("rooms", () => {
  let hub: TestHub;
  let api: Client;
  let owner: string;
  let hall: string;

  beforeEach(async () => {
    hub = await openTestHub(memoryLog(), new SimulatedClock());
    api = hub.api("local");
    owner = await hub.sign();
    hall = await hub.run({ type: "CMD_ROOM", name: "Hall" });
  });

  const rooms = (): unknown[] => [...hub.kernel.all("room")].map(([, { name, order }]) => [name, order]);

  test("GET /rooms shows all rooms or one", async () => {
    const attic = await hub.run({ type: "CMD_ROOM", name: "Attic" });
    const all = (await api.send("GET", "/rooms", owner)).body as Record<string, { name: string }>;
    assert.deepEqual(Object.keys(all), [hall, attic]);
    const one = (await api.send("GET", `/rooms?roomId=${attic}`, owner)).body as Record<string, unknown>;
    assert.deepEqual(Object.keys(one), [attic]);
    assert.equal((await api.send("GET", "/rooms?roomId=nowhere", owner)).status, 404);
  });

  test("PUT /rooms answers for each item, and carries out the others if one is refused", async () => {
    const items = [
      { id: null, name: "Attic", order: 3, type: "CMD_ROOM" },
      { id: "nowhere", name: "X", type: "CMD_ROOM" },
      { id: hall, name: "Lobby" },
      { id: null },
    ];
    const { status, body } = await api.send("PUT", "/rooms", owner, items);
    assert.equal(status, 200);
    assert.deepEqual(body, [true, false, true, false]);
    assert.deepEqual(rooms(), [
      ["Lobby", 0],
      ["Attic", 3],
    ]);
  });

  test("PUT /rooms treats a single object as a list of one", async () => {
    assert.deepEqual((await api.send("PUT", "/rooms", owner, { name: "Attic" })).body, [true]);
  });

  test("PUT /rooms refuses the whole list for a malformed item", async () => {
    const { status, body } = await api.send("PUT", "/rooms", owner, [{ name: "Attic" }, { name: 5 }]);
    assert.equal(status, 422);
    assert.deepEqual((body as { errors: unknown }).errors, [
      { index: 1, field: "name", message: "must be string" },
    ]);
    assert.equal((await api.send("PUT", "/rooms", owner, [{ type: "CMD_GROUP", name: "X" }])).status, 422);
    assert.deepEqual(rooms(), [["Hall", 0]]);
  });

  test("PUT /rooms/order sets a room's order, for all items or none", async () => {
    const order = { type: "CMD_SET_ROOM_ORDER", id: hall, order: 7 };
    assert.equal((await api.send("PUT", "/rooms/order", owner, [order])).body, true);
    assert.equal((await api.send("PUT", "/rooms/order", owner, { id: hall, order: 8.0 })).body, true);
    assert.deepEqual(rooms(), [["Hall", 8]]);
    assert.equal(
      (await api.send("PUT", "/rooms/order", owner, [order, { id: "nowhere", order: 1 }])).status,
      404,
    );
    assert.equal((await api.send("PUT", "/rooms/order", owner, [{ id: hall, order: -1 }])).status, 422);
    assert.deepEqual(rooms(), [["Hall", 8]]);
  });

  test("DELETE /rooms removes a room, and needs an existing id", async () => {
    assert.equal((await api.send("DELETE", `/rooms?roomId=${hall}`, owner)).body, true);
    assert.deepEqual(rooms(), []);
    assert.equal((await api.send("DELETE", `/rooms?roomId=${hall}`, owner)).status, 404);
    assert.equal((await api.send("DELETE", "/rooms", owner)).status, 422);
  });
});
