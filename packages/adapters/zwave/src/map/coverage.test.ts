import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { itemsProblem } from "@ledge/model";
import { filesTable, type MappedFile, parametersOfFiles } from "../test-files.ts";
import { withTables } from "../test-page.ts";
import { allBecomings, isUsed, valuesTable } from "../test-values.ts";

let files: readonly MappedFile[] = [];
const becomings = allBecomings();
before(async () => {
  files = await parametersOfFiles();
});

test("every configuration file of the library becomes valid settings", () => {
  assert.ok(files.length >= 2300, String(files.length));
  for (const { name, shown } of files) assert.equal(itemsProblem(shown), undefined, name);
});

test("only one file has more settings than the hub takes", () => {
  const cut = files.filter(
    ({ parameters, groups, shown }) => shown.length < parameters.length + groups.length,
  );
  assert.deepEqual(
    cut.map(({ name }) => name),
    ["0x0371/zwa046_3phase_eu.json"],
  );
});

test("each setting keeps its default and every one of its options", () => {
  for (const { name, parameters } of files)
    for (const { facts, item } of parameters) {
      const { states = {}, default: usual } = facts;
      if (item.fieldType === "OPTION")
        assert.equal(item.options.length, Object.keys(states).length, `${name} ${item.name}`);
      if (item.fieldType === "OPTION" && usual !== undefined && usual in states && facts.isReadable)
        assert.equal(item.defaultValue ?? usual, usual, `${name} ${item.name}`);
    }
});

test("the commonest values of devices are used", () => {
  const used = new Set(becomings.filter(isUsed).map(({ name }) => name));
  for (const name of [
    "Air temperature",
    "Motion",
    "Electric, kWh",
    "Smoke Alarm: Sensor status",
    "Heating",
    "scene",
  ])
    assert.ok(used.has(name), name);
});

test("docs/zwave-devices.md says what becomes of values and files", () => {
  const page = readFileSync(new URL("../../../../../docs/zwave-devices.md", import.meta.url), "utf8");
  assert.ok(
    page === withTables(page, valuesTable(becomings), filesTable(files)),
    "to write it: npm run -s zwave:page",
  );
});
