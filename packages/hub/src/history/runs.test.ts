import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { limits } from "@ledge/model";
import { openTestKernel } from "@ledge/testkit";
import { eventually, temporaryFolder } from "../testdata/hub-process.ts";
import { History, historyFolder } from "./history.ts";

const child = new URL("./testdata/indexing.ts", import.meta.url);

/** A hub with an old index folder; the folder's name decides how indexing goes. */
function opened(context: TestContext, what: string, isOff = false) {
  const root = temporaryFolder();
  const folder = join(root.path, what);
  mkdirSync(historyFolder(folder), { recursive: true });
  const { kernel, clock, accept, submit } = openTestKernel();
  const history = new History({
    kernel,
    folder,
    quotaBytes: isOff ? undefined : 1e8,
    clock,
    logger: createLogger("silent"),
    child,
  });
  context.after(async () => {
    await history.stop();
    await kernel.close();
    root.remove();
  });
  /** Passes this many checks and waits for the runs that they started. */
  const checks = async (count = 1): Promise<void> => {
    for (let i = 0; i < count; i++) {
      clock.advance(limits.historyCheckMs);
      await ended(history);
    }
  };
  return { history, kernel, checks, accept, submit, hasIndex: () => existsSync(historyFolder(folder)) };
}

const waits = limits.historyWaitMs / limits.historyCheckMs;

const ended = (history: History): Promise<true> =>
  eventually("an end", async () => (history.status.indexing ? undefined : true));

test("a hub with history off has no index and deletes an old one", async (context) => {
  const { history, checks, hasIndex } = opened(context, "well", true);
  history.start();
  await checks(2);
  history.wanted();
  assert.deepEqual([history.status.state, history.folder, hasIndex()], ["off", undefined, false]);
});

test("indexes the log after the start, on the first question, and then when old news wait", async (context) => {
  const { history, checks, accept } = opened(context, "well");
  history.wanted();
  assert.equal(history.status.indexing, false, "nothing is begun before the hub serves");
  history.start();
  assert.deepEqual([history.status.state, history.folder], ["behind", undefined]);
  history.wanted();
  assert.equal(history.status.indexing, true);
  await ended(history);
  const { state, mark, usedBytes } = history.status;
  assert.deepEqual([state, mark, usedBytes], ["ready", 1, 4096], "it was verified");
  await checks(2 * waits);
  assert.equal(history.status.mark, 1, "nothing new");
  await accept({ type: "CMD_ROOM", name: "Hall" });
  await checks();
  assert.equal(history.status.mark, 2, "it is not verified again");
});

test("indexes the log when there are enough new events", async (context) => {
  const { history, kernel, checks, accept, submit } = opened(context, "well");
  history.start();
  await checks();
  const { events } = kernel.log.stats();
  const news = (): number => kernel.log.stats().events - events;
  const id = await accept({ type: "CMD_ROOM", name: "0" });
  while (news() < limits.historyEvents - 1) {
    const left = Math.min(1000, limits.historyEvents - 1 - news());
    await submit(Array.from({ length: left }, (_, i) => ({ type: "CMD_ROOM", id, name: `${news()} ${i}` })));
  }
  await checks();
  assert.deepEqual([news(), history.status.mark], [limits.historyEvents - 1, 1]);
  await accept({ type: "CMD_ROOM", name: "Hall" });
  await checks();
  assert.equal(history.status.mark, 2);
});

test("deletes the index after each crash of its process, and gives up after several", async (context) => {
  const { history, checks, hasIndex } = opened(context, "crash");
  history.start();
  await checks(1 + (limits.historyFailures - 2) * waits);
  assert.deepEqual([history.status.state, hasIndex()], ["behind", false]);
  await checks(waits);
  assert.deepEqual([history.status.state, hasIndex()], ["failed", false]);
  assert.match(history.status.reason ?? "", /it ended with SIGSEGV/);
  await checks(waits);
  assert.equal(history.status.state, "failed");
});

test("keeps the index of a process that somebody ended, and goes on at the next check", async (context) => {
  const { history, checks, hasIndex } = opened(context, "interrupted");
  history.start();
  await checks(1 + limits.historyFailures * waits);
  assert.deepEqual([history.status.state, history.status.reason, hasIndex()], ["behind", null, true]);
});

test("stops indexing when there is no room and gives the reason; the hub goes on", async (context) => {
  const { history, checks, accept } = opened(context, "full");
  history.start();
  await checks();
  assert.deepEqual([history.status.state, history.status.reason], ["behind", "there is no room"]);
  await accept({ type: "CMD_ROOM", name: "Hall" });
});

test("a read-only hub deletes its index for room and rebuilds it when it serves again", async (context) => {
  const { history, kernel, checks, hasIndex } = opened(context, "well");
  history.start();
  await checks();
  assert.deepEqual([history.status.state, hasIndex()], ["ready", true]);
  kernel.suspend("the disk is full");
  await eventually("the room", async () => (hasIndex() ? undefined : true));
  await checks(2);
  assert.deepEqual([history.status.state, history.status.reason], ["behind", "the disk is full"]);
  kernel.resume();
  await checks();
  assert.deepEqual([history.status.state, history.status.reason], ["ready", null]);
});

test("rebuilds an index that is found damaged while it is read", async (context) => {
  const { history, checks, hasIndex } = opened(context, "well");
  history.start();
  await checks();
  history.distrust();
  await eventually("nothing", async () => (hasIndex() ? undefined : true));
  assert.equal(history.folder, undefined);
  await checks();
  assert.equal(history.status.mark, 1, "it was verified");
});

test("a stop does not wait for the index", async (context) => {
  const { history } = opened(context, "endless");
  history.start();
  history.wanted();
  await eventually("progress", async () => (history.status.mark > 0 ? true : undefined));
  await history.stop();
  assert.equal(history.status.indexing, false);
});
