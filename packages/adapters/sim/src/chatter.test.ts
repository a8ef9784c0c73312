import assert from "node:assert/strict";
import test from "node:test";
import type { Report } from "@ledge/port";
import { Chatter } from "./chatter.ts";
import { home } from "./home.ts";
import { SimulatedWorld } from "./world.ts";

function stage(rate: number, devices = home): { chatter: Chatter; reports: Report[] } {
  const reports: Report[] = [];
  const world = new SimulatedWorld({ seed: 1, now: 0, devices, report: () => {} });
  return { chatter: new Chatter(world, rate, (report) => reports.push(report)), reports };
}

test("reports at the given rate, whatever the length of the steps", () => {
  const { chatter, reports } = stage(500);
  for (let step = 0; step < 1000; step += 1) chatter.pass(3);
  assert.ok(Math.abs(reports.length - 1500) <= 1, `${reports.length}`);
});

test("every report changes its device, and the sources take turns", () => {
  const { chatter, reports } = stage(1000);
  chatter.pass(1000);
  const last = new Map<string, string>();
  for (const { native, attributes } of reports) {
    assert.notEqual(last.get(native), JSON.stringify(attributes), native);
    last.set(native, JSON.stringify(attributes));
  }
  const kinds = new Set(reports.flatMap(({ attributes }) => Object.keys(attributes)));
  assert.deepEqual(kinds, new Set(["temperature", "motion"]));
});

test("reports nothing without a rate or a source", () => {
  const silent = stage(0);
  silent.chatter.pass(10_000);
  const empty = stage(100, []);
  empty.chatter.pass(10_000);
  assert.deepEqual([silent.reports, empty.reports], [[], []]);
});
