import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kernel, KernelErrorCode } from "@ledge/kernel";
import { KernelError } from "@ledge/kernel";
import type { Command } from "@ledge/model";
import { alarmId, limits } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { Notes } from "./notes.ts";

const id = alarmId("DISK_FULL", "hub");
const raised = { type: "RAISE_ALARM", kind: "DISK_FULL" };
const closed = { type: "CLOSE_ALARM", id } as Command;

/** A kernel that refuses everything while `trouble` is set. */
class Bench {
  readonly hub: TestKernel = openTestKernel();
  trouble: KernelErrorCode | undefined;
  asked = 0;
  readonly notes: Notes = new Notes(
    { submit: (...args) => this.#submit(...args) },
    this.hub.clock,
    createLogger("silent"),
  );

  #submit(...args: Parameters<Kernel["submit"]>): ReturnType<Kernel["submit"]> {
    this.asked += 1;
    if (this.trouble !== undefined) return Promise.reject(new KernelError(this.trouble, "refused"));
    return this.hub.kernel.submit(...args);
  }

  types(): string[] {
    return [...this.hub.kernel.log.read()].flatMap(({ events }) => events.map(({ type }) => type));
  }

  raise(sourceId: string): Promise<void> {
    return this.notes.note({ ...raised, sourceId, name: sourceId } as Command);
  }
}

test("stores an alarm at once when it can", async () => {
  const bench = new Bench();
  await bench.raise("hub");
  assert.equal(bench.hub.kernel.get("alarm", id)?.closed, false);
  await bench.notes.note(closed);
  assert.equal(bench.hub.kernel.get("alarm", id)?.closed, true);
  assert.equal(bench.notes.waiting, 0);
});

for (const trouble of ["read-only", "busy"] as const) {
  test(`keeps notes while the kernel is ${trouble} and stores them in order afterwards`, async () => {
    const bench = new Bench();
    bench.trouble = trouble;
    await bench.raise("hub");
    await bench.notes.note(closed);
    await bench.hub.clock.pass(limits.noteRetryMs);
    assert.deepEqual([bench.types(), bench.notes.waiting], [[], 2]);
    bench.trouble = undefined;
    await bench.raise("other");
    await bench.hub.clock.pass(limits.noteRetryMs);
    assert.deepEqual(bench.types(), ["AlarmRaised", "AlarmClosed", "AlarmRaised"]);
    assert.equal(bench.notes.waiting, 0);
    const { asked } = bench;
    await bench.hub.clock.pass(limits.noteRetryMs * 3);
    assert.equal(bench.asked, asked, "it asks again though nothing waits");
  });
}

test(`keeps at most ${limits.notesKept} notes and drops the oldest`, async () => {
  const bench = new Bench();
  bench.trouble = "read-only";
  for (let number = 0; number <= limits.notesKept; number++) await bench.raise(`s${number}`);
  assert.equal(bench.notes.waiting, limits.notesKept);
  bench.trouble = undefined;
  await bench.hub.clock.pass(limits.noteRetryMs);
  assert.equal(bench.notes.waiting, 0);
  const last = alarmId("DISK_FULL", `s${limits.notesKept}`);
  assert.equal(bench.hub.kernel.get("alarm", last)?.closed, false);
});

test("skips a note that no longer fits the state and stores the rest", async () => {
  const bench = new Bench();
  await bench.notes.note(
    { type: "CLOSE_ALARM", id: "nowhere" } as never,
    {
      type: "RAISE_ALARM",
      kind: "DISK_FULL",
      sourceId: "hub",
      name: "hub",
    } as never,
  );
  assert.deepEqual(bench.types(), ["AlarmRaised"]);
});

for (const trouble of ["failed", "closed"] as const) {
  test(`drops a note that the kernel refuses because it has ${trouble}`, async () => {
    const bench = new Bench();
    bench.trouble = trouble;
    await bench.raise("hub");
    assert.deepEqual([bench.notes.waiting, bench.asked], [0, 1]);
  });
}

test("does not retry after a stop", async () => {
  const bench = new Bench();
  bench.trouble = "read-only";
  await bench.raise("hub");
  bench.notes.stop();
  await bench.hub.clock.pass(limits.noteRetryMs * 2);
  assert.deepEqual([bench.notes.waiting, bench.asked], [0, 1]);
});
