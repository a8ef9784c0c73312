import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kernel } from "@ledge/kernel";
import { type LoggedEvent, limits, roles } from "@ledge/model";
import type { Notes } from "../notes/notes.ts";
import { DailyAllowance } from "./daily-allowance.ts";

function spentOn(type: string): number {
  const allowance = new DailyAllowance({ monotonic: () => 0 });
  const member = { user_info: { role: roles.IDENTIFIED_USER } };
  const notes = { note: () => Promise.resolve() };
  allowance.tellBy({ get: () => member } as unknown as Kernel, notes as unknown as Notes);
  const event = { type, id: "ann", values: "x".repeat(limits.userLogBytesPerDay), version: 1 };
  allowance.spend("user:ann", [{ ...event, origin: "user:ann", depth: 0 } satisfies LoggedEvent]);
  return allowance.wait("user:ann");
}

test("a user's preferences count, although the log keeps only the newest; reports of devices do not", () => {
  for (const type of ["PreferencesSet", "HomePreferencesSet", "RoomRenamed"])
    assert.ok(spentOn(type) > 0, type);
  assert.equal(spentOn("DeviceReported"), 0);
});
