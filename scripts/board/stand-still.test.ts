import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { temporaryFolder } from "@ledge/testkit";
import { standingStill } from "./stand-still.ts";

test("a process writes nothing while it stands still, and goes on afterwards", async () => {
  const folder = temporaryFolder();
  const file = join(folder.path, "written");
  writeFileSync(file, "");
  const writer = spawn("sh", ["-c", `while :; do echo x >> '${file}'; done`], { stdio: "ignore" });
  const beyond = async (length: number): Promise<void> => {
    while (readFileSync(file).length <= length) await sleep(5);
  };
  try {
    await beyond(0);
    const length = await standingStill(writer.pid ?? 0, async () => {
      const before = readFileSync(file).length;
      await sleep(50);
      assert.equal(readFileSync(file).length, before);
      return before;
    });
    await beyond(length);
    // Work that fails leaves no process that stands still.
    await assert.rejects(
      standingStill(writer.pid ?? 0, () => Promise.reject(new Error("the disk is full"))),
      /the disk is full/,
    );
    await beyond(readFileSync(file).length);
  } finally {
    const ended = once(writer, "close");
    writer.kill("SIGKILL");
    await ended;
    folder.remove();
  }
});

test("a process that ends meanwhile does not hide why the work failed", async () => {
  const sleeper = spawn("sleep", ["600"], { stdio: "ignore" });
  const ended = once(sleeper, "close");
  const work = async (): Promise<never> => {
    sleeper.kill("SIGKILL");
    await ended;
    throw new Error("the copy was cut short");
  };
  await assert.rejects(standingStill(sleeper.pid ?? 0, work), /the copy was cut short/);
});
