import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Layer } from "./layer.ts";
import { Overlay, Published } from "./layer.ts";

function published(states: Readonly<Record<string, string>>): Published {
  const layer = new Published();
  for (const [id, state] of Object.entries(states)) layer.set("room", id, state);
  return layer;
}

function content(layer: Layer, kind = "room"): Record<string, unknown> {
  const all = Object.fromEntries(layer.all(kind));
  assert.equal(layer.size(kind), Object.keys(all).length, "the size matches the objects");
  for (const [id, state] of Object.entries(all)) assert.equal(layer.get(kind, id), state);
  return all;
}

test("shows the changes of an overlay and leaves the layer below unchanged", () => {
  const below = published({ a: "A", b: "B" });
  const overlay = new Overlay(below);
  overlay.set("room", "a", "A2");
  overlay.set("room", "b", undefined);
  overlay.set("room", "c", "C");
  overlay.set("user", "u", "U");
  assert.deepEqual(content(overlay), { a: "A2", c: "C" });
  assert.deepEqual(content(overlay, "user"), { u: "U" });
  assert.equal(overlay.get("room", "b"), undefined);
  assert.deepEqual(content(below), { a: "A", b: "B" });
  assert.equal(below.size("user"), 0);
});

test("does not count an object that was added and removed within an overlay", () => {
  const overlay = new Overlay(published({ a: "A" }));
  overlay.set("room", "b", "B");
  overlay.set("room", "b", undefined);
  overlay.set("room", "a", undefined);
  overlay.set("room", "a", "again");
  assert.deepEqual(content(overlay), { a: "again" });
});

test("yields the last touched object last", () => {
  const overlay = new Overlay(published({}));
  for (const id of ["a", "b", "a", "c"]) overlay.set("room", id, id);
  overlay.set("room", "b", undefined);
  assert.deepEqual(
    [...overlay.touched()],
    [
      ["room", "a", "a"],
      ["room", "c", "c"],
      ["room", "b", undefined],
    ],
  );
});

test("yields the last touched object last across kinds, also after a merge", () => {
  const overlay = new Overlay(published({}));
  for (const [kind, id] of [
    ["room", "a"],
    ["device", "d"],
    ["room", "b"],
    ["room", "a"],
  ] as const) {
    overlay.set(kind, id, id);
  }
  const merged = new Overlay(published({}));
  merged.set("room", "b", "before");
  overlay.mergeInto(merged);
  for (const layer of [overlay, merged]) {
    assert.deepEqual(
      [...layer.touched()].map(([kind, id]) => `${kind} ${id}`),
      ["device d", "room b", "room a"],
    );
  }
});

test("shows and counts the same after a rebase onto the merged layer", () => {
  const base = published({ a: "A" });
  const inFlight = new Overlay(base);
  inFlight.set("room", "b", "B");
  const open = new Overlay(inFlight);
  open.set("room", "c", "C");
  open.set("room", "a", undefined);
  inFlight.mergeInto(base);
  open.rebase(base);
  assert.deepEqual(content(open), { b: "B", c: "C" });
});

test("three layers behave as one map", () => {
  const step = fc.record({
    layer: fc.nat(2),
    id: fc.constantFrom("a", "b", "c", "d"),
    state: fc.option(fc.string({ maxLength: 2 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const base = new Published();
      const layers: Layer[] = [base];
      for (const below of [0, 1]) layers.push(new Overlay(layers[below] as Layer));
      const model = new Map<string, string>();
      // Write only to the topmost layer in use, as the kernel does.
      let top = 0;
      for (const { layer, id, state } of steps) {
        top = Math.max(top, layer);
        (layers[top] as Layer).set("room", id, state);
        if (state === undefined) model.delete(id);
        else model.set(id, state);
        assert.deepEqual(content(layers[top] as Layer), Object.fromEntries(model));
      }
      if (top === 2) (layers[2] as Overlay).mergeInto(layers[1] as Layer);
      if (top > 0) (layers[1] as Overlay).mergeInto(base);
      assert.deepEqual(content(base), Object.fromEntries(model));
    }),
  );
});
