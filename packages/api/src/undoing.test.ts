import assert from "node:assert/strict";
import { test } from "node:test";
import { roles, settingsOf, type States } from "@ledge/model";
import { addLamp, openTestKernel } from "@ledge/testkit";
import { Refused } from "./refused.ts";
import { rows } from "./routes/index.ts";
import { mayEdit, type UndoFound, undoing } from "./undoing.ts";

const nothing = { timestamp: 5, isOn: false, devices: [], groups: [] };
const rightsOf = (role: number, listener: "local" | "remote" = "local") => ({ rows, role, listener });

test("undo needs the right to edit the object's kind and each changed field", async () => {
  const { kernel, accept } = openTestKernel();
  const id = await accept(addLamp());
  const now = settingsOf("device", kernel.get("device", id));
  const foundOf = (before: object): UndoFound => ({ ...nothing, before: { ...now, ...before }, now });
  const question = { kind: "device", id } as const;
  for (const [before, role, isAllowed] of [
    [{ name: "Candle" }, roles.IDENTIFIED_USER, true],
    [{ name: "Candle" }, roles.GUEST, false],
    [{ visible: false }, roles.USER_ADMIN, false],
    [{ visible: false }, roles.OWNER_ADMIN, true],
    [{ rwx: 0 }, roles.USER_ADMIN, false],
    [{ rwx: 0 }, roles.OWNER_ADMIN, true],
  ] as const) {
    const commands = undoing(question, foundOf(before), kernel, rightsOf(role));
    assert.equal(commands instanceof Refused ? commands.status : "allowed", isAllowed ? "allowed" : 403);
  }
  for (const [kind, role, isAllowed] of [
    ["room", roles.REMOTE_GUEST, false],
    ["room", roles.IDENTIFIED_USER, true],
    ["hub", roles.IDENTIFIED_USER, false],
    ["hub", roles.USER_ADMIN, true],
    ["configuration", roles.IDENTIFIED_USER, false],
  ] as const)
    assert.equal(mayEdit(kind, rightsOf(role)) === undefined, isAllowed, kind);
});

test("refuses to undo an object that changed after the lookup", async () => {
  const { kernel, accept } = openTestKernel();
  const id = await accept({ type: "CMD_ROOM", name: "Hall" });
  const now = settingsOf("room", kernel.get("room", id) as States["room"]);
  const found = { ...nothing, before: { ...now, name: "Attic" }, now };
  const rights = rightsOf(roles.IDENTIFIED_USER);
  assert.deepEqual(undoing({ kind: "room", id }, found, kernel, rights), [
    { type: "CMD_ROOM", id, name: "Attic" },
  ]);
  await accept({ type: "CMD_ROOM", id, name: "Den" });
  const late = undoing({ kind: "room", id }, found, kernel, rights);
  assert.ok(late instanceof Refused);
  assert.deepEqual([late.status, late.message], [422, `room ${id} has just changed: ask again`]);
});
