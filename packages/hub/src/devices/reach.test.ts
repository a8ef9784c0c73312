import assert from "node:assert/strict";
import { test } from "node:test";
import { SimAdapter } from "@ledge/adapter-sim";
import { limits } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { reactions } from "../reactions/index.ts";
import { Intake } from "./intake.ts";
import { Natives } from "./natives.ts";
import { SeenNotes } from "./seen-notes.ts";

/** The simulated home behind a kernel with all reactions, on one simulated clock. */
interface Home extends TestKernel {
  readonly adapter: SimAdapter;
  /** The sources of the open alarms, by name, in order. */
  readonly told: () => string[];
}

const enough = limits.unreachableMs + 10_000;

async function simulatedHome(hub: TestKernel = openTestKernel({ reactions })): Promise<Home> {
  const { kernel, clock, accept } = hub;
  const seen = new SeenNotes(kernel, clock);
  const intake = new Intake("sim", kernel, new Natives(kernel), seen, createLogger("silent"));
  const adapter = new SimAdapter();
  const values = new Map<string, unknown>();
  await adapter.start({
    settings: { remember: false },
    clock,
    announce: (device) => void intake.announce(device),
    report: (report) => void intake.report(report),
    found: () => {},
    lost: () => {},
    trouble: () => {},
    folder: "/nowhere",
    store: { get: (key) => values.get(key), put: async (key, value) => void values.set(key, value) },
    log: () => {},
  });
  await accept({ type: "NOTE_ADAPTER", id: "sim", state: "running", reason: null });
  await clock.pass(2000);
  kernel.settled();
  const told = (): string[] =>
    [...kernel.all("alarm")]
      .flatMap(([, { kind, name, closed }]) => (closed ? [] : [`${kind} ${name}`]))
      .toSorted();
  return { ...hub, adapter, told };
}

test("raises an alarm for each lamp without power and closes it when the lamp is back", async () => {
  const { adapter, clock, told } = await simulatedHome();
  assert.deepEqual(told(), []);
  await clock.pass(enough);
  const before = told();
  assert.equal(before.length, 1);
  adapter.perform({ native: "hallway/motion", action: "unplug" });
  await clock.pass(enough);
  assert.equal(told().length, 2);
  adapter.perform({ native: "hallway/motion", action: "plug" });
  await clock.pass(2000);
  assert.deepEqual(told(), before);
  await adapter.stop();
});

test("raises one alarm for an unplugged radio and closes it when the radio is back", async () => {
  const { adapter, clock, told } = await simulatedHome();
  await clock.pass(enough);
  const before = told();
  adapter.perform({ native: "air", action: "unplug" });
  await clock.pass(enough);
  assert.deepEqual(told(), ["RADIO_UNREACHABLE air"]);
  adapter.perform({ native: "air", action: "plug" });
  await clock.pass(2000);
  assert.deepEqual(told(), []);
  await clock.pass(enough);
  assert.deepEqual(told(), before);
  await adapter.stop();
});

test("raises only the adapter's own alarm when an adapter fails", async () => {
  const { adapter, accept, clock, told } = await simulatedHome();
  await clock.pass(enough);
  const before = told();
  adapter.perform({ native: "wire", action: "unplug" });
  await clock.pass(2000);
  await adapter.stop();
  const ended = { type: "NOTE_ADAPTER", id: "sim", reason: "exit code 7", failure: "exit" };
  await accept({ ...ended, state: "failed" });
  await clock.pass(enough);
  assert.deepEqual(told(), ["ADAPTER_FAILED sim", ...before]);
  await accept({ ...ended, state: "resting" });
  await clock.pass(enough);
  assert.deepEqual(told(), ["ADAPTER_RESTING sim"]);
});

test("raises no alarm while the radio ignores reachability", async () => {
  const { adapter, clock, told } = await simulatedHome();
  await clock.pass(enough);
  assert.equal(told().length, 1);
  const { signal } = new AbortController();
  await adapter.requests["SET_ZIGBEE"]?.({ type: "SET_ZIGBEE", ignore_reachability: true }, signal);
  adapter.perform({ native: "air", action: "unplug" });
  await clock.pass(enough);
  assert.deepEqual(told(), []);
  await adapter.stop();
});
