import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kernel, Submission } from "@ledge/kernel";
import { limits, uiDevices } from "@ledge/model";
import { openTestKernel } from "@ledge/testkit";
import { Presence } from "./presence.ts";

const profile = { email: "a@example.org", nickname: "a", phone: null, role: 8 };

test("a polling user is connected until the polls stop", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  const presence = new Presence(kernel, clock);
  presence.polled(id, null);
  await clock.pass(limits.telemetryWindowMs);
  assert.equal(kernel.get("user", id)?.connected, true);
  const connected = kernel.timestamp;
  for (let polls = 0; polls < 20; polls++) {
    presence.polled(id, null);
    await clock.pass(2000);
  }
  assert.equal(kernel.timestamp, connected, "polls are no events");
  await clock.pass(limits.presenceMs * 1.5);
  assert.equal(kernel.get("user", id)?.connected, false);
  presence.stop();
});

test("a user who was connected at the stop is disconnected if they do not come back", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  await accept({ type: "SET_USER_CONNECTED", id, connected: true });
  const presence = new Presence(kernel, clock);
  await clock.pass(limits.presenceMs * 1.5);
  assert.equal(kernel.get("user", id)?.connected, false);
  presence.stop();
});

test("a user without a language gets the first one that a client of theirs asks for", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  const presence = new Presence(kernel, clock);
  const spokenNow = (): unknown => kernel.get("user", id)?.user_info.user.language;
  presence.polled(id, null, null);
  await clock.pass(1000);
  assert.equal(spokenNow(), undefined);
  presence.polled(id, "phone", "fi");
  await clock.pass(1000);
  assert.equal(spokenNow(), "fi");
  const { timestamp } = kernel;
  for (const language of ["sv", "fi", "de"] as const) presence.polled(id, "phone", language);
  await clock.pass(1000);
  assert.deepEqual([spokenNow(), kernel.timestamp], ["fi", timestamp]);
  presence.stop();
});

test("ignores polls of unknown users", async () => {
  const { kernel, clock } = openTestKernel();
  const presence = new Presence(kernel, clock);
  presence.polled("stranger", "c");
  await clock.pass(1000);
  assert.equal(kernel.timestamp, 0);
  presence.stop();
});

const uiOf = (kernel: Kernel): unknown[] =>
  uiDevices(kernel).map(({ user, client, session, reachable }) => [user, client, session, reachable]);

test("a client has a session while it polls, and its user stays at home for a while after", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  const presence = new Presence(kernel, clock);
  for (let polls = 0; polls < 20; polls++) {
    for (const client of ["phone", "tablet"]) presence.polled(id, client);
    await clock.pass(2000);
  }
  assert.deepEqual(uiOf(kernel), [
    [id, "phone", true, true],
    [id, "tablet", true, true],
  ]);
  const quiet = kernel.timestamp;
  for (let polls = 0; polls < 8; polls++) {
    presence.polled(id, "phone");
    await clock.pass(2000);
  }
  await clock.pass(limits.presenceMs / 2);
  assert.ok(kernel.timestamp > quiet);
  assert.deepEqual(uiOf(kernel), [
    [id, "phone", true, true],
    [id, "tablet", false, true],
  ]);
  await clock.pass(limits.awayThresholdMs - limits.presenceMs * 2);
  assert.deepEqual(uiOf(kernel)[0], [id, "phone", false, true]);
  await clock.pass(limits.presenceMs * 2);
  assert.deepEqual(uiOf(kernel)[0], [id, "phone", false, false]);
  presence.polled(id, "phone");
  await clock.pass(1000);
  assert.deepEqual(uiOf(kernel)[0], [id, "phone", true, true]);
  presence.stop();
});

test("records the time of a client's last poll, even when it is written later", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  const presence = new Presence(kernel, clock);
  presence.polled(id, "phone");
  await clock.pass(2000);
  presence.polled(id, "phone");
  const at = Math.round(clock.wall());
  await clock.pass(limits.presenceMs * 1.5);
  const [device] = uiDevices(kernel);
  assert.deepEqual([device?.session, device?.seen], [false, at]);
  presence.stop();
});

test("a user is away when the client has been silent for as long as the user has set", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  const presence = new Presence(kernel, clock);
  const reachable = (): unknown => uiDevices(kernel)[0]?.reachable;
  presence.polled(id, "phone");
  await clock.pass(1000);
  const device = uiDevices(kernel)[0]?.id ?? "";
  const say = (awayThreshold: number): Promise<string> =>
    accept({ type: "CMD_DEVICE_META", id: device, awayThreshold });
  await say(2 * limits.awayThresholdMs);
  await clock.pass(limits.awayThresholdMs + 60_000);
  assert.equal(reachable(), true);
  await say(limits.awayThresholdMs);
  await clock.pass(limits.presenceMs);
  assert.equal(reachable(), false);
  await say(limits.awayThresholdMinMs);
  presence.polled(id, "phone");
  await clock.pass(limits.awayThresholdMinMs - limits.presenceMs);
  assert.equal(reachable(), true);
  await clock.pass(limits.presenceMs * 2);
  assert.equal(reachable(), false);
  presence.stop();
});

test("polls of a client with a session make no events", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  const presence = new Presence(kernel, clock);
  presence.polled(id, "phone");
  await clock.pass(1000);
  const { timestamp } = kernel;
  for (let polls = 0; polls < 50; polls++) {
    presence.polled(id, "phone");
    await clock.pass(2000);
  }
  assert.equal(kernel.timestamp, timestamp);
  presence.stop();
});

test("ends a session that was open at the stop if its client does not come back", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  const before = new Presence(kernel, clock);
  before.polled(id, "phone");
  await clock.pass(1000);
  before.stop();
  const presence = new Presence(kernel, clock);
  await clock.pass(limits.presenceMs * 1.5);
  assert.deepEqual(uiOf(kernel), [[id, "phone", false, true]]);
  presence.stop();
});

test("knows at most the limit of clients per user, even when ids are made up", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  const presence = new Presence(kernel, clock);
  const flood = async (name: string): Promise<void> => {
    for (let n = 0; n < limits.uiDevicesPerUser * 3; n++) presence.polled(id, `${name}${n}`);
    await clock.pass(1000);
  };
  await flood("a");
  assert.equal(uiDevices(kernel).length, limits.uiDevicesPerUser);
  await clock.pass(limits.presenceMs * 1.5);
  await flood("b");
  const known = uiDevices(kernel);
  assert.equal(known.length, limits.uiDevicesPerUser);
  assert.ok(known.every(({ client, session }) => client.startsWith("b") && session));
  presence.stop();
});

test("retries a note that the kernel refused", async () => {
  const { kernel, clock, accept } = openTestKernel();
  const id = await accept({ type: "ADD_USER", id: "u1", ...profile });
  let refuses = true;
  const full: Kernel = Object.create(kernel, {
    submit: {
      value: (given: Submission) => (refuses ? Promise.reject(new Error("full")) : kernel.submit(given)),
    },
    all: { value: kernel.all.bind(kernel) },
    get: { value: kernel.get.bind(kernel) },
  }) as Kernel;
  const presence = new Presence(full, clock);
  presence.polled(id, "phone");
  await clock.pass(1000);
  refuses = false;
  presence.polled(id, "phone");
  await clock.pass(1000);
  assert.deepEqual(uiOf(kernel), [[id, "phone", true, true]]);
  assert.equal(kernel.get("user", id)?.connected, true);
  refuses = true;
  await clock.pass(limits.presenceMs * 1.5);
  refuses = false;
  await clock.pass(limits.presenceMs);
  assert.deepEqual(uiOf(kernel), [[id, "phone", false, true]]);
  assert.equal(kernel.get("user", id)?.connected, false);
  presence.stop();
});
