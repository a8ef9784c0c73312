import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { KnownStick } from "./known-sticks.ts";
import { knownSticks } from "./known-sticks.ts";

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

test("docs/radios.md lists the sticks of the table", () => {
  const [, table = ""] = /^\| stick .*\n\|[ -|]+\|\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const rows = table.split("\n").filter((line) => line !== "");
  assert.deepEqual(
    rows.map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
    knownSticks.map(cellsOf),
  );
});
