import assert from "node:assert/strict";
import { test } from "node:test";
import { NoRoomError } from "./event-log.ts";
import { hasRoom, requireRoom, writeFailure } from "./write-failure.ts";

const cause = Object.assign(new Error("Input/output error"), { code: 5 });
const space = (bytes: number) => async () => ({ bavail: bytes / 4096, bsize: 4096 });

test("classifies a failed write by the free space, not by the error's code", async () => {
  const edge = 16 * 1024 * 1024;
  assert.equal((await writeFailure("/", cause, space(0))).code, "full");
  assert.equal((await writeFailure("/", cause, space(edge - 4096))).code, "full");
  assert.equal((await writeFailure("/", cause, space(edge))).code, "failed");
  assert.equal((await writeFailure("/", { code: 28 }, space(edge))).code, "failed");
});

test("requires room for the commit on top of the threshold of a full disk", async () => {
  const edge = 16 * 1024 * 1024 + 8192;
  await requireRoom("/", 8192, 0, space(edge));
  await assert.rejects(requireRoom("/", 8192, 0, space(edge - 4096)), NoRoomError);
  await assert.rejects(requireRoom("/", 8193, 0, space(edge)), NoRoomError);
});

test("does not charge room within the log's file, unless the disk is full", async () => {
  const full = 16 * 1024 * 1024;
  await requireRoom("/", 8192, 8192, space(full));
  await assert.rejects(requireRoom("/", 8193, 8192, space(full)), NoRoomError);
  await assert.rejects(requireRoom("/", 0, 1_000_000, space(full - 4096)), NoRoomError);
  // A commit that can use none of the free pages still has room on the disk.
  await requireRoom("/", full, 10 * full, space(full));
  await assert.rejects(requireRoom("/", full + 1, 10 * full, space(full)), NoRoomError);
});

test("does not count a disk as full when its free space is unknown", async () => {
  await requireRoom("/", 1, 0, () => Promise.reject(new Error("gone")));
  const failure = await writeFailure("/", cause, () => Promise.reject(new Error("gone")));
  assert.equal(failure.code, "failed");
  assert.equal(failure.cause, cause);
  assert.match(failure.message, /Input\/output error/);
});

test("sees room again only well above the threshold of a full disk", async () => {
  const edge = 24 * 1024 * 1024;
  assert.equal(await hasRoom("/", 0, space(edge - 4096)), false);
  assert.equal(await hasRoom("/", 0, space(edge)), true);
  assert.equal(await hasRoom("/", 4096, space(edge - 4096)), true);
});
