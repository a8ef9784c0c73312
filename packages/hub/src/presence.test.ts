import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { openTestKernel } from "@ledge/testkit";
import { Presence } from "./presence.ts";

const profile = { email: "a@example.org", nickname: "a", phone: null, role: 8 };

test("a user who polls is connected, and no longer once the polls stop", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  const presence = new Presence(kernel, clock);
  presence.polled(id);
  await clock.pass(limits.telemetryWindowMs);
  assert.equal(kernel.get("user", id)?.connected, true);
  const connected = kernel.timestamp;
  for (let polls = 0; polls < 20; polls++) {
    presence.polled(id);
    await clock.pass(2000);
  }
  assert.equal(kernel.timestamp, connected, "polls are no events");
  await clock.pass(limits.presenceMs * 1.5);
  assert.equal(kernel.get("user", id)?.connected, false);
  presence.stop();
});

test("a user who was connected when the hub stopped is disconnected if they do not come back", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  await accept({ type: "SET_USER_CONNECTED", id, connected: true });
  const presence = new Presence(kernel, clock);
  await clock.pass(limits.presenceMs * 1.5);
  assert.equal(kernel.get("user", id)?.connected, false);
  presence.stop();
});

test("a poll by somebody whom the hub does not know is nothing to it", async () => {
  const { kernel, clock } = openTestKernel();
  const presence = new Presence(kernel, clock);
  presence.polled("stranger");
  await clock.pass(1000);
  assert.equal(kernel.timestamp, 0);
  presence.stop();
});
