import assert from "node:assert/strict";
import { test } from "node:test";
import type { NetworkMap, NetworkNode } from "../../api/network.ts";
import type { Rebuild } from "../../api/zwave-nodes.ts";
import { rebuildText, zigbeeWayOf } from "./radio.ts";

const unknown = { manufacturer: null, model: null, lastSeen: null, name: null, missing: false };
const node = (ieee: string, nwk: number, type: string, ...deviceIds: readonly string[]): NetworkNode => ({
  ...unknown,
  ieee,
  nwk,
  type,
  deviceIds,
});
const map: NetworkMap = {
  at: 0,
  complete: true,
  nodes: [
    node("coordinator", 0, "Coordinator"),
    node("0xa", 0x1a, "Router", "plug", "plug 2"),
    node("0xb", 0xffe1, "EndDevice", "window"),
    node("0xc", 3, "EndDevice", "lost"),
  ],
  links: [
    { from: "coordinator", to: "0xa", lqi: 200, relationship: "child" },
    { from: "0xa", to: "0xb", lqi: 90, relationship: "child" },
  ],
};

test("says how a Zigbee device is reached: by whom, over how many hops, and at which addresses", () => {
  const window = zigbeeWayOf(map, "window");
  assert.equal(window?.address, "0xb, 0xFFE1");
  assert.deepEqual([window?.reach.hops, window?.reach.lqi], [2, 90]);
  assert.equal(window?.parent?.node.ieee, "0xa");
  const plug = zigbeeWayOf(map, "plug 2");
  assert.equal(plug?.address, "0xa, 0x001A");
  assert.equal(plug?.parent?.hops, 0);
  assert.deepEqual(plug?.reach.children, ["0xb"]);
});

test("says of a device that nobody hears that it has no way, and nothing of one that is in no such network", () => {
  const lost = zigbeeWayOf(map, "lost");
  assert.deepEqual([lost?.reach.hops, lost?.parent], [null, undefined]);
  assert.equal(zigbeeWayOf(map, "meter"), undefined);
});

const rebuilds: readonly [Rebuild, text: string][] = [
  [{ status: "RUNNING", nodes: [{ nodeId: 2, status: "pending" }] }, "radio.rebuilds"],
  [{ status: "RUNNING", nodes: [{ nodeId: 3, status: "pending" }] }, "radio.rebuildsOthers"],
  [{ status: "DONE", nodes: [{ nodeId: 2, status: "done" }] }, "radio.rebuilt"],
  [{ status: "DONE", nodes: [{ nodeId: 2, status: "failed" }] }, "radio.notRebuilt"],
  [{ status: "DONE", nodes: [{ nodeId: 3, status: "done" }] }, "radio.notRebuilt"],
  [{ status: "CANCEL", nodes: [{ nodeId: 2, status: "done" }] }, "radio.notRebuilt"],
  [{ status: "ERROR", nodes: [] }, "radio.notRebuilt"],
];
for (const [status, text] of rebuilds) {
  test(`tells a rebuild as ${text} that is ${JSON.stringify(status)}`, () => {
    assert.equal(rebuildText(status, 2), text);
  });
}
