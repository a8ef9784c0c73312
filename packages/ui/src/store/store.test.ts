import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { effect } from "@preact/signals";
import fc from "fast-check";
import { createStore, noRoom, type Store } from "./store.ts";
import type { Device, PollAnswer, Room } from "./wire.ts";

const bare: Device = {
  type: "LIGHT",
  id: "",
  name: "",
  capabilities: { type: "SET", values: [] },
  room: [],
  groups: [],
  zones: [],
  manufacturer: null,
  model: null,
  description: null,
  deviceType: null,
  rwx: 6,
  visible: true,
  state: {},
  timestamp: 1,
};

function device(id: string, name: string, rooms: string[] = [], isOn = false): Device {
  return { ...bare, id, name, room: rooms, state: { isOn } };
}

function room(id: string, name: string, order: number): Room {
  return { id, name, order } as Room;
}

function devices(timestamp: number, full: boolean, changes: Record<string, Device | null>): PollAnswer {
  return { timestamp, full, polls: [{ devices: changes }] };
}

function filled(): Store {
  const store = createStore();
  store.apply(devices(1, true, { a: device("a", "Attic"), b: device("b", "Bath", ["r"]) }));
  return store;
}

describe("the store", () => {
  test("keeps the cursor of the last answer", () => {
    const store = filled();
    store.apply({ timestamp: 9, full: false, polls: [] });
    assert.equal(store.asOf.value, 9);
    assert.deepEqual(store.of.devices.ids.value, ["a", "b"]);
  });

  test("forgets what a full answer does not name, and what a delta shows as gone", () => {
    const store = filled();
    store.apply(devices(2, false, { a: null }));
    assert.deepEqual(store.of.devices.ids.value, ["b"]);
    store.apply(devices(3, true, {}));
    assert.deepEqual([store.of.devices.ids.value, store.of.devices.of("b").value], [[], undefined]);
  });

  test("forgets an object that was removed, keeps the cursor, and takes the object back from the hub", () => {
    const store = filled();
    store.drop("devices", "b");
    assert.deepEqual([store.of.devices.ids.value, store.of.devices.of("b").value], [["a"], undefined]);
    assert.deepEqual([store.devicesByRoom.idsOf("r").value, store.asOf.value], [[], 1]);
    store.apply(devices(2, false, { b: device("b", "Bath", ["r"]) }));
    assert.deepEqual([store.of.devices.ids.value, store.devicesByRoom.idsOf("r").value], [["a", "b"], ["b"]]);
  });

  test("looks for no room for a browser that stands for its user, and lists it by itself", () => {
    const store = createStore();
    const phone = { ...device("p", "App p"), type: "UI_DEVICE" } as const;
    store.apply(devices(1, true, { a: device("a", "Attic"), p: phone }));
    assert.deepEqual(store.devicesByRoom.idsOf(noRoom).value, ["a"]);
    assert.deepEqual(store.browsers.value, ["p"]);
    store.apply(devices(2, false, { p: { ...phone, room: ["r"] } }));
    assert.deepEqual(store.devicesByRoom.idsOf("r").value, ["p"]);
    store.apply(devices(3, false, { p: null }));
    assert.deepEqual(store.browsers.value, []);
  });

  test("forgets everything, the cursor too", () => {
    const store = filled();
    store.forget();
    assert.deepEqual([store.of.devices.ids.value, store.asOf.value], [[], 0]);
    assert.deepEqual(store.devicesByRoom.idsOf("r").value, []);
  });

  test("keeps the signal of an object through a full answer", () => {
    const store = filled();
    const before = store.of.devices.of("b");
    store.apply(devices(2, true, { b: device("b", "Bath", ["r"], true) }));
    assert.equal(store.of.devices.of("b"), before);
    assert.deepEqual(before.value?.state, { isOn: true });
  });

  test("moves a device between rooms", () => {
    const store = filled();
    store.apply(devices(2, false, { a: device("a", "Attic", ["r"]) }));
    assert.deepEqual(store.devicesByRoom.idsOf("r").value, ["a", "b"]);
    assert.deepEqual(store.devicesByRoom.idsOf(noRoom).value, []);
  });

  test("moves a device between zones, of which it may be in several", () => {
    const store = filled();
    const inZones = (timestamp: number, zones: string[]): void =>
      store.apply(devices(timestamp, false, { a: { ...device("a", "Attic"), zones } }));
    inZones(2, ["up", "damp"]);
    assert.deepEqual(store.devicesByZone.idsOf("up").value, ["a"]);
    assert.deepEqual(store.devicesByZone.idsOf("damp").value, ["a"]);
    inZones(3, ["damp"]);
    assert.deepEqual(store.devicesByZone.idsOf("up").value, []);
    assert.deepEqual(store.devicesByZone.idsOf("damp").value, ["a"]);
  });

  test("sorts devices by name with numbers by size, and again after a rename", () => {
    const store = createStore();
    store.apply(devices(1, true, { x: device("x", "Lamp 10"), y: device("y", "Lamp 9") }));
    assert.deepEqual(store.of.devices.ids.value, ["y", "x"]);
    store.apply(devices(2, false, { x: device("x", "Lamp 1") }));
    assert.deepEqual(store.of.devices.ids.value, ["x", "y"]);
  });

  test("sorts rooms by their order", () => {
    const store = createStore();
    const rooms = { a: room("a", "Attic", 10), b: room("b", "Bath", 9) };
    store.apply({ timestamp: 1, full: true, polls: [{ rooms }] });
    assert.deepEqual(store.of.rooms.ids.value, ["b", "a"]);
  });

  test("tells readers of one object nothing about another, and of a whole answer once", () => {
    const store = filled();
    const seen: number[] = [];
    let lists = 0;
    effect(() => void seen.push(store.of.devices.of("a").value ? store.asOf.peek() : -1));
    effect(() => {
      lists++;
      store.of.devices.ids.value.at(0);
    });
    store.apply(devices(2, false, { b: device("b", "Bath", ["r"], true) }));
    assert.deepEqual([seen.length, lists], [1, 1]);
    store.apply(devices(3, false, { a: device("a", "Attic", [], true), b: device("b", "Bath", ["q"]) }));
    assert.deepEqual([seen.length, lists], [2, 1]);
  });

  test("tells readers of all objects about each of them, and gives them the objects sorted", () => {
    const store = filled();
    const seen: string[] = [];
    effect(
      () =>
        void seen.push(
          store.of.devices
            .list()
            .map(({ name }) => name)
            .join(),
        ),
    );
    store.apply(devices(2, false, { b: device("b", "Aerie", ["r"]) }));
    store.apply(devices(3, false, { a: null }));
    assert.deepEqual(seen, ["Attic,Bath", "Aerie,Attic", "Aerie"]);
  });

  test("takes a full answer over in turns, tells the home at the end, and then forgets what is not named", async () => {
    const store = createStore();
    const first = [{ devices: { b: device("b", "Bath") } }, { devices: { a: device("a", "Attic") } }];
    const seen: unknown[] = [];
    const breathe = async (): Promise<void> =>
      void seen.push([store.of.devices.ids.value, store.isTold.value]);
    const { signal } = new AbortController();
    await store.takeOver({ timestamp: 5, full: true, polls: first }, breathe, signal);
    assert.deepEqual(seen, [
      [[], false],
      [[], false],
    ]);
    assert.deepEqual([store.of.devices.ids.value, store.asOf.value], [["a", "b"], 5]);
    await store.takeOver(devices(6, true, { c: device("c", "Cellar") }), breathe, signal);
    assert.deepEqual(seen.at(-1), [["a", "b"], true]);
    assert.deepEqual(store.of.devices.ids.value, ["c"]);
  });

  test("takes a delta over in one step", async () => {
    const store = filled();
    const parts = [{ devices: { a: null } }, { devices: { b: null } }];
    const { signal } = new AbortController();
    const taken = store.takeOver({ timestamp: 2, full: false, polls: parts }, () => assert.fail(), signal);
    assert.deepEqual(store.of.devices.ids.value, []);
    await taken;
  });

  test("takes nothing more over for somebody who has left", async () => {
    const store = createStore();
    const left = new AbortController();
    const breathe = async (): Promise<void> => {
      left.abort();
      store.forget();
    };
    const polls = [{ devices: { a: device("a", "Attic") } }, { devices: { b: device("b", "Bath") } }];
    await store.takeOver({ timestamp: 5, full: true, polls }, breathe, left.signal);
    assert.deepEqual([store.of.devices.ids.value, store.asOf.value], [[], 0]);
  });

  test("takes an object with a hostile id for an object", () => {
    const store = createStore();
    const hostile = JSON.parse(
      '{"__proto__":{"id":"__proto__","name":"P","room":[],"zones":[],"state":{}}}',
    ) as Record<string, Device>;
    store.apply(devices(1, true, hostile));
    assert.deepEqual(store.of.devices.ids.value, ["__proto__"]);
  });
});

const ids = fc.constantFrom("a", "b", "c", "d");
const someDevice = fc.record({
  name: fc.constantFrom("One", "Two", "Three"),
  room: fc.subarray(["r", "q"]),
  isOn: fc.boolean(),
});
const change = fc.record({ id: ids, to: fc.option(someDevice) });
const deltas = fc.array(fc.record({ full: fc.boolean(), changes: fc.array(change, { maxLength: 5 }) }), {
  maxLength: 8,
});

/** A full answer with each object in a section of its own. */
function inParts({ polls, ...answer }: PollAnswer): PollAnswer {
  const sections = polls.flatMap(({ devices: of = {} }) =>
    Object.entries(of).map((entry) => ({ devices: Object.fromEntries([entry]) })),
  );
  return { ...answer, polls: [...sections, { devices: {} }] };
}

test("deltas applied one after the other leave the same home as one full answer, whole or in parts", () => {
  fc.assert(
    fc.property(deltas, (answers) => {
      const followed = createStore();
      let home: Record<string, Device> = {};
      for (const [index, { full, changes }] of answers.entries()) {
        const told: Record<string, Device | null> = {};
        for (const { id, to } of changes) told[id] = to && device(id, to.name, to.room, to.isOn);
        followed.apply(devices(index + 1, full, told));
        home = full ? {} : home;
        for (const [id, to] of Object.entries(told)) {
          if (to === null) delete home[id];
          else home[id] = to;
        }
      }
      const fresh = createStore();
      fresh.apply(devices(answers.length, true, home));
      assert.deepEqual(shown(followed), shown(fresh));
      const again = createStore();
      again.apply(inParts(followed.snapshot()));
      assert.deepEqual(shown(again), shown(fresh));
    }),
    { numRuns: 200 },
  );
});

/** What readers see of a store. */
function shown({ of, devicesByRoom, asOf }: Store): unknown {
  const rooms = ["r", "q", noRoom].map((key) => devicesByRoom.idsOf(key).value);
  return [asOf.value, of.devices.all(), of.devices.ids.value, rooms];
}
