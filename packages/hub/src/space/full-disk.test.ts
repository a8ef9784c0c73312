import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Device } from "@ledge/model";
import { eventually, HubProcess, ledge, temporaryFolder } from "../testdata/hub-process.ts";

const folder = temporaryFolder();
const mountPoint = join(folder.path, "disk");
mkdirSync(mountPoint);
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", mountPoint]).status === 0;

after(() => {
  if (isMounted) spawnSync("umount", ["-l", mountPoint]);
  folder.remove();
});

interface SmallDisk {
  readonly folder: string;
  readonly args: readonly string[];
  /** Leaves this many bytes free. */
  leave(bytes: number): void;
}

const mebibyte = 1_048_576;

/** A file system of its own, with a file that takes up room. */
const mounted: SmallDisk = {
  folder: join(mountPoint, "home"),
  args: [],
  leave(bytes) {
    rmSync(join(mountPoint, "filler"), { force: true });
    const { bavail, bsize } = statfsSync(mountPoint);
    writeFileSync(join(mountPoint, "filler"), Buffer.alloc(Math.max(bavail * bsize - bytes, 0)));
  },
};

/** A file tells the hub how much is free. */
const told: SmallDisk = {
  folder: join(folder.path, "home"),
  args: [join(folder.path, "free")],
  leave(bytes) {
    const file = join(folder.path, "free");
    // The hub reads the file at any time, so it must never see half of it.
    writeFileSync(`${file}.new`, String(bytes));
    renameSync(`${file}.new`, file);
  },
};

for (const [what, disk] of Object.entries({ told, ...(isMounted && { mounted }) })) {
  test(`a disk that fills up (${what}) makes the hub read-only in time; devices still switch; it recovers`, async () => {
    disk.leave(48 * mebibyte);
    let hub = await start(disk);
    const key = await hub.key();
    const room = (name: string): ReturnType<HubProcess["call"]> => hub.call("PUT", "/rooms", key, [{ name }]);
    assert.equal((await room("Hall")).status, 200);
    const lamp = await eventually("a lamp", async () => {
      const { json } = await hub.call("GET", "/devices", key);
      return Object.values(json as Record<string, Device>).find(({ name }) => name === "Living room ceiling");
    });
    const isNow = (state: string) => async (): Promise<true | undefined> => {
      const { status } = (await (await fetch(`${hub.address}/healthz`)).json()) as { status: string };
      return status === state || undefined;
    };

    disk.leave(20 * mebibyte);
    await eventually("read-only", isNow("read-only"));
    assert.equal((await room("Attic")).status, 507);
    assert.equal((await hub.call("GET", "/hub/poll?ts=0", key)).status, 200);
    const turnOn = async (): Promise<unknown> => {
      const answer = await fetch(`${hub.address}/cc/1.14/devices/command`, {
        method: "PUT",
        headers: { authorization: key },
        body: JSON.stringify([{ type: "CMD_DEVICE_ON", id: lamp.id }]),
      });
      return [answer.status, answer.headers.get("ledge-recorded"), await answer.json()];
    };
    assert.deepEqual(await turnOn(), [200, "false", null]);
    const { code, stdout } = await ledge("status", "--data", disk.folder);
    assert.equal(code, 1);
    assert.match(stdout, /kernel +read-only\nreason +the disk is full/);

    disk.leave(48 * mebibyte);
    await eventually("serving", isNow("serving"));
    await eventually("an alarm of it", async () => {
      const { json } = await hub.call("GET", "/alarms", key);
      return Object.values(json as Record<string, { kind: string }>).find(({ kind }) => kind === "DISK_FULL");
    });
    assert.equal((await room("Attic")).status, 200);
    await eventually("the lamp, as it was switched meanwhile", async () => {
      const { json } = await hub.call("GET", "/devices", key);
      return (json as Record<string, Device>)[lamp.id]?.state["isOn"] === true || undefined;
    });

    disk.leave(mebibyte);
    const ended = await hub.stop();
    assert.equal(ended.code, 0, ended.stderr);
    hub = await start(disk);
    // Its adapters have just been started.
    assert.deepEqual(await turnOn(), [200, "false", null]);
    await eventually("read-only from the start", isNow("read-only"));
    assert.equal(Object.keys((await hub.call("GET", "/rooms", key)).json as object).length, 2);
    disk.leave(48 * mebibyte);
    await eventually("serving again", isNow("serving"));
    assert.equal((await room("Cellar")).status, 200);
    const { code: last, stderr } = await hub.stop();
    assert.equal(last, 0);
    const lines = stderr.split("\n").filter((line) => line.includes('"level":50'));
    assert.equal(lines.length, 1, stderr);
    assert.match(lines[0] ?? "", /the hub takes no changes/);
  });

  test(`a new hub on a full disk (${what}) exits with one line, and creates nothing`, async () => {
    disk.leave(mebibyte);
    const fresh = join(disk.folder, "..", "fresh");
    await assert.rejects(
      start({ ...disk, folder: fresh }),
      /ended with 73: there is no room for a hub in \S+: 1 MiB are free, 32 are needed\n$/,
    );
    assert.equal(statfsSync(join(fresh, "..")).type > 0, true);
    assert.throws(() => statfsSync(fresh));
  });
}

function start(disk: SmallDisk): Promise<HubProcess> {
  const [free] = disk.args;
  if (free === undefined) return HubProcess.start(disk.folder);
  return HubProcess.startWith(
    { LEDGE_TEST_FREE: free },
    new URL("../testdata/told-free.ts", import.meta.url),
    disk.folder,
  );
}
