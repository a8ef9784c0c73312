import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Device } from "../../store/wire.ts";
import { type Change, createPlayer, type Devices, nearestFirst, spanAt, spansOf } from "./film.ts";

const ids = ["lamp", "sensor", "door", "unknown"];
const known = ids.slice(0, 3);

const device = (id: string): Device => ({ id, name: id, state: { isOn: false } }) as unknown as Device;
const keyframe: Devices = Object.fromEntries(known.map((id) => [id, device(id)]));

const changes = fc
  .array(
    fc.record({
      at: fc.integer({ min: 1, max: 100 }),
      id: fc.constantFrom(...ids),
      attributes: fc.record({ isOn: fc.boolean(), lux: fc.nat(9) }, { requiredKeys: [] }),
    }),
  )
  .map((all) => all.toSorted((a, b) => a.at - b.at));

/** The home at a time, by folding all changes up to it. */
function folded(all: readonly Change[], at: number): Devices {
  const home: Record<string, Device> = { ...keyframe };
  for (const { id, attributes } of all.filter((change) => change.at <= at)) {
    const before = home[id];
    if (before !== undefined) home[id] = { ...before, state: { ...before.state, ...attributes } };
  }
  return home;
}

test("shows the home of any time, however the slider got there", () => {
  fc.assert(
    fc.property(changes, fc.array(fc.integer({ min: 0, max: 101 }), { minLength: 1 }), (all, times) => {
      const player = createPlayer({ from: 0, until: 101, devices: keyframe, changes: all });
      const home: Record<string, Device> = { ...keyframe };
      for (const at of times) {
        Object.assign(home, player.seek(at));
        assert.deepEqual(home, folded(all, at));
        assert.deepEqual(player.homeNow(), home);
      }
    }),
  );
});

test("a seek returns no device that has not changed since", () => {
  const all = [
    { at: 5, id: "lamp", attributes: { isOn: true } },
    { at: 9, id: "door", attributes: { open: true } },
  ];
  const player = createPlayer({ from: 0, until: 10, devices: keyframe, changes: all });
  assert.deepEqual(
    [0, 5, 5, 10, 8, 0].map((at) => Object.keys(player.seek(at))),
    [[], ["lamp"], [], ["door"], ["door"], ["lamp"]],
  );
});

test("spans cover a window without gaps, and none but a single slice holds too much", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { minLength: 1 }), fc.integer({ min: 1, max: 30 }), (counts, most) => {
      const slices = counts.map((events, index) => ({ at: index * 10, events }));
      const end = slices.length * 10;
      const spans = spansOf(slices, end, most);
      assert.equal(spans[0]?.from, 0);
      assert.equal(spans.at(-1)?.until, end);
      for (const [index, { from, until }] of spans.entries()) {
        assert.equal(until, spans[index + 1]?.from ?? end);
        const held = slices.filter(({ at }) => at >= from && at < until);
        const sum = held.reduce((total, { events }) => total + events, 0);
        assert.ok(sum <= most || held.length === 1, `${sum} in ${held.length}`);
        assert.deepEqual(spanAt(spans, from), { from, until });
      }
    }),
  );
});

test("reads what is nearest first, and nothing of an empty window", () => {
  const spans = [0, 10, 20].map((from) => ({ from, until: from + 10 }));
  const order = (at: number): readonly number[] => nearestFirst(spans, at).map(({ from }) => from);
  assert.deepEqual(
    [order(25), order(5), order(14)],
    [
      [20, 10, 0],
      [0, 10, 20],
      [10, 0, 20],
    ],
  );
  assert.deepEqual([spansOf([], 10, 5), spanAt([], 5), spanAt(spans, 99)], [[], undefined, spans[2]]);
});
