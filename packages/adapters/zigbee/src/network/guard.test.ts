import assert from "node:assert/strict";
import { test } from "node:test";
import { stickKinds } from "../settings.ts";
import type { Permit } from "./guard.ts";
import { guardSticks, withPermit } from "./guard.ts";

for (const kind of stickKinds)
  test(`the library still has the decision points that are guarded for ${kind} sticks`, async () => {
    await guardSticks(kind);
    await guardSticks(kind);
  });

const options = {
  panID: 0x1a62,
  extendedPanID: [1, 2, 3, 4, 5, 6, 7, 8],
  networkKey: Array.from({ length: 16 }, (_, index) => index),
  channelList: [15],
};

/** The library's code for ember sticks, over a stick inside or outside a network. */
async function emberOver(isInNetwork: boolean, permit: Permit) {
  await guardSticks("ember");
  const { EmberAdapter } = await import("zigbee-herdsman/dist/adapter/ember/adapter/emberAdapter.js");
  const done: string[] = [];
  const ok = async (): Promise<number> => 0;
  const told = { panId: 7, extendedPanId: [9, 9, 9, 9, 9, 9, 9, 9] };
  const notJoined = 0x17;
  const stick = Object.assign(Object.create(EmberAdapter.prototype) as object, {
    networkOptions: withPermit(options, permit),
    backupPath: "/dev/null/none",
    emberSetEzspPolicy: ok,
    emberSetJoinPolicy: ok,
    oneWaitress: { startWaitingForEvent: ok },
    ezsp: {
      ezspNetworkInit: async () => (isInNetwork ? 0 : notJoined),
      ezspGetNetworkParameters: async () => [0, 1, told],
      ezspLeaveNetwork: async () => (done.push("left"), 0),
    },
    formNetwork: async () => void done.push("formed"),
  }) as unknown as { initTrustCenter(): Promise<unknown> };
  return { done, init: () => stick.initTrustCenter() };
}

const refuse: Permit = () => {
  throw new Error("refused");
};

test("an ember stick does not leave its network without permission", async () => {
  const { done, init } = await emberOver(true, refuse);
  await assert.rejects(init, /refused/);
  assert.deepEqual(done, []);
});

test("an ember stick does not form a network without permission", async () => {
  const { done, init } = await emberOver(false, refuse);
  await assert.rejects(init, /refused/);
  assert.deepEqual(done, []);
});

test("with permission an ember stick leaves and forms a network, and reports what it held", async () => {
  const asked: unknown[] = [];
  const { done, init } = await emberOver(true, (...step) => void asked.push(step));
  assert.equal(await init(), "reset");
  assert.deepEqual(done, ["left", "formed"]);
  assert.deepEqual(asked, [
    ["restore", true],
    ["form", true],
  ]);
});
