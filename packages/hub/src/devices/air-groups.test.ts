import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import type { AirGroup } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { TestKernel } from "@ledge/testkit";
import { contentOf, openTestKernel } from "@ledge/testkit";
import type { AdapterStatus } from "../adapters/supervisor.ts";
import { createLogger } from "@ledge/host/logger";
import { Notes } from "../notes/notes.ts";
import { reactions } from "../reactions/index.ts";
import { AirGroups } from "./air-groups.ts";

interface Bench extends TestKernel {
  readonly airGroups: AirGroups;
  /** The groups that the adapter received, one entry per call. */
  readonly told: (readonly AirGroup[])[];
  readonly adapter: { status: AdapterStatus; fault: AdapterError | undefined };
  readonly add: (native: string, radio?: string, protocol?: string) => Promise<string>;
  readonly settle: () => Promise<void>;
}

function open(hub = openTestKernel({ reactions }), radios = ["air"]): Bench {
  const { kernel, clock } = hub;
  const told: (readonly AirGroup[])[] = [];
  const adapter = {
    status: { state: "running", failures: 0, reports: 0, reason: null, failure: null } as AdapterStatus,
    offers: { pairing: false, groupcast: radios, protocolCommands: [], requests: [] },
    fault: undefined as AdapterError | undefined,
    async keepGroups(groups: readonly AirGroup[]): Promise<void> {
      told.push(groups);
      if (adapter.fault) throw adapter.fault;
    },
  };
  const logger = createLogger("silent");
  const notes = new Notes(kernel, clock, logger);
  const airGroups = new AirGroups("sim", { kernel, clock, notes, logger }, adapter);
  kernel.subscribe({
    published: ({ events }) => {
      for (const event of events) airGroups.follow(event);
    },
  });
  const add = (native: string, radio = "air", protocol = "sim"): Promise<string> =>
    hub.accept({
      type: "ADD_DEVICE",
      name: native,
      protocol,
      native,
      radio,
      ...contentOf("LIGHT", ["ON_OFF"]),
    });
  return { ...hub, airGroups, told, adapter, add, settle: () => clock.pass(limits.telemetryWindowMs) };
}

const group = (...members: string[]) => ({ type: "CMD_GROUP", name: "All", members });

test("gives a group an address and sends its adapter the members on radios that can cast", async () => {
  const bench = open();
  const { add, kernel, told } = bench;
  const members = [await add("a"), await add("w", "wire"), await add("b"), await add("m", "air", "modbus")];
  const id = await bench.accept(group(...members));
  await bench.settle();
  assert.equal(kernel.get("group", id)?.group_address, 1);
  assert.deepEqual(told.at(-1), [{ id, address: 1, members: ["a", "b"] }]);
});

test("ignores groups with a single member on a radio and groups on radios that cannot cast", async () => {
  for (const [radios, natives] of [
    [["air"], ["a"]],
    [
      ["air", "mist"],
      ["a", "mist"],
    ],
    [[], ["a", "b"]],
  ] as const) {
    const bench = open(undefined, [...radios]);
    const members: string[] = [];
    for (const native of natives) members.push(await bench.add(native, native === "mist" ? "mist" : "air"));
    const id = await bench.accept(group(...members));
    await bench.settle();
    assert.equal(bench.kernel.get("group", id)?.group_address, undefined);
    assert.deepEqual(bench.told.flat(), []);
  }
});

test("sends each change of members once, with all groups, and nothing for other changes", async () => {
  const bench = open();
  const { add, told } = bench;
  const [a, b, c] = [await add("a"), await add("b"), await add("c")];
  const one = await bench.accept(group(a, b));
  const two = await bench.accept(group(b, c));
  await bench.settle();
  told.length = 0;
  const members = (groups: readonly AirGroup[] = []): string[] => groups.map((each) => each.members.join(""));
  await bench.accept({ type: "CMD_GROUP", id: one, name: "Others" });
  await bench.settle();
  assert.equal(told.length, 0);
  await bench.accept({ type: "CMD_GROUP", id: one, members: [a, b, c] });
  await bench.settle();
  await bench.accept({ type: "REMOVE_DEVICE", id: a });
  await bench.settle();
  await bench.accept({ type: "REMOVE_GROUP", id: two });
  await bench.settle();
  assert.deepEqual(told.map(members), [["abc", "bc"], ["bc", "bc"], ["bc"]]);
  await bench.accept({ type: "CMD_GROUP", id: one, members: [b] });
  await bench.settle();
  assert.deepEqual(told.at(-1), []);
});

test("sends all groups again, under the same addresses, when the adapter restarts", async () => {
  const before = open();
  const [a, b] = [await before.add("a"), await before.add("b")];
  const id = await before.accept(group(a, b));
  await before.settle();
  const bench = open(before.restart());
  bench.airGroups.running();
  bench.airGroups.running();
  const all = [{ id, address: 1, members: ["a", "b"] }];
  assert.deepEqual(bench.told, [all, all]);
});

test("sends groups when the adapter runs, and again with the next change if it did not take them", async () => {
  const bench = open();
  const { add, adapter, told } = bench;
  const [a, b, c] = [await add("a"), await add("b"), await add("c")];
  const id = await bench.accept(group(a, b));
  await bench.settle();
  told.length = 0;
  const { status } = adapter;
  adapter.status = { ...status, state: "restarting" };
  await bench.accept({ type: "CMD_GROUP", id, members: [a, c] });
  await bench.settle();
  assert.equal(told.length, 0);
  adapter.status = status;
  adapter.fault = new AdapterError("timeout", "no answer in time");
  bench.airGroups.running();
  await bench.settle();
  adapter.fault = undefined;
  await add("d");
  await bench.settle();
  assert.deepEqual(
    told.map((groups) => groups[0]?.members),
    [
      ["a", "c"],
      ["a", "c"],
    ],
  );
});

test("retries groups that the adapter did not take until it takes them or is stopped", async () => {
  const bench = open();
  const { add, adapter, told, clock } = bench;
  const members = [await add("a"), await add("b")];
  told.length = 0;
  adapter.fault = new AdapterError("timeout", "no answer in time");
  await bench.accept(group(...members));
  await bench.settle();
  assert.equal(told.length, 1);
  await clock.pass(60_000);
  const { length } = told;
  assert.ok(length > 1, "it is told again");
  adapter.fault = undefined;
  await clock.pass(3_600_000);
  assert.equal(told.length, length + 1);
  await clock.pass(3_600_000);
  assert.equal(told.length, length + 1, "it has taken them");

  adapter.fault = new AdapterError("timeout", "no answer in time");
  bench.airGroups.running();
  await bench.settle();
  assert.equal(told.length, length + 2);
  bench.airGroups.stop();
  await clock.pass(3_600_000);
  assert.equal(told.length, length + 2);
});
