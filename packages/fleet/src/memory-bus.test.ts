import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { busContract } from "./contract/index.ts";
import { memoryBus } from "./memory-bus.ts";

const after = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

busContract("a bus in memory", async () => {
  const errors: unknown[] = [];
  const bus = memoryBus({ after, onError: (error) => void errors.push(error) });
  return { bus, errors, dispose: () => bus.close() };
});

test("a busy subscriber loses the oldest messages beyond the limit", async () => {
  const bus = memoryBus({ after, onError: (error) => assert.fail(String(error)) });
  const heard: string[] = [];
  bus.subscribe("reg.1", (key) => void heard.push(key));
  for (let at = 0; at <= limits.busWaiting; at++) bus.publish("reg.1", String(at), new Uint8Array());
  const { promise, resolve } = Promise.withResolvers<void>();
  bus.subscribe("end", () => resolve());
  bus.publish("end", "", new Uint8Array());
  await promise;
  while (heard.at(-1) !== String(limits.busWaiting)) await new Promise(setImmediate);
  assert.deepEqual([heard[0], heard.length], ["1", limits.busWaiting]);
  await bus.close();
});

test("bytes are made once for all subscribers of a topic, and never for nobody", async () => {
  const bus = memoryBus({ after, onError: (error) => assert.fail(String(error)) });
  const made: string[] = [];
  const making = (text: string) => (): Uint8Array => {
    made.push(text);
    return new Uint8Array();
  };
  bus.publish("reg.1", "d1", making("early"));
  const leaves = [bus.subscribe("reg.1", () => {}), bus.subscribe("reg.1", () => {})];
  bus.publish("reg.2", "d1", making("elsewhere"));
  bus.publish("reg.1", "d1", making("one"));
  for (const leave of leaves) leave();
  bus.publish("reg.1", "d1", making("late"));
  assert.deepEqual(made, ["one"]);
  await bus.close();
});
