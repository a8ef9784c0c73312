import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { Gate } from "@ledge/testkit";
import { BusyError, PasswordHashes } from "./password-hashes.ts";

test("verifies only the right password, in any Unicode form", async () => {
  const hashes = new PasswordHashes(randomBytes);
  const hash = await hashes.hash("caf\u00e9 au lait");
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[+/A-Za-z0-9]{22}\$[+/A-Za-z0-9]{43}$/);
  assert.equal(await hashes.verify("cafe\u0301 au lait", hash), true);
  assert.equal(await hashes.verify("cafe au lait", hash), false);
  assert.equal(await hashes.verify("cafe au lait", undefined), false);
  assert.notEqual(await hashes.hash("caf\u00e9 au lait"), hash);
});

test("verifies a hash with the cost stored in it", async () => {
  const costs: number[] = [];
  const hashes = new PasswordHashes(randomBytes, ({ memory }) => {
    costs.push(memory);
    return Promise.resolve(Buffer.alloc(32));
  });
  await hashes.verify("x", `$argon2id$v=19$m=8192,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`);
  await hashes.verify("x", "no hash");
  // As for an address without an account.
  await hashes.verify("x", undefined);
  assert.deepEqual(costs, [8192, 19456, 19456]);
});

test("hashes a few passwords at once, queues up to the limit and frees every place", async () => {
  const gate = new Gate();
  gate.close();
  let running = 0;
  let most = 0;
  const hashes = new PasswordHashes(randomBytes, async () => {
    most = Math.max(most, ++running);
    await gate.pass();
    running -= 1;
    return Buffer.alloc(32);
  });
  const all = Array.from({ length: limits.passwordHashes + limits.passwordsWaiting }, () => hashes.hash("x"));
  await setImmediate();
  assert.equal(gate.waiting, limits.passwordHashes);
  await assert.rejects(hashes.hash("x"), BusyError);
  gate.open();
  await Promise.all(all);
  assert.equal(most, limits.passwordHashes);
  await hashes.verify("x", undefined);
  assert.equal(running, 0);
});
