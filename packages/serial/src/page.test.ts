import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { KnownStick } from "./known-sticks.ts";
import { knownSticks } from "./known-sticks.ts";
import { networkStick, stickServices } from "./network-sticks.ts";

const page = readFileSync(new URL("../../../docs/radios.md", import.meta.url), "utf8");

/** Returns the cells of a stick's row on the page. */
function cellsOf({ name, usb, protocol, driver, baudRate, rtscts, ...stick }: KnownStick): string[] {
  const how = [baudRate === undefined ? [] : String(baudRate), rtscts === true ? "rtscts" : []]
    .flat()
    .join(", ");
  const sure = stick.unconfirmed
    ? "unsure"
    : stick.ambiguous || stick.manufacturer === undefined
      ? "likely"
      : "sure";
  return [name, usb.map((ids) => `\`${ids}\``).join(" "), protocol, `\`${driver}\``, how, sure];
}

/** Returns the cells of the table whose first column has this title. */
function tableOf(title: string): string[][] {
  const [, table = ""] =
    new RegExp(`^\\| ${title} .*\\n\\|[ -|]+\\|\\n((?:\\|.*\\n)+)`, "m").exec(page) ?? [];
  const rows = table.split("\n").filter((line) => line !== "");
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test("docs/radios.md lists the sticks of the table", () => {
  assert.deepEqual(tableOf("stick"), knownSticks.map(cellsOf));
});

test("docs/radios.md lists the services of coordinators on the network", () => {
  const service = { instance: "", port: 6638, addresses: ["10.0.0.7"], text: new Map<string, string>() };
  const rows = stickServices.map((type) => {
    const { name, driver } = networkStick({ ...service, type }) ?? assert.fail(type);
    return [`\`${type}\``, name, driver === undefined ? "" : `\`${driver}\``];
  });
  assert.deepEqual(tableOf("service"), rows);
});
