import { attribute } from "@ledge/model";
import { markdownTable, withRegion } from "@ledge/testkit/page";
import type { Becoming } from "./test-coverage.ts";
import { coverageOf } from "./test-coverage.ts";
import { definedDevices } from "./test-definitions.ts";

/** Exposes of fewer models than this are only counted. */
const least = 10;
/** What fewer than this share of the models do is not mentioned. */
const usualShare = 0.05;

interface Row {
  readonly name: string;
  readonly unit: string;
  readonly models: Set<string>;
  readonly as: Map<string, number>;
}

/** What a model's exposes become. */
export interface Mapped {
  readonly name: string;
  readonly becomings: readonly Becoming[];
}

/** Returns the exposes of all definitions, mapped. */
export function allMapped(): readonly Mapped[] {
  return [...definedDevices()].map((device) => ({ name: device.name, ...coverageOf(device) }));
}

/** Returns the lines of docs/zigbee-devices.md that say what each expose of all definitions becomes. */
export function exposesTable(mapped: Iterable<Mapped>): string {
  const rows = rowsOf(mapped);
  const common = rows.filter(({ models }) => models.size >= least);
  const cells = common
    .toSorted((one, other) => other.models.size - one.models.size || (one.name < other.name ? -1 : 1))
    .map(({ name, unit, models, as }) => [`\`${name}\``, unit, String(models.size), becomes(as)]);
  const others = rows.length - common.length;
  return [
    markdownTable(["expose", "unit", "models", "becomes"], cells),
    "",
    `${others} further exposes, each of fewer than ${least} models, become attributes, settings and extras by the same rules.`,
  ].join("\n");
}

function rowsOf(mapped: Iterable<Mapped>): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const device of mapped) {
    for (const { leaf, group, as } of device.becomings) {
      const { expose, path } = leaf;
      const own = path.length === 0 ? expose.name : `${leaf.key}.${path.join(".")}`;
      const name = group.name === expose.name && group.type === expose.type ? own : `${group.type}: ${own}`;
      const unit = expose.unit ?? "";
      const key = `${name} ${unit}`;
      const row = rows.get(key) ?? { name, unit, models: new Set(), as: new Map() };
      rows.set(key, row);
      row.models.add(device.name);
      const places = as.length === 0 ? "nothing" : as.map(wordFor).join(" and ");
      row.as.set(places, (row.as.get(places) ?? 0) + 1);
    }
  }
  return [...rows.values()];
}

function wordFor(place: string): string {
  return attribute(place) === undefined ? place : `\`${place}\``;
}

function becomes(as: Row["as"]): string {
  const places = [...as].toSorted((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  const all = places.reduce((sum, [, count]) => sum + count, 0);
  const usual = places.filter(([, count]) => count >= all * usualShare);
  return usual.map(([place]) => place).join("; ");
}

/** Returns the page with the table in its place. */
export function withExposes(page: string, exposes: string): string {
  return withRegion(page, "exposes", exposes);
}
