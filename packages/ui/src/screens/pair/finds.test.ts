import assert from "node:assert/strict";
import { test } from "node:test";
import type { Find } from "../../api/pairing.ts";
import type { Device } from "../../store/wire.ts";
import { endingOf, goneOf, merged, type Stage, stageOf } from "./finds.ts";

const device = {} as Device;

function find(id: string, more: Partial<Find> = {}): Find {
  const found = { id, ignored: true, info: null, actionRequired: false } as const;
  return { ...found, pairingStatus: "COMPLETE", status: device, ...more };
}

const delta = (full: boolean, ...devices: readonly Find[]) => ({ timestamp: 1, full, devices });

test("keeps what is found in order, and takes the newest word of each", () => {
  const first = merged(new Map(), delta(true, find("lamp"), find("plug")));
  const then = merged(first, delta(false, find("remote"), find("lamp", { ignored: false })));
  assert.deepEqual([...then.keys()], ["lamp", "plug", "remote"]);
  assert.equal(then.get("lamp")?.ignored, false);
  assert.deepEqual([...merged(then, delta(false)).keys()], [...then.keys()]);
});

test("forgets with a full answer what the search no longer finds, and names it", () => {
  const before = merged(new Map(), delta(true, find("lamp"), find("plug")));
  const after = merged(before, delta(true, find("plug")));
  assert.deepEqual([...after.keys()], ["plug"]);
  assert.deepEqual(
    goneOf(before, after).map(({ id }) => id),
    ["lamp"],
  );
  assert.deepEqual(goneOf(after, after), []);
});

const stages: readonly [Partial<Find>, Stage][] = [
  [{ pairingStatus: "CONNECTING" }, "joining"],
  [{ pairingStatus: "CONNECTING", actionRequired: true }, "asked"],
  [{ pairingStatus: "CONNECTED", actionRequired: true }, "asked"],
  [{ pairingStatus: "CONNECTED" }, "joined"],
  [{ pairingStatus: "COMPLETE" }, "ready"],
];
for (const [more, stage] of stages) {
  test(`a find that is ${JSON.stringify(more)} is ${stage}`, () =>
    assert.equal(stageOf(find("x", more)), stage));
}

test("an end keeps what is chosen, known and no longer joining", () => {
  const finds = merged(
    new Map(),
    delta(
      true,
      find("chosen", { ignored: false }),
      find("joined", { ignored: false, pairingStatus: "CONNECTED" }),
      find("joining", { ignored: false, pairingStatus: "CONNECTING" }),
      find("unknown", { ignored: false, status: null }),
      find("other"),
    ),
  );
  const { kept, early, left } = endingOf(finds);
  assert.deepEqual(
    [kept, early, left].map((some) => some.map(({ id }) => id)),
    [["chosen", "joined"], ["joining", "unknown"], ["other"]],
  );
});
