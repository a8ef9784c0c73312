import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failure } from "../../api/call.ts";
import type { Timeline } from "../../api/past.ts";
import type { Device } from "../../store/wire.ts";
import { createArchive, type PastSource } from "./archive.ts";

const failed = (status: number, oldest?: number): { ok: false } & Failure => ({
  ok: false,
  status,
  message: "",
  retryAfterS: undefined,
  oldest,
  errors: [],
});
const told = (parts: Partial<Timeline>): { ok: true; value: Timeline } => ({
  ok: true,
  value: { entries: [], next: null, counts: null, ...parts },
});

/** A hub that knows the past from a time on; two slices of 600 events each, so a span each. */
function sourceFrom(first: number): { source: PastSource; asked: string[] } {
  const asked: string[] = [];
  const lamp = { id: "lamp", state: { isOn: false } } as unknown as Device;
  const source: PastSource = {
    counts: async () => told({ counts: [0, 50].map((at) => ({ at, events: 600, alarms: 0 })) }),
    devices: async (at) => {
      asked.push(`devices ${at}`);
      return at < first ? failed(404, first) : { ok: true, value: { lamp } };
    },
    changes: async ({ from, until }, before) => {
      asked.push(`changes ${from}-${until} ${before ?? ""}`.trimEnd());
      const entry = {
        ref: "r",
        at: before === undefined ? until - 1 : from + 1,
        type: "DeviceReported",
        kind: "device",
        object: { kind: "device", id: "lamp", name: "Lamp" },
        text: "",
        origin: "",
        cause: null,
        change: { isOn: before === undefined },
      };
      return told({ entries: [entry], next: before === undefined ? "older" : null });
    },
    whole: async (at) => {
      asked.push(`whole ${at}`);
      return undefined;
    },
  };
  return { source, asked };
}

/** Lets the archive read until it has nothing more to ask. */
async function readAll(archive: ReturnType<typeof createArchive>): Promise<AbortController> {
  const stop = new AbortController();
  void archive.read(stop.signal);
  await new Promise((resolve) => setImmediate(resolve));
  return stop;
}

test("reads each span from a keyframe and all pages behind it, the nearest first", async () => {
  const { source, asked } = sourceFrom(0);
  const archive = createArchive({ from: 0, until: 100 }, source);
  archive.look(10);
  const stop = await readAll(archive);
  assert.deepEqual(asked, [
    "devices 0",
    "changes 1-50",
    "changes 1-50 older",
    "devices 50",
    "changes 51-100",
    "changes 51-100 older",
  ]);
  assert.equal(archive.playerAt(20)?.reel.from, 0);
  assert.deepEqual(archive.playerAt(99)?.seek(99)["lamp"]?.state["isOn"], true);
  archive.rest(30);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(asked.at(-1), "whole 30");
  stop.abort();
});

test("ends where the hub's past begins", async () => {
  const { source, asked } = sourceFrom(20);
  const archive = createArchive({ from: 0, until: 100 }, source);
  archive.look(0);
  const stop = await readAll(archive);
  assert.equal(archive.oldest.value, 20);
  assert.deepEqual(asked.slice(0, 3), ["devices 0", "devices 20", "changes 21-50"]);
  assert.equal(archive.failure.value, undefined);
  stop.abort();
});

test("drops a span that lies wholly before the hub's past", async () => {
  const { source, asked } = sourceFrom(60);
  const archive = createArchive({ from: 0, until: 100 }, source);
  archive.look(0);
  const stop = await readAll(archive);
  assert.deepEqual(asked.slice(0, 2), ["devices 0", "devices 60"]);
  stop.abort();
});

test("stops at a failure, and tells it", async () => {
  const { source, asked } = sourceFrom(0);
  const archive = createArchive({ from: 0, until: 100 }, { ...source, devices: async () => failed(503) });
  await readAll(archive);
  assert.equal(archive.failure.value?.status, 503);
  assert.deepEqual(asked, []);
});

test("asks again for what the hub did not tell when the slider rests", async () => {
  const { source, asked } = sourceFrom(0);
  let isAway = true;
  const archive = createArchive(
    { from: 0, until: 100 },
    {
      ...source,
      counts: async (...about) => (isAway ? failed(0) : source.counts(...about)),
      whole: async (...about) => (isAway ? failed(503) : source.whole(...about)),
    },
  );
  const refusal = (): number | undefined => archive.failure.value?.status;
  const stop = await readAll(archive);
  assert.equal(refusal(), 0);
  isAway = false;
  archive.rest(30);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(refusal(), undefined);
  assert.deepEqual([asked[0], archive.counts.value.length, archive.reels.value], ["whole 30", 2, 2]);
  isAway = true;
  archive.rest(40);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(refusal(), 503);
  isAway = false;
  archive.rest(40);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([refusal(), asked.at(-1)], [undefined, "whole 40"]);
  stop.abort();
});
