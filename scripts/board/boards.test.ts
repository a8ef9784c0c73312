import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readProfile } from "@ledge/hub/profile";
import { profileSchema, schemaFile } from "../profile-schema.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = join(root, "firmware-profiles");
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
const boards = files
  .map((name) => readProfile(join(folder, name)))
  .flatMap(({ name, board }) => (board === undefined ? [] : [{ name, board }]));

test("editors have the schema as it is: else run scripts/profile-schema.ts", () => {
  assert.deepEqual(JSON.parse(readFileSync(schemaFile, "utf8")), JSON.parse(profileSchema()));
  for (const name of files) {
    const { $schema } = JSON.parse(readFileSync(join(folder, name), "utf8")) as { $schema?: string };
    assert.equal($schema, "./schema/profile.json", name);
  }
});

test("the page lists every board with its machines and its memory", () => {
  const rows = readFileSync(join(root, "docs", "boards.md"), "utf8")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, name]) => name?.startsWith("`"));
  assert.deepEqual(
    rows.map(([, name, machines, , memory]) => [name, machines?.replaceAll("`", ""), memory]),
    rows.map(([, name]) => {
      const { board } =
        boards.find((one) => `\`${one.name}\`` === name) ?? assert.fail(`${name} is no board`);
      return [name, board.machines.map((one) => one.name).join(", "), `${board.memory.machineMebibytes} MiB`];
    }),
  );
  assert.equal(rows.length, boards.length);
});

for (const { name, board } of boards) {
  test(`${name} leaves memory for the machine itself`, () => {
    assert.ok(board.memory.hubMebibytes <= board.memory.machineMebibytes * 0.84);
  });

  test(`${name} has a watchdog, if an image is made for it`, () => {
    assert.equal(board.watchdog !== null, board.image !== undefined);
  });
}
