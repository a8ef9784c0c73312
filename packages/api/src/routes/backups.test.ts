import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { Backups } from "../ports.ts";
import { Refused } from "../refused.ts";
import { openTestHub } from "../test-hub.ts";

test("POST /hub/backup takes a passphrase of one line that is neither short nor endless", async () => {
  const given: string[] = [];
  const kept = { name: "asked-1.ledge", at: 1, release: "0.2.0", bytes: 6, hasSecrets: true };
  const backups: Backups = {
    list: () => [],
    make: async (passphrase) => {
      given.push(passphrase);
      return given.length > 2 ? new Refused(429, "a backup is being made", [], 5) : kept;
    },
    read: () => undefined,
  };
  const hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { backups } });
  const owner = await hub.sign();
  const api = hub.api("local");
  const make = async (passphrase: unknown): Promise<number> =>
    (await api.send("POST", "/hub/backup", owner, { passphrase })).status;
  const { backupPassphraseChars: least, backupPassphraseMostChars: most } = limits;
  for (const wrong of [undefined, 12_345_678, "x".repeat(least - 1), "x".repeat(most + 1), "two\nlines now"])
    assert.equal(await make(wrong), 422, String(wrong).slice(0, 20));
  assert.deepEqual(given, []);
  for (const right of ["x".repeat(least), "ä".repeat(most)]) assert.equal(await make(right), 200);
  assert.equal(await make("while another is made"), 429);
  assert.equal((await api.send("GET", "/hub/backup?name=none", owner)).status, 404);
  const remote = await hub.api("remote").send("GET", "/hub/backups", owner);
  assert.equal(remote.status, 403);
});
