import assert from "node:assert/strict";
import { test } from "node:test";
import { NoRoomError } from "./event-log.ts";
import { hasRoom, requireRoom, writeFailure } from "./write-failure.ts";

const cause = Object.assign(new Error("Input/output error"), { code: 5 });
const space = (bytes: number) => async () => ({ bavail: bytes / 4096, bsize: 4096 });

test("the free space decides what a failed write means, not the error's code", async () => {
  const edge = 16 * 1024 * 1024;
  assert.equal((await writeFailure("/", cause, space(0))).code, "full");
  assert.equal((await writeFailure("/", cause, space(edge - 4096))).code, "full");
  assert.equal((await writeFailure("/", cause, space(edge))).code, "failed");
  assert.equal((await writeFailure("/", { code: 28 }, space(edge))).code, "failed");
});

test("a commit needs room for itself and as much as a full disk still has", async () => {
  const edge = 16 * 1024 * 1024 + 8192;
  await requireRoom("/", 8192, 0, space(edge));
  await assert.rejects(requireRoom("/", 8192, 0, space(edge - 4096)), NoRoomError);
  await assert.rejects(requireRoom("/", 8193, 0, space(edge)), NoRoomError);
});

test("what the file takes without growing is not charged, but a full disk stays one", async () => {
  const full = 16 * 1024 * 1024;
  await requireRoom("/", 8192, 8192, space(full));
  await assert.rejects(requireRoom("/", 8193, 8192, space(full)), NoRoomError);
  await assert.rejects(requireRoom("/", 0, 1_000_000, space(full - 4096)), NoRoomError);
  // A commit that could use none of the free pages would still have its bytes.
  await requireRoom("/", full, 10 * full, space(full));
  await assert.rejects(requireRoom("/", full + 1, 10 * full, space(full)), NoRoomError);
});

test("what cannot be found out is no full disk", async () => {
  await requireRoom("/", 1, 0, () => Promise.reject(new Error("gone")));
  const failure = await writeFailure("/", cause, () => Promise.reject(new Error("gone")));
  assert.equal(failure.code, "failed");
  assert.equal(failure.cause, cause);
  assert.match(failure.message, /Input\/output error/);
});

test("there is room again well above what counts as full", async () => {
  const edge = 24 * 1024 * 1024;
  assert.equal(await hasRoom("/", 0, space(edge - 4096)), false);
  assert.equal(await hasRoom("/", 0, space(edge)), true);
  assert.equal(await hasRoom("/", 4096, space(edge - 4096)), true);
});
