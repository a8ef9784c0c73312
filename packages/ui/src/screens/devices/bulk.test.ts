import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bulk, type Changeable, movedTo, renamed, zoned } from "./bulk.ts";

const lamp: Changeable = { id: "lamp", name: "Hall lamp 1", room: ["hall"], zones: ["up"] };
const plug: Changeable = { id: "plug", name: "Plug (hall)", room: [], zones: [] };
const both = [lamp, plug];

/** The fields of each command by the device. */
const fields = (commands: Bulk["commands"]): object =>
  Object.fromEntries(
    commands.map(({ id, ...rest }) => [
      id,
      Object.fromEntries(Object.entries(rest).filter(([field]) => field !== "type")),
    ]),
  );

test("moves those devices that are elsewhere, and back to where each was", () => {
  const { commands, back } = movedTo("hall", both);
  assert.deepEqual([fields(commands), fields(back)], [{ plug: { room: ["hall"] } }, { plug: { room: [] } }]);
  assert.deepEqual(commands[0]?.type, "CMD_DEVICE_META");
  const none = movedTo("", both);
  assert.deepEqual(
    [fields(none.commands), fields(none.back)],
    [{ lamp: { room: [] } }, { lamp: { room: ["hall"] } }],
  );
});

test("puts into a zone and takes out of it, and keeps the other zones", () => {
  assert.deepEqual(fields(zoned("up", true, both).commands), { plug: { zones: ["up"] } });
  assert.deepEqual(fields(zoned("up", false, both).commands), { lamp: { zones: [] } });
  assert.deepEqual(fields(zoned("out", true, [lamp]).commands), { lamp: { zones: ["up", "out"] } });
  assert.deepEqual(fields(zoned("out", true, [lamp]).back), { lamp: { zones: ["up"] } });
});

const names: readonly [find: string, replace: string, names: object][] = [
  ["HALL", "Porch", { lamp: { name: "Porch lamp 1" }, plug: { name: "Plug (Porch)" } }],
  ["(hall)", "", { plug: { name: "Plug" } }],
  ["", "Old ", { lamp: { name: "Old Hall lamp 1" }, plug: { name: "Old Plug (hall)" } }],
  ["lamp", "$& {n}", { lamp: { name: "Hall $& {n} 1" } }],
  ["Plug (hall)", " ", {}],
  ["[a-z", "x", {}],
  ["", "", {}],
];
for (const [find, replace, expected] of names) {
  test(`replaces "${find}" by "${replace}" in names`, () => {
    const { commands, back } = renamed(find, replace, both);
    assert.deepEqual(fields(commands), expected);
    assert.deepEqual(
      back.map(({ name }) => name),
      both.filter(({ id }) => id in expected).map(({ name }) => name),
    );
  });
}
