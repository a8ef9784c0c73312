import assert from "node:assert/strict";
import { test } from "node:test";
import type { Report } from "@ledge/port";
import { SimulatedClock } from "@ledge/testkit";
import { Addresses } from "./addresses.ts";
import { Chores } from "./chores.ts";
import { Hearing } from "./hearing.ts";
import type { NodeFacts, Unit } from "./map/index.ts";
import { unitsOf } from "./map/index.ts";
import { Node, Nodes } from "./nodes.ts";
import { Orders } from "./orders.ts";
import { Radio } from "./radio.ts";
import { Refusals } from "./refusals.ts";
import { Reports } from "./reports.ts";
import { Sending } from "./sending.ts";
import { StickWindow } from "./window.ts";

const ieee = "0x000b57fffe000001";

const sirenDevice = 0x0403;
const warning = 0x0502;

/** A store that outlives an adapter. */
class Shelf {
  readonly stored = new Map<string, unknown>();
  readonly clock = new SimulatedClock();

  nodes(): Nodes {
    const store = {
      get: (key: string) => this.stored.get(key),
      put: async (key: string, value: unknown) => void this.stored.set(key, structuredClone(value)),
    };
    return new Nodes({
      host: { store, log: () => {} },
      said: () => {},
      changed: () => {},
      definitions: Promise.resolve([]),
    });
  }
}

interface Stage {
  readonly clock: SimulatedClock;
  readonly orders: Orders;
  readonly node: Node;
  readonly unit: Unit;
  readonly nodes: Nodes;
  readonly said: Report[];
}

function stage(device: number, input: readonly number[], shelf = new Shelf()): Stage {
  const { clock } = shelf;
  const nodes = shelf.nodes();
  const said: Report[] = [];
  const radio = new Radio();
  const reports = new Reports({ clock, report: (report) => void said.push(report) });
  const chores = new Chores(() => {});
  const addresses = new Addresses({ clock, log: () => {}, radio, settled: () => {} });
  const [hearing, refusals, window] = [new Hearing(), new Refusals(), new StickWindow(undefined)];
  const sending = new Sending(clock, radio, hearing, refusals, addresses, window, () => {});
  const orders = new Orders({ clock, log: () => {}, radio, chores, sending, reports, nodes });
  const facts: NodeFacts = {
    ieee,
    manufacturer: "Nobody",
    model: "Thing",
    type: "Router",
    powerSource: "Mains (single phase)",
    endpoints: [{ id: 1, profile: 0x0104, device, input, output: [] }],
  };
  const node = new Node(facts);
  node.units = unitsOf(facts);
  node.kept.set(ieee, null);
  const [unit] = node.units;
  assert.ok(unit);
  return { clock, orders, node, unit, nodes, said };
}

const lamp = (): Stage => stage(0x0100, [0, 6, 8]);
const turnOn = ({ orders, node, unit }: Stage): void =>
  orders.taken(node, unit, { isOn: true }, [
    { kind: "command", endpoint: 1, cluster: "genOnOff", name: "on", payload: {} },
  ]);

test("cancels pending reads of a removed device", () => {
  const home = lamp();
  turnOn(home);
  assert.equal(home.clock.waiting, 1);
  home.orders.forget(ieee);
  assert.equal(home.clock.waiting, 0);
});

test("reads nothing after the adapter has stopped", () => {
  const home = lamp();
  turnOn(home);
  turnOn(home);
  home.orders.stop();
  assert.equal(home.clock.waiting, 0);
});

/** Starts a siren, perhaps stops it again, and stops the adapter. */
async function stoppedSiren(...told: readonly boolean[]): Promise<Shelf> {
  const shelf = new Shelf();
  const { orders, node, nodes, unit, said } = stage(sirenDevice, [0, warning], shelf);
  shelf.stored.set("nodes", [ieee]);
  await nodes.store(node);
  for (const isOn of told) {
    orders.taken(node, unit, { isOn }, []);
    assert.deepEqual(said.at(-1)?.attributes, { isOn, sirenOn: isOn });
  }
  orders.stop();
  return shelf;
}

/**
 * Starts the adapter again.
 * @returns its reports
 */
function startedOver(shelf: Shelf): readonly Report[] {
  const { orders, nodes, said } = stage(sirenDevice, [0, warning], shelf);
  nodes.load();
  for (const node of nodes.members()) orders.resume(node);
  return said;
}

const silent = [{ native: ieee, attributes: { isOn: false, sirenOn: false } }];

test("a siren ends in time and once, although its adapter was restarted", async () => {
  const shelf = await stoppedSiren(true);
  await shelf.clock.pass(600_000);
  const said = startedOver(shelf);
  await shelf.clock.pass(1_199_000);
  assert.deepEqual(said, []);
  await shelf.clock.pass(1000);
  assert.deepEqual(said, silent);
  const after = startedOver(shelf);
  await shelf.clock.pass(1_800_000);
  assert.deepEqual(after, []);
});

test("a siren whose end passed while the adapter was stopped ends at the start", async () => {
  const shelf = await stoppedSiren(true);
  await shelf.clock.pass(3_600_000);
  const said = startedOver(shelf);
  await shelf.clock.pass(0);
  assert.deepEqual(said, silent);
});

test("a siren ends within its duration although the wall clock was set back", async () => {
  const shelf = await stoppedSiren(true);
  shelf.clock.stepWall(-86_400_000);
  const said = startedOver(shelf);
  await shelf.clock.pass(1_800_000);
  assert.deepEqual(said, silent);
});

test("a siren that was switched off has no end after a restart", async () => {
  const shelf = await stoppedSiren(true, false);
  const said = startedOver(shelf);
  await shelf.clock.pass(1_800_000);
  assert.deepEqual(said, []);
});
