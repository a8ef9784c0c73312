import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import type { LoggedEvent, RuleConfig } from "@ledge/model";
import { heededBy } from "./heeded.ts";

const report = (id: string, more: object = {}): LoggedEvent => {
  const event = { type: "DeviceReported", id, attributes: { lux: 3 }, at: 1 };
  return { ...event, version: 1, origin: "device", depth: 0, ...more };
};
const rule = { inputs: { motion: ["sensor"] }, outputs: { lights: ["lamp"] } } as object as RuleConfig;

test("skips only plain reports of other devices", async () => {
  const commits: readonly (readonly LoggedEvent[])[] = [
    [report("other")],
    [report("sensor")],
    [report("lamp")],
    [report("other", { attributes: { reachable: false } })],
    [report("other", { origin: "rule:r", cause: "1-0", root: "1-0", depth: 2 })],
    [report("other", { origin: "resync" })],
    [report("other"), report("other")],
    [report("other", { attributes: { text: "x".repeat(600) } })],
    [report("other", { type: "DeviceRenamed", name: "lamp" })],
  ];
  const log = memoryLog();
  for (const [index, events] of commits.entries()) await log.append({ timestamp: index + 1, events });
  const read = [...log.read(0, undefined, heededBy([rule]))].map(({ timestamp }) => timestamp);
  assert.deepEqual(read, [2, 3, 4, 5, 6, 7, 8, 9]);
  await log.close();
});
