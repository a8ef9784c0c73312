import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Reach, routesOf } from "../../parts/routes.ts";
import { placesOf } from "./places.ts";

function mapOf(names: string, ...pairs: readonly string[]): ReadonlyMap<string, Reach> {
  const unknown = { nwk: 0, manufacturer: null, model: null, lastSeen: null, name: null };
  const of = (ieee: string, type: string) => ({ ieee, type, ...unknown, missing: false, deviceIds: [] });
  const nodes = [of("hub", "Coordinator"), ...names.split("").map((name) => of(name, "Router"))];
  const links = pairs.map((pair) => {
    const [from = "", to = ""] = pair.split("-");
    return { from, to, lqi: 250, relationship: "sibling" };
  });
  return routesOf({ at: 0, complete: true, nodes, links });
}

describe("the drawing of a network", () => {
  test("puts nodes on rings by their hops, apart from each other", () => {
    const places = placesOf(mapOf("abcd", "hub-a", "hub-b", "a-c", "a-d"));
    const radius = (name: string): number => Math.hypot(places.get(name)?.x ?? 9, places.get(name)?.y ?? 9);
    assert.deepEqual(
      ["hub", "a", "b", "c", "d"].map((name) => Math.round(radius(name) * 100) / 100),
      [0, 0.5, 0.5, 1, 1],
    );
    const all = [...places.values()].map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`);
    assert.equal(new Set(all).size, all.length);
  });

  test("puts each node in one place where links go round in a circle, and none where nothing is reached", () => {
    assert.equal(placesOf(mapOf("abc", "hub-a", "a-b", "b-c", "c-a")).size, 4);
    const routes = mapOf("ab", "a-b");
    routes.forEach((_, ieee) => assert.equal(placesOf(routes).has(ieee), ieee === "hub"));
  });
});
