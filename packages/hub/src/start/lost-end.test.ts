import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openLmdbLog } from "@ledge/log";
import { alarmId, limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { logFolder } from "@ledge/host/folder";
import type { RunningHub } from "../hub.ts";
import { openHub } from "../hub.ts";
import { createLogger } from "@ledge/host/logger";
import { readProfile } from "../profile.ts";
import { bareProfile, temporaryFolder } from "../testdata/hub-process.ts";

/** Makes the commit that added a room unreadable wherever it is stored. */
function damageRoom(folder: string, name: string): void {
  for (const file of ["data.mdb", "journal"].map((part) => join(logFolder(folder), part))) {
    const bytes = readFileSync(file);
    const event = '"RoomCreated","id":"';
    for (let at = bytes.indexOf(event); at !== -1; at = bytes.indexOf(event, at + 1)) {
      if (bytes.subarray(at, at + 200).includes(name)) bytes.write("X", at + 1);
    }
    writeFileSync(file, bytes);
  }
}

test("clients that saw a commit that was cut off get a full answer, also after a crash and a clock step", async () => {
  const folder = temporaryFolder();
  const profile = readProfile(bareProfile(folder.path));
  const home = join(folder.path, "home");
  mkdirSync(home);
  const clock = new SimulatedClock();
  const open = (): Promise<RunningHub> =>
    openHub({
      profile,
      folder: home,
      clock,
      logger: createLogger("silent"),
      onFatal: assert.fail,
      address: () => null,
      free: async () => limits.reserveAgainBytes,
    });
  const first = await open();
  const addRoom = async (name: string): Promise<void> => {
    await clock.pass(1000);
    const outcome = await first.kernel.submit({
      commands: [{ type: "CMD_ROOM", name } as never],
      origin: "console",
    });
    assert.ok(outcome.accepted);
  };
  await addRoom("Hall");
  await clock.pass(3_600_000);
  await addRoom("Lost");
  const { timestamp: seen } = first.kernel;
  await first.close();
  damageRoom(home, "Lost");
  // The power fails while the end is cut off.
  const cut = await openLmdbLog({ folder: logFolder(home) });
  assert.ok(cut.last < seen - 3_000_000 && cut.recovered !== undefined);
  await cut.close();
  clock.stepWall(-7_200_000);

  for (const opening of [1, 2]) {
    const hub = await open();
    const [id = ""] = [...hub.kernel.all("hub")].map(([one]) => one);
    const events = [...hub.kernel.log.read()].flatMap((commit) =>
      commit.events.map(({ type }) => ({ type, timestamp: commit.timestamp })),
    );
    const epochs = events.filter(({ type }) => type === "EpochOpened");
    assert.equal(epochs.length, 1, `opening ${opening}`);
    assert.ok((epochs[0]?.timestamp ?? 0) > seen);
    assert.notEqual(hub.kernel.get("alarm", alarmId("LOG_DAMAGED", id)), undefined);
    await hub.close();
  }
  folder.remove();
});
