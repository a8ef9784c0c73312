import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import type { KernelListener } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";
import { socketConsole } from "@ledge/host/cli/client";
import { filesWith, canaries, hideCanaries } from "../testdata/home.ts";
import { eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";
import { backUpWhenLocked } from "./lock-backups.ts";
import { backupsFolder, backupsIn } from "./own-backups.ts";

const locked = { type: "ConfigurationLocked", id: "h", version: 1, origin: "system", depth: 0 } as const;

/** The backups of locks, over commits that the test sends. */
function standing(folder: string, free: () => number, make?: (file: string) => unknown) {
  let listener: KernelListener = {};
  const lines: string[] = [];
  const logger = { error: (_: object, line: string) => void lines.push(line) } as unknown as Logger;
  const stop = backUpWhenLocked({
    kernel: {
      log: { stats: () => ({ usedBytes: 1000 }) },
      subscribe: (one: KernelListener) => {
        listener = one;
        return () => {};
      },
    } as unknown as Parameters<typeof backUpWhenLocked>[0]["kernel"],
    folder,
    logger,
    free: () => Promise.resolve(free()),
    make: async (file) => void (await (make ?? ((one) => writeFileSync(one, "backup")))(file)),
  });
  const lock = (timestamp: number): void => listener.published?.({ timestamp, events: [locked] });
  return { lock, lines, stop };
}

test("keeps the newest backups; logs a line and keeps the old ones without room or after a failure", async () => {
  const root = temporaryFolder();
  const { path } = root;
  let [room, works] = [limits.reserveAgainBytes + 1000, true];
  const { lock, lines } = standing(
    path,
    () => room,
    (file) => {
      if (!works) throw new Error("it failed");
      writeFileSync(file, "backup");
    },
  );
  mkdirSync(backupsFolder(path), { recursive: true });
  writeFileSync(join(backupsFolder(path), "locked.ledge.new"), "cut short");
  const underWay = join(backupsFolder(path), "asked-1.ledge.new");
  writeFileSync(underWay, "somebody else's, not done yet");
  const second = 1000;
  const last = "locked-1970-01-01T00-00-0";
  for (let number = 0; number <= limits.lockBackups; number++) {
    lock(number * second);
    await eventually("it", async () =>
      backupsIn(path).includes(`${last}${number}-000Z.ledge`) && backupsIn(path).length <= limits.lockBackups
        ? true
        : undefined,
    );
  }
  const kept = backupsIn(path);
  assert.deepEqual(readdirSync(backupsFolder(path)).toSorted(), [basename(underWay), ...kept]);
  assert.equal(kept.includes(`${last}0-000Z.ledge`), false);
  room -= 1;
  lock(100 * second);
  await eventually("a line", async () => (lines.length === 1 ? true : undefined));
  [room, works] = [room + 1, false];
  lock(101 * second);
  await eventually("another line", async () => (lines.length === 2 ? true : undefined));
  assert.deepEqual(backupsIn(path), kept);
  root.remove();
});

test("backs up only the newest of several locks after the one under way, and none once the hub ends", async () => {
  const root = temporaryFolder();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const { lock, stop } = standing(
    root.path,
    () => limits.reserveAgainBytes + 1000,
    (file) => {
      begun.push(file.slice(-9, -7));
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  );
  const beginsAnd = (count: number) =>
    eventually("a backup", async () => (begun.length === count ? true : undefined));
  lock(1);
  await beginsAnd(1);
  for (let number = 2; number < 50; number++) lock(number);
  ends[0]?.();
  await beginsAnd(2);
  assert.deepEqual(begun, ["01", "49"]);
  lock(50);
  stop();
  ends[1]?.();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(begun.length, 2);
  root.remove();
});

test("POST /hub/lockconfig writes a backup without secrets that restores the locked home", async (context) => {
  const root = temporaryFolder();
  const folder = join(root.path, "hub");
  let hub = await HubProcess.start(folder);
  context.after(async () => {
    await hub.kill();
    root.remove();
  });
  await hub.stop();
  await hideCanaries(folder);
  hub = await HubProcess.start(folder);
  const key = await hub.key();
  await hub.homeAnnounced(key);
  assert.deepEqual(backupsIn(folder), []);
  assert.equal((await hub.call("POST", "/hub/lockconfig", key)).status, 200);
  const name = await eventually("a backup", async () => backupsIn(folder)[0]);
  const file = join(backupsFolder(folder), name);
  assert.deepEqual(
    [statSync(file).mode & 0o777, statSync(backupsFolder(folder)).mode & 0o777],
    [0o600, 0o700],
  );
  assert.deepEqual(readdirSync(backupsFolder(folder)), [name]);
  assert.match(
    (await ledge("doctor", "--data", folder)).stdout,
    new RegExp(`backups +1, the newest ${name}`),
  );
  await hub.stop();
  const other = join(root.path, "other");
  const { code, stderr } = await ledge("restore", file, "--data", other);
  assert.equal(code, 0, stderr);
  assert.deepEqual(filesWith(other, canaries), []);
  assert.equal(existsSync(backupsFolder(other)), false);
  hub = await HubProcess.start(other);
  const { json } = await socketConsole(other).call("GET", "/cc/1.14/devices");
  const masks = new Set(Object.values(json as Record<string, { rwx: number }>).map(({ rwx }) => rwx));
  assert.deepEqual([...masks], [0b101_101_101]);
});
