import assert from "node:assert/strict";
import { test } from "node:test";
import { limits, scanId } from "@ledge/model";
import type { PairingAction } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { reactions } from "../reactions/index.ts";
import { AdapterPairing } from "./adapter-pairing.ts";

interface Bench extends TestKernel {
  readonly pairing: AdapterPairing;
  readonly told: PairingAction[];
  /** The outcome of `keep`. */
  fault: AdapterError | undefined;
  find(native: string): Promise<string>;
}

function open(offersPairing = true): Bench {
  const hub = openTestKernel({ reactions });
  const told: PairingAction[] = [];
  const adapter = {
    offers: { pairing: offersPairing, groupcast: [], protocolCommands: [], requests: [] },
    pair: async (action: PairingAction): Promise<void> => {
      told.push(action);
      if (action.type === "keep" && bench.fault !== undefined) throw bench.fault;
    },
  };
  const pairing = new AdapterPairing("sim", hub.kernel, adapter, createLogger("silent"));
  hub.kernel.subscribe({
    published: ({ events }) => {
      for (const event of events) pairing.follow(event);
    },
  });
  const bench: Bench = {
    ...hub,
    pairing,
    told,
    fault: undefined,
    async find(native) {
      await hub.accept({ ...note, native });
      const finds = Object.values(hub.kernel.get("scan", scanId)?.finds ?? {});
      return finds.find((each) => each.native === native)?.id ?? "";
    },
  };
  return bench;
}

const scan = { type: "SCAN", durationMs: limits.scanLocalMs };
const description = {
  name: "Lamp",
  radio: "air",
  class: "LIGHT",
  capabilities: ["DEVICE", "ON_OFF"],
  manufacturer: null,
  model: null,
  extras: {},
};
const how = { pairingStatus: "COMPLETE", actionRequired: false, help: null };
const note = { type: "NOTE_FOUND", protocol: "sim", device: null, description, ...how };
const keep = (id: string) => ({ type: "SET_SCAN_RESULT", id, ignored: false });
const openFor = { type: "open", windowMs: limits.scanLocalMs + limits.scanStepMs };

test("tells the adapter to look while the scan runs, and which devices were kept and which not", async () => {
  const bench = open();
  await bench.accept(scan);
  const wanted = await bench.find("a");
  await bench.find("b");
  await bench.accept(keep(wanted));
  await bench.accept({ type: "END_SCAN" });
  await bench.clock.pass(1);
  assert.deepEqual(bench.told, [
    openFor,
    { type: "close" },
    { type: "discard", native: "b" },
    { type: "keep", native: "a" },
  ]);
  assert.equal(bench.kernel.get("device", wanted)?.name, "Lamp");
});

test("ends a scan by its timer when no client refreshes it", async () => {
  const bench = open();
  await bench.accept(scan);
  const wanted = await bench.find("a");
  await bench.accept(keep(wanted));
  await bench.clock.pass(limits.scanLocalMs + 100);
  assert.equal(bench.kernel.size("scan"), 0);
  assert.equal(bench.kernel.size("device"), 1);
  assert.equal(bench.kernel.size("timer"), 0);
});

test("removes a device that its adapter refuses to keep, and raises an alert", async () => {
  for (const [code, devices, alerts] of [
    ["refused", 0, 1],
    // The adapter is told again when it is back.
    ["unreachable", 1, 0],
  ] as const) {
    const bench = open();
    bench.fault = new AdapterError(code, "gone");
    await bench.accept(scan);
    await bench.accept(keep(await bench.find("a")));
    await bench.accept({ type: "END_SCAN" });
    await bench.clock.pass(10);
    assert.deepEqual([bench.kernel.size("device"), bench.kernel.size("alert")], [devices, alerts], code);
  }
});

test("tells a restarted adapter to look again, and to keep devices that it did not announce", async () => {
  const bench = open();
  for (const native of ["a", "b"])
    await bench.accept({ ...description, type: "ADD_DEVICE", protocol: "sim", native });
  const other = { ...description, type: "ADD_DEVICE", protocol: "modbus", native: "c" };
  await bench.accept(other);
  await bench.accept(scan);
  bench.told.length = 0;
  bench.pairing.running(new Set(["a"]));
  const [first, ...others] = bench.told;
  assert.equal(first?.type, "open");
  assert.deepEqual(others, [{ type: "keep", native: "b" }]);
});

test("loses the joins that a restarted adapter has left unfinished, and nothing else", async () => {
  const bench = open();
  await bench.accept(scan);
  await bench.find("complete");
  const joining = { description: null, pairingStatus: "CONNECTING", actionRequired: true };
  for (const protocol of ["sim", "modbus"])
    await bench.accept({ ...note, ...joining, protocol, native: "joining" });
  bench.pairing.running(new Set());
  await bench.clock.pass(1);
  const finds = Object.values(bench.kernel.get("scan", scanId)?.finds ?? {});
  assert.deepEqual(
    finds.map(({ protocol, native }) => `${protocol} ${native}`),
    ["sim complete", "modbus joining"],
  );
});

test("sends nothing to an adapter that cannot pair", async () => {
  const bench = open(false);
  await bench.accept(scan);
  await bench.accept({ type: "END_SCAN" });
  bench.pairing.running(new Set());
  await bench.clock.pass(1);
  assert.deepEqual(bench.told, []);
});
