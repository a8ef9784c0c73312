import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "@ledge/model";
import { limits } from "@ledge/model";
import { openTestKernel } from "@ledge/testkit";
import { ClockJumps } from "./clock-jumps.ts";
import { createLogger } from "@ledge/host/logger";
import { Notes } from "./notes.ts";

const hour = 3_600_000;

test("records clock jumps; those before the hub exists or while the disk is full are recorded later", async () => {
  const jumps = new ClockJumps();
  const source = { vouched: false };
  const hub = openTestKernel({
    onClockJump: (jump) => jumps.add(jump),
    timeTrusted: () => source.vouched,
  });
  const { kernel, clock } = hub;
  const recorded = (): unknown[] =>
    [...kernel.log.read()]
      .flatMap(({ events }): readonly LoggedEvent[] => events)
      .filter(({ type }) => type === "ClockJumped")
      .map((event) => [
        event["to" as never] - event["from" as never],
        event["trusted" as never],
        event.origin,
      ]);
  clock.stepWall(hour);
  await clock.pass(limits.clockJumpMs);
  const id = await hub.accept({ type: "CREATE_HUB", name: "Cabin", timezone: "UTC" });
  jumps.noteWith(new Notes(kernel, clock, createLogger("silent")), id);
  await clock.pass(0);
  assert.deepEqual(recorded(), [[hour, false, "system"]]);

  kernel.suspend("the disk is full");
  source.vouched = true;
  await clock.pass(limits.clockJumpMs);
  assert.equal(recorded().length, 1);
  kernel.resume();
  await clock.pass(limits.noteRetryMs);
  // The clock continued from a time an hour behind.
  assert.deepEqual(recorded()[1], [hour, true, "system"]);
  assert.equal(recorded().length, 2);
});
