import assert from "node:assert/strict";
import { test } from "node:test";
import type { Report } from "@ledge/port";
import { SimulatedClock } from "@ledge/testkit";
import { correctionsOf, unitsOf } from "./map/index.ts";
import { Node } from "./nodes.ts";
import type { Arrival } from "./reports.ts";
import { Reports } from "./reports.ts";

const ieee = "0x000b57fffe000001";

interface Stage {
  readonly clock: SimulatedClock;
  readonly node: Node;
  readonly reports: Reports;
  readonly said: Report[];
  /** Simulates a frame from its first endpoint. */
  hear(sequence: number, cluster: string, type: Arrival["type"], data: Arrival["data"]): void;
}

function stage(isKept = true): Stage {
  const clock = new SimulatedClock();
  const said: Report[] = [];
  const reports = new Reports({ clock, report: (report) => void said.push(report) });
  const node = new Node({
    ieee,
    manufacturer: "Nobody",
    model: "Remote",
    type: "EndDevice",
    powerSource: "Battery",
    endpoints: [{ id: 1, profile: 0x0104, device: 0x0820, input: [0, 1], output: [6, 8] }],
  });
  node.units = unitsOf(node.facts);
  if (isKept) node.kept.set(ieee, null);
  return {
    clock,
    node,
    reports,
    said,
    hear(sequence, cluster, type, data) {
      const rawData = Buffer.from([0x11, sequence, 0x02]);
      const arrival = { endpoint: { ID: 1 }, cluster, type, data, meta: { rawData } };
      reports.take(node, arrival);
    },
  };
}

const presses = ({ said }: Stage): number => said.filter(({ attributes }) => "button" in attributes).length;
const toggle = ["genOnOff", "commandToggle", {}] as const;

test("reports a repeated frame once and two presses twice", async () => {
  const one = stage();
  one.hear(1, ...toggle);
  one.hear(1, ...toggle);
  assert.equal(presses(one), 1);
  one.hear(2, ...toggle);
  assert.equal(presses(one), 2);
  await one.clock.pass(1000);
  one.hear(2, ...toggle);
  assert.equal(presses(one), 3, "sequence numbers repeat");
});

test("tells a press once, also when readings are reported again", () => {
  const one = stage();
  one.hear(1, ...toggle);
  one.hear(2, "genPowerCfg", "attributeReport", { batteryPercentageRemaining: 100 });
  one.reports.corrected(one.node, ieee);
  assert.equal(presses(one), 1);
  assert.deepEqual(Object.keys(one.node.lastingOf(ieee)), ["battery"]);
  assert.ok("button" in one.node.valuesOf(one.node.units[0] ?? assert.fail()));
});

test("reports at intervals that a device without news was heard", async () => {
  const one = stage();
  for (let sequence = 0; sequence < 10; sequence++) one.hear(sequence, "genTime", "read", ["time"]);
  assert.deepEqual(one.said, [{ native: ieee, attributes: { lastSeen: one.clock.now() } }]);
  await one.clock.pass(60_000);
  one.hear(11, "genTime", "read", ["time"]);
  assert.equal(one.said.length, 2);
});

test("keeps values reported before the hub has the device", () => {
  const one = stage(false);
  one.hear(1, "genPowerCfg", "attributeReport", { batteryPercentageRemaining: 150 });
  assert.deepEqual(one.said, []);
  assert.equal(one.node.values.get(ieee)?.["battery"], 75);
});

test("corrects readings, and reports the last ones again when their correction changes", async () => {
  const one = stage();
  const at = (attributes: object): object => ({ native: ieee, attributes });
  one.reports.report(one.node, ieee, { temperature: 21.25 });
  one.node.corrections.set(ieee, correctionsOf({ "correction.temperature.offset": -1 }));
  one.reports.corrected(one.node, ieee);
  one.reports.report(one.node, ieee, { temperature: 22, open: true });
  assert.deepEqual(one.said, [
    at({ temperature: 21.25 }),
    at({ temperature: 20.25 }),
    at({ temperature: 21, open: true }),
  ]);
  one.node.corrections.set(ieee, correctionsOf({ "correction.temperature.minSeconds": 5 }));
  one.reports.corrected(one.node, ieee);
  one.reports.report(one.node, ieee, { temperature: 23 });
  assert.equal(one.said.length, 4);
  await one.clock.pass(5000);
  assert.deepEqual(one.said.slice(3), [at({ temperature: 22 }), at({ temperature: 23 })]);
});
