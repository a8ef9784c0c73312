import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { LogRing } from "./log-ring.ts";
import { createLogger } from "@ledge/host/logger";
import { bareProfile, eventually, HubProcess, temporaryFolder } from "../testdata/hub-process.ts";
import { Notices } from "@ledge/host/notices";
import { programFile } from "@ledge/testkit/programs";

/** A socket like the one of systemd, with socat behind it. */
async function receiver(t: TestContext, folder: string): Promise<{ path: string; said: () => string }> {
  const path = join(folder, "notify");
  const child = spawn("socat", ["-u", `UNIX-RECV:${path}`, "STDOUT"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(() => child.kill());
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await eventually("the socket", async () => (existsSync(path) ? true : undefined));
  return { path, said: () => text };
}

const heard = (said: () => string, notice: string): Promise<true> =>
  eventually(notice, async () => (said().includes(notice) ? true : undefined));

test("tells systemd that the hub serves, that it lives, and that it stops", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const { path, said } = await receiver(t, folder.path);
  const env = { NOTIFY_SOCKET: path, WATCHDOG_USEC: "300000" };
  const main = programFile("hub");
  const args = ["--port", "0", "--profile", bareProfile(folder.path)];
  const hub = await HubProcess.startWith(env, main, join(folder.path, "data"), ...args);
  t.after(() => hub.kill());
  await heard(said, "READY=1");
  await heard(said, "STATUS=serving at http:");
  await heard(said, "WATCHDOG=1");
  assert.equal((await hub.stop()).code, 0);
  await heard(said, "STOPPING=1");
});

test("pings three times per watchdog interval, from the event loop, and only for the watched process", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const { path, said } = await receiver(t, folder.path);
  const clock = new SimulatedClock();
  const logger = createLogger("silent");
  const env = { NOTIFY_SOCKET: path, WATCHDOG_USEC: "60000000", WATCHDOG_PID: "7" };
  new Notices(env, 8, clock, logger).ready("another process is watched");
  await heard(said, "another process");
  const notices = new Notices(env, 7, clock, logger);
  notices.ready("two\nlines");
  await heard(said, "STATUS=two lines");
  const signs = (): number => said().split("WATCHDOG=1").length - 1;
  clock.advance(19_999);
  notices.status("before");
  await heard(said, "STATUS=before");
  assert.equal(signs(), 0);
  clock.advance(1);
  await eventually("one sign", async () => (signs() === 1 ? true : undefined));
  clock.advance(40_000);
  await eventually("three signs", async () => (signs() === 3 ? true : undefined));
  notices.stopping();
  clock.advance(600_000);
  await heard(said, "STOPPING=1");
  assert.equal(signs(), 3);
});

test("logs a failed notice once, and sends none when systemd does not run the hub", async () => {
  const ring = new LogRing();
  const logger = createLogger("silent", ring);
  const clock = new SimulatedClock();
  const notices = new Notices({ NOTIFY_SOCKET: "/nowhere/notify" }, 1, clock, logger);
  notices.ready("a");
  await eventually("the failure", async () => (ring.end > 0 ? true : undefined));
  notices.status("b");
  notices.stopping();
  new Notices({}, 1, clock, logger).ready("c");
  await new Promise((resolve) => spawn("systemd-notify", ["--version"]).once("exit", resolve));
  assert.equal(ring.end, 1);
  assert.match(ring.read(0).text, /error systemd-notify could not send the state of the process to systemd/);
});
