import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { isServed, lockFolder, LockedError, socketPath } from "./lock.ts";
import { finishReplacement } from "./replace-folder.ts";
import { temporaryFolder } from "@ledge/testkit";

test("lockFolder gives a folder to one process at a time", async () => {
  const folder = temporaryFolder();
  const unlock = await lockFolder(folder.path, createServer());
  assert.equal(await isServed(folder.path), true);
  assert.equal(statSync(socketPath(folder.path)).mode & 0o777, 0o600);
  await assert.rejects(lockFolder(folder.path, createServer()), LockedError);
  await unlock();
  assert.equal(await isServed(folder.path), false);
  await (
    await lockFolder(folder.path, createServer())
  )();
  folder.remove();
});

test("lockFolder gives a folder to one of many that start at once", async () => {
  const folder = temporaryFolder();
  const tries = await Promise.allSettled(
    Array.from({ length: 8 }, () => lockFolder(folder.path, createServer())),
  );
  const got = tries.filter((found) => found.status === "fulfilled");
  assert.equal(got.length, 1);
  for (const { value } of got) await value();
  folder.remove();
});

test("lockFolder replaces the socket of a killed process", async () => {
  const folder = temporaryFolder();
  const path = socketPath(folder.path);
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('bound'))`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  await assert.rejects(lockFolder(folder.path, createServer()), LockedError);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(existsSync(path), true);
  await (
    await lockFolder(folder.path, createServer())
  )();
  folder.remove();
});

test("lockFolder creates a missing folder, for its owner only", async () => {
  const folder = temporaryFolder();
  const deep = join(folder.path, "a", "b");
  const unlock = await lockFolder(deep, createServer());
  assert.equal(statSync(deep).mode & 0o777, 0o700);
  await unlock();
  folder.remove();
});

test("lockFolder closes a hub's folder to others, and refuses one that others use", async () => {
  const folder = temporaryFolder();
  const modeOf = (): number => statSync(folder.path).mode & 0o7777;
  for (const mode of [0o777, 0o755, 0o710]) {
    chmodSync(folder.path, mode);
    await (
      await lockFolder(folder.path, createServer())
    )();
    assert.equal(modeOf(), 0o700);
  }
  writeFileSync(join(folder.path, "theirs"), "");
  for (const mode of [0o777, 0o1777]) {
    chmodSync(folder.path, mode);
    await assert.rejects(lockFolder(folder.path, createServer()), /a folder of its own/);
    assert.equal(modeOf(), mode);
    mkdirSync(join(folder.path, "log"), { recursive: true });
  }
  chmodSync(folder.path, 0o777);
  await (
    await lockFolder(folder.path, createServer())
  )();
  assert.equal(modeOf(), 0o700);
  folder.remove();
});

test("lockFolder completes an interrupted replacement if the new folder is ready", async () => {
  const folder = temporaryFolder();
  const place = join(folder.path, "hub");
  mkdirSync(`${place}.new`, { mode: 0o700 });
  writeFileSync(join(`${place}.new`, "mark"), "");
  finishReplacement(place);
  assert.equal(existsSync(place), false);
  writeFileSync(join(`${place}.new`, "ready.new"), "");
  await (
    await lockFolder(place, createServer())
  )();
  assert.deepEqual(readdirSync(place), ["mark"]);
  folder.remove();
});

test("lockFolder refuses a path that is too long for a socket, and says why", async () => {
  const folder = temporaryFolder();
  const long = join(folder.path, "x".repeat(120));
  mkdirSync(long);
  await assert.rejects(lockFolder(long, createServer()), /cannot bind/);
  folder.remove();
});
