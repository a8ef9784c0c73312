import assert from "node:assert/strict";
import { test } from "node:test";
import { liveMonth } from "../testdata/month.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

test(`a process that dies again and again gives the same commands as one that does not (SEED=${seed})`, async () => {
  const { differing, twice, isRebuilt, rules, commands, drops } = await liveMonth(
    { days: 3, drops: 36, seed },
    () => {},
  );
  assert.deepEqual([differing, twice, isRebuilt], [[], [], true]);
  assert.equal(drops, 36);
  assert.ok(rules >= 12, `${rules} rules`);
  assert.ok(commands > 20, `${commands} commands`);
});
