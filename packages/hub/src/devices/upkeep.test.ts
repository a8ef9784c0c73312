import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import type { AdapterRequest } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { TestKernel } from "@ledge/testkit";
import { contentOf, openTestKernel, setting, upgradeAvailable } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { reactions } from "../reactions/index.ts";
import { CommandChains } from "./command-chains.ts";
import { Upkeep } from "./upkeep.ts";

interface Asked {
  readonly request: AdapterRequest;
  /** Settles the adapter's answer. */
  readonly end: (error?: AdapterError) => void;
}

interface Bench extends TestKernel {
  readonly upkeep: Upkeep;
  readonly asked: Asked[];
  readonly id: string;
  /** Resolves when the adapter has kept its new devices; undefined when it has all of them. */
  keeping: Promise<unknown> | undefined;
}

const items = [setting("lock", "BOOL"), setting("title", "TEXT")];
const device = {
  type: "ADD_DEVICE",
  name: "Thermostat",
  protocol: "sim",
  native: "t",
  radio: "air",
  ...contentOf("THERMOSTAT", ["DEVICE", "CONFIGURABLE", "UPGRADE"]),
};

async function open(protocol = "sim", follows = true): Promise<Bench> {
  const hub = openTestKernel({ reactions });
  const { kernel } = hub;
  const asked: Asked[] = [];
  const adapter = {
    request: (request: AdapterRequest): Promise<unknown> =>
      new Promise((resolve, reject) =>
        asked.push({ request, end: (error) => (error === undefined ? resolve(true) : reject(error)) }),
      ),
  };
  const chains = new CommandChains();
  const notes = { note: async () => assert.fail("nothing is read-only") };
  const logger = createLogger("silent");
  const upkeep = new Upkeep(protocol, { kernel, chains, notes, logger }, adapter, () => bench.keeping);
  if (follows) {
    kernel.subscribe({
      decided: (timestamp, firstIndex, events) => chains.follow(timestamp, firstIndex, events),
      published: ({ events }) => {
        for (const event of events) upkeep.follow(event);
      },
    });
  }
  await hub.accept(device);
  const [[id] = [""]] = [...kernel.all("device")];
  await hub.accept({ type: "DESCRIBE_CONFIGURATION", id, items, values: {} });
  await hub.accept({ type: "NOTE_UPGRADE", id, upgrade: upgradeAvailable });
  const bench: Bench = { ...hub, upkeep, asked, id, keeping: undefined };
  return bench;
}

const set = ({ id }: Bench, parameters: object) => ({ type: "CONFIGURATION", id, parameters });
const logged = ({ kernel }: Bench, type: string): LoggedEvent[] =>
  [...kernel.log.read()].flatMap(({ events }) => events.filter((event) => event.type === type));

async function answered(bench: Bench, place: number, error?: AdapterError): Promise<void> {
  bench.asked[place]?.end(error);
  await bench.clock.pass(1);
}

test("sends settings one change at a time, and applies each when the adapter has taken it", async () => {
  const bench = await open();
  const { asked, kernel, id } = bench;
  await bench.accept(set(bench, { lock: true }));
  await bench.accept(set(bench, { title: "Hall" }));
  await bench.clock.pass(1);
  assert.deepEqual(
    asked.map(({ request }) => request),
    [{ type: "SET_CONFIGURATION", native: "t", parameters: { lock: true } }],
  );
  assert.deepEqual(kernel.get("configuration", id)?.values, {});
  await answered(bench, 0);
  assert.deepEqual(kernel.get("configuration", id)?.values, { lock: true });
  assert.equal(asked.length, 2);
  await answered(bench, 1, new AdapterError("refused", "title: too long"));
  const { values, pending, failure } = kernel.get("configuration", id) ?? {};
  assert.deepEqual([values, pending, failure?.message], [{ lock: true }, [], "title: too long"]);
});

test("holds back settings of a new device until its adapter has kept it", async () => {
  const bench = await open();
  const kept = Promise.withResolvers<void>();
  bench.keeping = kept.promise;
  await bench.accept(set(bench, { lock: true }));
  await bench.clock.pass(1);
  assert.equal(bench.asked.length, 0);
  kept.resolve();
  await bench.clock.pass(1);
  assert.equal(bench.asked.length, 1);
});

test("records the change as the cause of its outcome, with the same origin", async () => {
  const bench = await open();
  await bench.kernel.submit({
    commands: [set(bench, { lock: true })],
    origin: "user:ann",
    cause: "request:r1",
  });
  await answered(bench, 0);
  const [requested] = logged(bench, "ConfigurationRequested");
  const [applied] = logged(bench, "ConfigurationApplied");
  assert.deepEqual(
    [requested?.cause, applied?.root, applied?.origin],
    ["request:r1", "request:r1", "user:ann"],
  );
  assert.match(applied?.cause ?? "", /^\d+-\d+$/);
});

test("ignores devices of other protocols", async () => {
  const bench = await open("modbus");
  await bench.accept(set(bench, { lock: true }));
  await bench.accept({ type: "CMD_START_UPGRADE", id: bench.id });
  bench.upkeep.running();
  await bench.clock.pass(1);
  assert.deepEqual(bench.asked, []);
});

test("sends waiting settings once when the adapter restarts, but not an upgrade that may have begun", async () => {
  const bench = await open("sim", false);
  const { kernel, id, upkeep, asked } = bench;
  await bench.accept(set(bench, { lock: true }));
  await bench.accept({ type: "CMD_START_UPGRADE", id });
  upkeep.running();
  upkeep.running();
  await bench.clock.pass(1);
  assert.deepEqual(
    asked.map(({ request }) => request.type),
    ["SET_CONFIGURATION"],
  );
  await answered(bench, 0);
  assert.deepEqual(kernel.get("configuration", id)?.values, { lock: true });
  const { requested, lost } = kernel.get("upgrade", id) ?? {};
  assert.equal(requested, null);
  assert.match(lost ?? "", /was stopped/);
});

test("fails an upgrade that was under way when the adapter started", async () => {
  const { accept, clock, kernel, id, upkeep } = await open("sim", false);
  await accept({ type: "NOTE_UPGRADE", id, upgrade: { ...upgradeAvailable, status: "INSTALLING" } });
  upkeep.running();
  await clock.pass(1);
  assert.match(kernel.get("upgrade", id)?.lost ?? "", /was stopped/);
});

test("starts an upgrade, or records the refusal of the device", async () => {
  const bench = await open();
  const { kernel, id, asked } = bench;
  const start = { type: "CMD_START_UPGRADE", id };
  await bench.accept(start);
  await bench.clock.pass(1);
  assert.deepEqual(asked[0]?.request, { type: "START_UPGRADE", native: "t" });
  await answered(bench, 0, new AdapterError("refused", "low battery"));
  assert.equal(kernel.get("upgrade", id)?.refusal, "low battery");
  await bench.accept(start);
  await answered(bench, 1);
  assert.notEqual(kernel.get("upgrade", id)?.requested, null);
  await bench.accept({
    type: "NOTE_UPGRADE",
    id,
    upgrade: { ...upgradeAvailable, status: "INSTALLING", pctComplete: 1 },
  });
  assert.equal(kernel.get("upgrade", id)?.requested, null);
});

test("drops requests for a device that is removed meanwhile, together with its settings", async () => {
  const bench = await open();
  const { kernel, id } = bench;
  await bench.accept(set(bench, { lock: true }));
  await bench.accept(set(bench, { lock: false }));
  await bench.accept({ type: "REMOVE_DEVICE", id });
  await answered(bench, 0);
  assert.equal(bench.asked.length, 1);
  assert.deepEqual([kernel.get("configuration", id), kernel.get("upgrade", id)], [undefined, undefined]);
});
