import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder } from "@ledge/testkit";
import { CloudProcess } from "../testdata/cloud-process.ts";

test("tells systemd when it serves, that it is alive, and when it stops", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const path = join(folder.path, "notify");
  const socat = spawn("socat", ["-u", `UNIX-RECV:${path}`, "STDOUT"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(() => socat.kill());
  let said = "";
  socat.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  while (!existsSync(path)) await sleep(10);
  process.env["NOTIFY_SOCKET"] = path;
  process.env["WATCHDOG_USEC"] = "300000";
  const cloud = await CloudProcess.start(join(folder.path, "data"));
  t.after(() => cloud.kill());
  delete process.env["NOTIFY_SOCKET"];
  delete process.env["WATCHDOG_USEC"];
  for (const notice of ["READY=1", "STATUS=serving at http:", "WATCHDOG=1"])
    while (!said.includes(notice)) await sleep(10);
  assert.equal((await cloud.stop()).code, 0);
  while (!said.includes("STOPPING=1")) await sleep(10);
});
