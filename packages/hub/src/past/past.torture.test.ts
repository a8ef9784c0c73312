import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused } from "@ledge/api";
import { createLogger } from "@ledge/host/logger";
import { logFolder } from "@ledge/host/folder";
import { openKernel, systemClock } from "@ledge/kernel";
import { openLmdbLog } from "@ledge/log";
import { type Command, type Room, roles, upcasters } from "@ledge/model";
import { addLamp, temporaryFolder } from "@ledge/testkit";
import { kernelParts } from "../start/kernel-parts.ts";
import { PastThreads } from "./past-threads.ts";

test("threads may be ended at any time while the log is written and compacted, without harm", async (t) => {
  const folder = temporaryFolder();
  const log = await openLmdbLog({ folder: logFolder(folder.path), upcasters });
  const kernel = openKernel({
    ...kernelParts,
    log,
    clock: systemClock,
    timeTrusted: () => true,
    onFatal: (error) => assert.fail(error),
  });
  const run = async (...commands: object[]): Promise<void> => {
    const outcome = await kernel.submit({ commands: commands as Command[], origin: "system" });
    assert.ok(outcome.accepted, JSON.stringify(outcome));
  };
  await run({ type: "CREATE_HUB", name: "Cabin", timezone: "Europe/Helsinki" });
  const [[hubId] = [""]] = [...kernel.all("hub")];
  await run(addLamp());
  const [[lamp] = [""]] = [...kernel.all("device")];
  // No thread is late, however slow the machine is.
  const clock = { after: () => () => {} };
  const open = (): PastThreads =>
    new PastThreads({
      kernel,
      folder: folder.path,
      hubId,
      version: "1.14.15.1",
      clock,
      logger: createLogger("silent"),
    });
  const asker = { viewer: { role: roles.USER_ADMIN, user: "u", since: 0 }, language: "en" } as const;
  const names = new Map<number, string>();
  const rooms: string[] = [];
  let threads = open();
  t.after(async () => {
    await threads.close();
    await kernel.close();
    folder.remove();
  });
  let [answered, pruned, ended] = [0, 0, 0];
  for (let round = 0; round < 100; round++) {
    if (round < 3) await run({ type: "CMD_ROOM", name: `room ${round}` });
    else await run({ type: "CMD_ROOM", id: [...kernel.all("room")][round % 3]?.[0], name: `name ${round}` });
    rooms.splice(0, rooms.length, ...[...kernel.all("room")].map(([, { name }]) => name).toSorted());
    names.set(kernel.timestamp, rooms.join());
    const telemetry = Array.from({ length: 20 }, (_, index) => {
      return {
        type: "REPORT_DEVICE",
        id: lamp,
        attributes: { brightness: ((round + index) % 100) / 100 },
        at: kernel.now(),
      };
    });
    await kernel.submit({ commands: telemetry, origin: "device", each: true });
    if (round % 3 === 0) await log.move();
    const [at, expected] = [...names][(round * 7919) % names.size] as [number, string];
    const args = { row: "GET /rooms", query: {}, at, listener: "local", id: "r" } as const;
    const asked = threads.ask("row", args, asker, { budgetMs: 3_600_000 });
    if (round % 33 === 5) await kernel.relieve();
    if (round % 13 === 7) {
      await threads.close();
      threads = open();
    }
    const answer = await asked;
    if (!(answer instanceof Refused)) {
      const shown = Object.values(JSON.parse(Buffer.from(answer).toString()) as Record<string, Room>);
      assert.equal(
        shown
          .map(({ name }) => name)
          .toSorted()
          .join(),
        expected,
      );
      answered++;
    } else if (answer.status === 404) {
      assert.equal(answer.more["code"], "HISTORY_PRUNED");
      assert.ok(at < log.horizon);
      pruned++;
    } else {
      assert.equal(answer.message, "the hub is shutting down");
      ended++;
    }
  }
  assert.ok(answered > 20 && pruned > 3 && ended > 3, `${answered} ${pruned} ${ended}`);
  await threads.close();
  assert.deepEqual(log.verify().damage, []);
});
