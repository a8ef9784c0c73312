import assert from "node:assert/strict";
import { test } from "node:test";
import { timeOf } from "./time.ts";

const now = Date.UTC(2026, 0, 10);

test("a time is ms, a date, or so long ago", () => {
  const times = ["0", "1700000000000", "2026-01-09T00:00:00Z", "90m", "-24h", "7d", "1w", "30s"];
  assert.deepEqual(
    times.map((text) => timeOf(text, "--from", now)),
    [
      0,
      1_700_000_000_000,
      now - 86_400_000,
      now - 5_400_000,
      now - 86_400_000,
      now - 604_800_000,
      now - 604_800_000,
      now - 30_000,
    ],
  );
});

for (const text of ["", "soon", "1y", "-5", "99999999w", "1e99", "1700000000000.5"]) {
  test(`"${text}" is no time`, () => {
    assert.throws(() => timeOf(text, "--from", now), { name: "CliError", message: /--from .* is no time/ });
  });
}
