import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { idsAfter } from "./ids-after.ts";

const objectsOf = (ids: readonly string[]): (readonly [string, null])[] => ids.map((id) => [id, null]);
const never = (): Promise<void> => assert.fail("there is nothing to wait for");

test("returns the first ids after another one, however they come", async () => {
  const ordered = Array.from({ length: 100 }, (_, at) => `d${String(at).padStart(3, "0")}`);
  const orders = [
    ordered,
    ordered.toReversed(),
    ordered.toSorted((a, b) => (a.at(-1) ?? "").localeCompare(b.at(-1) ?? "")),
  ];
  for (const ids of orders)
    for (const most of [1, 2, 7, 99, 100, 101])
      for (const [after, from] of [
        ["", 0],
        ["d000", 1],
        ["d0005", 1],
        ["d049", 50],
        ["d098", 99],
        ["d099", 100],
        ["e", 100],
      ] as const)
        assert.deepEqual(
          await idsAfter(after, most, objectsOf(ids), never),
          ordered.slice(from, from + most),
          `${most} after ${after}`,
        );
  assert.deepEqual(await idsAfter("", 5, [], never), []);
});

test("gives other work a turn after every slice", async () => {
  let pauses = 0;
  const ids = Array.from({ length: 2 * limits.changesIdsSlice + 1 }, (_, at) => String(at));
  const pause = async (): Promise<void> => void pauses++;
  assert.deepEqual(await idsAfter("", 2, objectsOf(ids), pause), ["0", "1"]);
  assert.equal(pauses, 2);
});
