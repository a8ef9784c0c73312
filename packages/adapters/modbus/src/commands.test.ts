import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeviceCommand } from "@ledge/port";
import { carryOut } from "./commands.ts";
import type { PlainSettings } from "./settings.ts";
import type { SimulatedRig } from "./testdata/simulated-rig.ts";
import { simulatedRig } from "./testdata/simulated-rig.ts";

/** Three registers too far apart for one read. */
const lamp: PlainSettings = {
  id: "lamp",
  address: 1,
  name: "Lamp",
  deviceType: "REGISTERS",
  class: "LIGHT",
  pollMs: 10_000,
  points: [
    { attribute: "brightness", table: "holding", register: 0, type: "u16", scale: 0.01, writable: true },
    { attribute: "activePower", table: "holding", register: 50, type: "u16" },
    { attribute: "temperature", table: "input", register: 0, type: "u16" },
  ],
};

const brighter: DeviceCommand = { type: "set", attributes: { brightness: 0.9 } };

interface Lamp extends SimulatedRig {
  readonly registers: Map<number, number>;
  /** The delays of the next answers, ms; all others take 5. */
  readonly slow: number[];
  /** Starts a command; `done` becomes true when it succeeds. */
  readonly order: (command: DeviceCommand) => { done: boolean };
  /** Returns the levels reported since the last call. */
  readonly levels: () => readonly unknown[];
}

async function openLamp(): Promise<Lamp> {
  const registers = new Map([
    [0, 10],
    [50, 7],
  ]);
  const slow: number[] = [];
  const rig = await simulatedRig([lamp], (_unit, request) => {
    const ms = slow.shift() ?? 5;
    if (request.table === "input") return { ms, answer: [21] };
    if (request.kind === "read") return { ms, answer: [registers.get(request.register) ?? 0] };
    registers.set(request.register, request.values[0] ?? 0);
    return { ms, answer: [] };
  });
  const { clock, line, poller, devices, reports } = rig;
  const [device] = devices;
  assert.ok(device);
  await clock.pass(100);
  const levels = (): readonly unknown[] =>
    reports.splice(0).flatMap(({ attributes }) => attributes["brightness"] ?? []);
  assert.deepEqual(levels(), [0.1]);
  const order = (command: DeviceCommand): { done: boolean } => {
    const outcome = { done: false };
    void carryOut({ line, poller, device }, command, new AbortController().signal).then(
      () => (outcome.done = true),
    );
    return outcome;
  };
  return { ...rig, registers, slow, order, levels };
}

test("a poll does not report values that it read before a command between its requests", async () => {
  const { clock, registers, slow, order, levels } = await openLamp();
  slow.push(500);
  await clock.pass(9920);
  const outcome = order(brighter);
  await clock.pass(1000);
  assert.equal(outcome.done, true);
  assert.deepEqual(levels(), [0.9]);
  registers.set(0, 30);
  await clock.pass(10_000);
  assert.deepEqual(levels(), [0.3], "the next poll");
});

test("a refresh does not report values that it read before a command between its requests", async () => {
  const { clock, slow, order, levels } = await openLamp();
  slow.push(500);
  const refreshed = order({ type: "refresh" });
  await clock.pass(20);
  const outcome = order(brighter);
  await clock.pass(1000);
  assert.deepEqual([refreshed, outcome], [{ done: true }, { done: true }]);
  assert.deepEqual(levels(), [0.9]);
});

test("an acknowledged command succeeds without a timely read-back, and the next poll reports it", async () => {
  const { clock, slow, order, levels } = await openLamp();
  slow.push(5, 2000);
  const outcome = order(brighter);
  await clock.pass(1004);
  assert.equal(outcome.done, false);
  await clock.pass(2);
  assert.equal(outcome.done, true);
  assert.deepEqual(levels(), []);
  await clock.pass(1000);
  assert.deepEqual(levels(), [0.9]);
});
