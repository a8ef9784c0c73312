import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneHeaders, cloneRefusalIn } from "./clone.ts";

test("cloneRefusalIn reads what cloneHeaders wrote", () => {
  for (const refusal of [
    { kind: "older", newest: 1_764_000_000_000 },
    { kind: "same", newest: 0 },
    { kind: "older", newest: Number.MAX_SAFE_INTEGER },
  ] as const)
    assert.deepEqual(cloneRefusalIn(cloneHeaders(refusal)), refusal);
});

test("cloneRefusalIn ignores other refusals", () => {
  const others = [undefined, "", "older", "older x", "older -1", "newer 1", `same ${2 ** 53}`, "same 1e3"];
  for (const said of others)
    assert.equal(cloneRefusalIn({ ...(said !== undefined && { "ledge-clone": said }) }), undefined, said);
});
