// A hub whose log holds more permanent events than its quota allows, observed over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { alarmId, limits, type RoomCommand } from "@ledge/model";
import { until } from "@ledge/testkit";
import { bareProfile, temporaryFolder } from "../testdata/hub-process.ts";
import { OpenHub } from "../testdata/open-hub.ts";

const mebibyte = 1_048_576;
const folder = temporaryFolder();
let hub: OpenHub;
let key = "";

/** The hub checks the log every 300 ms. */
const open = (logMebibytes: number): Promise<OpenHub> =>
  OpenHub.open({
    folder: folder.path,
    profile: bareProfile(folder.path, { logMebibytes, history: false }),
    cloud: "http://127.0.0.1:9",
    hurry: limits.retentionCheckMs / 300,
  });

before(async () => {
  hub = await open(8);
  key = await hub.recoveredKey("owner@localhost");
});
after(async () => {
  await hub.close();
  folder.remove();
});

interface Alarmed {
  readonly kind: string;
  readonly closed: boolean;
  readonly count: number;
  readonly message: { readonly en: string };
}

async function alarm(): Promise<Alarmed | undefined> {
  const { json } = await hub.call("GET", "/alarms", key);
  return Object.values(json as Record<string, Alarmed>).find(({ kind }) => kind === "LOG_OVER_QUOTA");
}

/** Waits until the alarm is open or closed as expected; returns its text over HTTP. */
async function alarmed(isClosed: boolean): Promise<Alarmed> {
  const { kernel, hubId } = hub.hub;
  const id = alarmId("LOG_OVER_QUOTA", hubId);
  await until("the alarm", () => kernel.get("alarm", id)?.closed === isClosed);
  return (await alarm()) ?? assert.fail("no alarm");
}

async function isExceeded(): Promise<boolean> {
  const answer = await fetch(`${hub.address}/healthz`);
  return ((await answer.json()) as { quotaExceeded: boolean }).quotaExceeded;
}

/** Renames a room until the log has grown by this much. */
async function rename(bytes: number): Promise<void> {
  const { kernel } = hub.hub;
  const room: RoomCommand = { type: "CMD_ROOM", name: "Hall" };
  const made = await kernel.submit({ commands: [room], origin: "system" });
  const [result] = made.accepted ? made.results : [];
  const id = (result !== undefined && "id" in result && result.id) || assert.fail("no room");
  const { frameBytes } = kernel.log.stats();
  for (let round = 0; kernel.log.stats().frameBytes < frameBytes + bytes; round++) {
    const commands = Array.from({ length: 500 }, (_, at): RoomCommand => ({
      type: "CMD_ROOM",
      id,
      name: `${round} ${at}`.padEnd(limits.nameChars, "x"),
    }));
    await kernel.submit({ commands, origin: "system" });
  }
}

test("a log over its quota raises an alarm and still takes changes", async () => {
  assert.deepEqual([await isExceeded(), await alarm()], [false, undefined]);
  // Some of it is still in the journal.
  await rename(14 * mebibyte);
  assert.equal(await isExceeded(), true);
  const raised = await alarmed(false);
  assert.match(raised.message.en, /takes \d+ MiB of 8 MiB/);
  assert.equal((await hub.call("PUT", "/rooms", key, { name: "Attic" })).status, 200);
});

test("the alarm stays over a restart without a second one, and closes when the quota grows", async () => {
  await hub.close();
  hub = await open(8);
  assert.equal(await isExceeded(), true);
  assert.equal((await alarm())?.closed, false);
  await hub.close();
  hub = await open(64);
  assert.equal(await isExceeded(), false);
  assert.equal((await alarmed(true)).count, 1);
});
