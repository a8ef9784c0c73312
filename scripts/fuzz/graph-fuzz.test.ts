import assert from "node:assert/strict";
import { test } from "node:test";
import { graphRows } from "@ledge/cloud/graph";
import { seeded } from "../crash/random.ts";
import { fuzzGraph, graphRequestFor, problemsOf } from "./graph-fuzz.ts";

test("a short run: Graph copes with hostile envelopes and fields of every type", async () => {
  const cases = graphRows.length * 3;
  const result = await fuzzGraph({ cases, seed: "short", tell: () => {} });
  assert.deepEqual(result.failures, []);
  assert.equal(result.cases, cases);
  for (const status of ["200", "400", "401", "413", "422"]) assert.ok(result.byStatus[status], status);
});

const [row = assert.fail()] = graphRows;
const request = graphRequestFor(row, { random: seeded("1"), ids: ["a", "b"] });

test("a seed determines the requests, and each type is sent in many ways", () => {
  const kinds = new Set<string>();
  for (let index = 0; index < 200; index++) {
    const made = (): ReturnType<typeof graphRequestFor> =>
      graphRequestFor(row, { random: seeded(`${index}`), ids: ["a"] });
    assert.deepEqual(made(), made());
    kinds.add(made().kind);
  }
  assert.ok(kinds.size > 10, [...kinds].join());
});

test("reports what a cloud does wrong", () => {
  const head = ["Content-Type: application/problem+json"];
  const as = (asker: typeof request.asker, sent: object, changed: readonly string[] = []): string =>
    problemsOf(
      { ...request, asker, kind: "plain" },
      { status: 200, head: [], body: "{}", ...sent },
      changed,
    ).join(";");
  const good = {
    result: { type: `${row.type}Result` },
    traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
  };
  const body = JSON.stringify(good);
  const fault = JSON.stringify({ ...good, result: { ...good.result, error: { code: "E_UNKNOWN" } } });
  assert.equal(as("owner", { status: 401, head }), "");
  assert.match(as("owner", { status: 500, head }), /^500/);
  assert.match(as("owner", { status: 401 }), /without problem details/);
  assert.match(as("owner", { status: undefined }), /no answer/);
  assert.match(as("nobody", { body }), /nobody was answered/);
  assert.match(as("owner", { body: fault }), /a fault/);
  assert.match(as("owner", { body: JSON.stringify({ ...good, traceparent: 7 }) }), /no traceparent/);
  assert.match(as("other", { status: 401, head }, ["hub a"]), /other has changed: hub a/);
});
