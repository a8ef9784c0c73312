import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openLmdbLog } from "@ledge/log";
import { logFolder } from "@ledge/host/folder";
import { repairLog } from "../repair/repair.ts";
import { temporaryFolder } from "../testdata/hub-process.ts";
import { walkFolder } from "@ledge/host/cli/verify";
import { hubSubject } from "../backup/subject.ts";

test("reports an emptied or missing log as damage that only restoring a backup can mend", async () => {
  const folder = temporaryFolder();
  const log = logFolder(folder.path);
  const repair = { folder: folder.path, backup: undefined, passphrase: undefined, now: 1 };
  try {
    await (await openLmdbLog({ folder: log })).close();
    assert.deepEqual((await walkFolder(folder.path, hubSubject)).damage, []);
    writeFileSync(join(folder.path, "hub.json"), JSON.stringify({ hubId: "h" }));
    for (const prepare of [
      () => {},
      () => rmSync(join(log, "data.mdb")),
      () => rmSync(log, { recursive: true }),
      () => mkdirSync(log),
    ]) {
      prepare();
      const { damage } = await walkFolder(folder.path, hubSubject);
      assert.match(damage[0]?.problem ?? "", /restore a backup/);
      await assert.rejects(repairLog(repair), /restore a backup|there is no log/);
    }
  } finally {
    folder.remove();
  }
});
