import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { given, lamp, reported, testNow } from "@ledge/testkit";

const content = { class: "LIGHT", capabilities: ["DEVICE", "ON_OFF"], manufacturer: null, model: null };
const add = { type: "ADD_DEVICE", name: "Lamp", protocol: "sim", native: "n1", radio: "air", extras: {} };
const again = { ...add, ...content, device: "lamp" };
const added = (id: string, changes: { readonly native?: string; readonly protocol?: string } = {}) => [
  { type: "DeviceAdded", id, name: "Lamp", extras: {}, ...content },
  { type: "DeviceBound", id, protocol: "sim", native: "n1", radio: "air", ...changes },
];

const bound = { type: "DeviceBound", id: "lamp", protocol: "sim", native: "n1", radio: "air" };
const unbound = { type: "DeviceUnbound", id: "lamp" };
const removed = { type: "DeviceRemoved", id: "lamp", groups: ["g1"] };
const before = [lamp, bound, removed, unbound];

describe("ADD_DEVICE with the id of a removed device", () => {
  test("gives the device its former id, and its binding counts again", () => {
    const after = given(before).when(again).then(added("lamp"));
    assert.deepEqual(after.state("binding", "lamp"), {
      id: "lamp",
      protocol: "sim",
      native: "n1",
      radio: "air",
      removed: false,
    });
  });

  test("keeps nothing that users had set or the device had reported", () => {
    const after = given([
      lamp,
      bound,
      { type: "DeviceRenamed", id: "lamp", name: "Desk" },
      { type: "DeviceMoved", id: "lamp", room: ["r1"] },
      { type: "DeviceVisibilitySet", id: "lamp", visible: false },
      { type: "DeviceGroupsChanged", id: "lamp", groups: ["g1"] },
      reported("lamp", { isOn: true }),
      removed,
      unbound,
    ])
      .when(again)
      .then(added("lamp"));
    const { name, room, visible, groups, state, timestamp } = after.state("device", "lamp") ?? {};
    assert.deepEqual(
      [name, room, visible, groups, state?.["isOn"], timestamp],
      ["Lamp", [], true, [], false, testNow],
    );
  });

  test("ends that a user ignores the device", () => {
    const ignored = { type: "DeviceIgnored", id: "lamp" };
    const after = given([...before, ignored])
      .when(again)
      .then(added("lamp"));
    assert.equal(after.state("binding", "lamp")?.ignored, undefined);
  });

  test("can be removed and added any number of times", () => {
    const once = [...before, ...added("lamp")];
    const gone = [{ type: "DeviceRemoved", id: "lamp", groups: [] }, unbound];
    given(once).when({ type: "REMOVE_DEVICE", id: "lamp" }).then(gone);
    const after = given([...once, ...gone])
      .when(again)
      .then(added("lamp"));
    assert.equal(after.state("device", "lamp")?.name, "Lamp");
  });

  for (const [what, past, changes] of [
    ["is still there", [lamp, bound], {}],
    ["was other hardware", before, { native: "n2" }],
    ["spoke another protocol", before, { protocol: "modbus" }],
    ["is not known", [], {}],
  ] as const)
    test(`gives a new id when the former one ${what}`, () => {
      given([...past])
        .when({ ...again, ...changes })
        .then(added("new-1", changes));
    });
});
