import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";

test("a killed hub leaves no process behind, not even a stopped one", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  // The log check of a start after an unclean stop is among them.
  for (const round of ["first", "after a kill"]) {
    const hub = await HubProcess.start(folder.path);
    await hub.homeAnnounced(await hub.key());
    const pids = hub.descendants();
    assert.ok(pids.length > 0, round);
    // A stopped process cannot notice that the hub is gone.
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    await hub.kill();
    await eventually(`the end of ${pids.join()}`, async () =>
      pids.some((pid) => existsSync(`/proc/${pid}`)) ? undefined : true,
    );
  }
});
