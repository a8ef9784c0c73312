import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ZwaveNode } from "../api/zwave-nodes.ts";
import { isTroubled } from "./routes.ts";
import { securityOf, zwaveRoutesOf } from "./zwave-routes.ts";

type Statistics = ZwaveNode["statistics"];

const quiet: Statistics = {
  commandsTX: 0,
  commandsDroppedTX: 0,
  timeoutResponse: 0,
  rtt: null,
  rssi: null,
  repeaters: [],
};

function node(
  nodeId: number,
  statistics: Partial<Statistics> = {},
  more: Partial<ZwaveNode> = {},
): ZwaveNode {
  const kind = { genericClassName: "Binary Switch", specificClassName: null };
  const state = { status: 0, ageMs: 1000, deviceId: null, securityKeys: null, listening: true };
  return { nodeId, ...kind, ...state, longRange: false, statistics: { ...quiet, ...statistics }, ...more };
}

const routesOf = (...nodes: readonly ZwaveNode[]) =>
  zwaveRoutesOf(nodes, 5000, ({ nodeId }) => `Node ${nodeId}`);
const ways = (...nodes: readonly ZwaveNode[]): readonly unknown[] =>
  [...routesOf(...nodes)].map(([ieee, { parent, hops }]) => [ieee, parent, hops]);

describe("the ways through a Z-Wave network", () => {
  test("lead over the repeaters of the last command", () => {
    const found = ways(
      node(2, { rtt: 20 }),
      node(3, { rtt: 30, repeaters: [2] }),
      node(4, { repeaters: [2, 3] }),
    );
    assert.deepEqual(found, [
      ["hub", null, 0],
      ["2", "hub", 1],
      ["3", "2", 2],
      ["4", "3", 3],
    ]);
  });

  test("are unknown while nothing was asked, which is no trouble", () => {
    const [, sleeper] = [...routesOf(node(2)).values()];
    assert.deepEqual([sleeper?.parent, sleeper?.hops, sleeper?.isAsked], [null, null, false]);
    assert.ok(sleeper && !isTroubled(sleeper));
  });

  test("are without repeaters by Long Range, whatever was said before", () => {
    assert.deepEqual(ways(node(256, { repeaters: [2] }, { longRange: true }), node(2, { rtt: 1 })).at(2), [
      "256",
      "hub",
      1,
    ]);
  });

  test("end at the hub where nodes are said to pass on for each other, or by a node that has gone", () => {
    const circle = ways(
      node(2, { repeaters: [3] }),
      node(3, { repeaters: [4] }),
      node(4, { repeaters: [2] }),
    );
    assert.deepEqual(circle, [
      ["hub", null, 0],
      ["2", "3", 3],
      ["3", "4", 2],
      ["4", "hub", 1],
    ]);
    assert.deepEqual(ways(node(2, { repeaters: [2] })).at(1), ["2", "hub", 1]);
    assert.deepEqual(ways(node(2, { repeaters: [77] })).at(1), ["2", "hub", 1]);
  });

  test("have the signal of what the hub hears itself, and trouble where it is weak or a node is silent", () => {
    const found = routesOf(
      node(2, { rtt: 1, rssi: -60 }),
      node(3, { rtt: 1, rssi: -95 }),
      node(4, { rtt: 1, rssi: -50, repeaters: [2] }),
      node(5, { rtt: 1 }, { status: 1 }),
    );
    assert.deepEqual(
      [...found.values()].map((reach) => [reach.rssi, isTroubled(reach)]),
      [
        [null, false],
        [-60, false],
        [-95, true],
        [null, false],
        [null, true],
      ],
    );
    assert.equal(found.get("2")?.node.lastSeen, 4000);
  });
});

test("writes the security of a Z-Wave node for readers", () => {
  assert.equal(securityOf({ securityKeys: "S2_AccessControl" }), "S2 AccessControl");
  assert.equal(securityOf({ securityKeys: "NONE" }), undefined);
  assert.equal(securityOf({ securityKeys: null }), undefined);
});
