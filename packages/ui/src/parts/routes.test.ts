import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NetworkLink, NetworkMap, NetworkNode } from "../api/network.ts";
import { isWeak, routesOf } from "./routes.ts";

function node(ieee: string, type = "Router"): NetworkNode {
  const unknown = { nwk: 0, manufacturer: null, model: null, lastSeen: null, name: null };
  return { ieee, type, ...unknown, missing: false, deviceIds: [] };
}

function link(from: string, to: string, lqi: number, relationship = "sibling"): NetworkLink {
  return { from, to, lqi, relationship };
}

function mapOf(names: string, ...links: readonly NetworkLink[]): NetworkMap {
  const nodes = [node("hub", "Coordinator"), ...names.split("").map((name) => node(name))];
  return { at: 0, complete: true, nodes, links };
}

const parents = (map: NetworkMap): Record<string, string | null> =>
  Object.fromEntries([...routesOf(map)].map(([ieee, { parent }]) => [ieee, parent]));

describe("the ways through a network", () => {
  test("go over good links rather than over one that is poor", () => {
    const map = mapOf("ab", link("hub", "a", 250), link("a", "b", 250), link("hub", "b", 10));
    assert.deepEqual(parents(map), { hub: null, a: "hub", b: "a" });
  });

  test("are short when links are about as good", () => {
    const map = mapOf("ab", link("hub", "a", 250), link("a", "b", 250), link("hub", "b", 200));
    assert.equal(routesOf(map).get("b")?.hops, 1);
  });

  test("count a link by its worse direction", () => {
    const map = mapOf("a", link("hub", "a", 250), link("a", "hub", 40));
    const reach = routesOf(map).get("a");
    assert.equal(reach?.lqi, 40);
    assert.ok(reach && isWeak(reach));
  });

  test("leave out what has no link, what is linked to a stranger, and former children", () => {
    const map = mapOf("abc", link("x", "a", 250), link("hub", "b", 250, "former child"));
    for (const [ieee, { hops, parent }] of routesOf(map))
      assert.deepEqual([hops, parent], ieee === "hub" ? [0, null] : [null, null]);
  });

  test("are none without a coordinator", () => {
    const { links } = mapOf("ab", link("a", "b", 250));
    const routes = routesOf({ at: 0, complete: true, nodes: [node("a"), node("b")], links });
    assert.deepEqual(
      [...routes.values()].map(({ hops }) => hops),
      [null, null],
    );
  });

  test("end where links go round in a circle", () => {
    const map = mapOf(
      "abc",
      link("hub", "a", 200),
      link("a", "b", 200),
      link("b", "c", 200),
      link("c", "a", 200),
    );
    assert.deepEqual(parents(map), { hub: null, a: "hub", b: "a", c: "a" });
  });
});
