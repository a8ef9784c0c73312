import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { Digests } from "../keys/digests.ts";
import { SignedSessions } from "./hub-sessions.ts";

const clock = new SimulatedClock();
const sessions = (key = "a key"): SignedSessions =>
  new SignedSessions(() => clock.wall(), clock, new Digests(Buffer.from(key).toString("base64url")));
const process = { hubId: "hub", generation: 2, instance: "run", x: "x".repeat(43) };

test("a nonce that one process has signed is valid once at another one, for its hub, and for a while", async () => {
  const [here, there] = [sessions(), sessions()];
  const nonce = here.challenge("hub", "code");
  assert.equal(there.take(nonce, "other"), false);
  assert.deepEqual([there.take(nonce, "hub"), there.take(nonce, "hub")], [true, false]);
  assert.equal(there.take(nonce.replace("code", "edoc"), "hub"), false);
  assert.equal(sessions("another key").take(nonce, "hub"), false);
  const [code = "", until = "", digest = ""] = here.challenge("hub", "late").split(".");
  assert.equal(there.take([code, Number(until) + 1, digest].join("."), "hub"), false);
  await clock.pass(limits.challengeMs);
  assert.equal(there.take([code, until, digest].join("."), "hub"), false);
});

test("a session that one process has opened is known to another one until it expires", async () => {
  const token = sessions().begin(process, "code");
  assert.ok(token.length < limits.tokenChars);
  assert.deepEqual(sessions().find(token), process);
  for (const forged of ["", ".", "code", `x${token}`, `${token}x`, token.slice(0, -1)])
    assert.equal(sessions().find(forged), undefined, forged);
  assert.equal(sessions("another key").find(token), undefined);
  await clock.pass(limits.hubSessionMs);
  assert.equal(sessions().find(token), undefined);
});
