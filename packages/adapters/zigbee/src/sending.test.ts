import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import type { Models } from "zigbee-herdsman";
import { Hearing } from "./hearing.ts";
import type { ZclAction } from "./map/index.ts";
import { nodeFacts } from "./map/test-node.ts";
import { Node } from "./nodes.ts";
import { Radio } from "./radio.ts";
import { Refusals } from "./refusals.ts";
import { Sending } from "./sending.ts";
import { controllerOf } from "./test-controller.ts";
import { roomPausesMs, StickWindow } from "./window.ts";

const full = new Error("Data request failed with error: 'BUFFER_FULL' (0x11)");
const lamp = new Node(nodeFacts([{ device: 0x0100, in: [6] }]));
const switched = (name: "on" | "off"): ZclAction => {
  return { kind: "command", endpoint: 1, cluster: "genOnOff", name, payload: {} };
};

/** A stick without room for the first frames, which are lost; `sent` are the ones that it took. */
function stage(lost: number, certain?: Promise<void>) {
  const clock = new SimulatedClock();
  const radio = new Radio();
  const sent: string[] = [];
  let left = lost;
  const command = async (_cluster: string, name: string): Promise<void> => {
    left -= 1;
    if (left >= 0) throw full;
    sent.push(name);
  };
  const device = { getEndpoint: () => ({ command }) } as unknown as Models.Device;
  radio.opened(controllerOf({ getDeviceByIeeeAddr: () => device }));
  const [hearing, refusals, window] = [new Hearing(), new Refusals(), new StickWindow(undefined)];
  const sending = new Sending(clock, radio, hearing, refusals, { certain: () => certain }, window, () => {});
  return { clock, sending, sent };
}

test("sends a frame again after a pause when the stick had no room for it", async () => {
  const { clock, sending, sent } = stage(2);
  const done = sending.once(lamp, switched("on"), new AbortController().signal);
  await clock.pass(60);
  await done;
  assert.deepEqual(sent, ["on"]);
});

test("does not send a cancelled frame after its pause: a newer command may have been sent", async () => {
  const { clock, sending, sent } = stage(1);
  const superseded = new AbortController();
  const off = sending.once(lamp, switched("off"), superseded.signal);
  await clock.pass(0);
  superseded.abort();
  await assert.rejects(off, { code: "cancelled" });
  await sending.once(lamp, switched("on"));
  await clock.pass(roomPausesMs.reduce((all, each) => all + each));
  assert.deepEqual(sent, ["on"]);
  assert.equal(clock.waiting, 0);
});

test("does not send a frame that was cancelled while the address of its device was uncertain", async () => {
  const certain = Promise.withResolvers<void>();
  const { clock, sending, sent } = stage(0, certain.promise);
  const superseded = new AbortController();
  const off = sending.once(lamp, switched("off"), superseded.signal);
  superseded.abort();
  await assert.rejects(off, { code: "cancelled" });
  certain.resolve();
  await clock.pass(0);
  assert.deepEqual(sent, []);
});
