import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel } from "@ledge/testkit";
import { reactions } from "./index.ts";

const text = { id: "MESSAGE", parameters: { text: "x" } };
const send = (sourceId: string) => {
  return { type: "SEND_MESSAGE", channels: ["journal"], to: [], level: "info", text, sourceId };
};
const alarms = ({ kernel }: TestKernel): unknown[] =>
  [...kernel.all("alarm")].map(([, { kind, sourceId, name, count }]) => [kind, sourceId, name, count]);

test("raises one alarm with the count of messages that a source could not send, then forgets it", async () => {
  const hub = openTestKernel({ reactions });
  for (let n = 0; n < limits.messageBurst + 3; n++) await hub.submit(send("rule-1"));
  assert.equal(hub.kernel.size("message"), limits.messageBurst);
  assert.deepEqual(alarms(hub), []);
  const fullMs = limits.messageBurst * limits.messageRefillMs;
  await hub.clock.pass(2 * fullMs + 1000);
  assert.deepEqual(alarms(hub), [["MESSAGES_HELD_BACK", "rule-1", "rule-1", 3]]);
  assert.deepEqual([hub.kernel.size("sender"), hub.kernel.size("timer")], [0, 0]);
});

test("forgets a source that stayed within its budget, without an alarm", async () => {
  const hub = openTestKernel({ reactions });
  await hub.submit(send("rule-1"));
  await hub.clock.pass(limits.messageRefillMs + 1000);
  assert.deepEqual([alarms(hub), hub.kernel.size("sender"), hub.kernel.size("timer")], [[], 0, 0]);
});

test("counts messages that were dropped because too many waited in one alarm", async () => {
  const hub = openTestKernel({ reactions });
  const home = await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  for (let n = 0; n < limits.messagesQueued + 2; n++) await hub.submit(send(`rule-${n}`));
  assert.equal(hub.kernel.size("message"), limits.messagesQueued);
  assert.deepEqual(alarms(hub), [["MESSAGES_LOST", home, "Home", 2]]);
});
