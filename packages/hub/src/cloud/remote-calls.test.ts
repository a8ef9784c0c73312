import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kernel } from "@ledge/kernel";
import { limits, type LoggedEvent, type RemoteCalled } from "@ledge/model";
import { SimulatedClock, openTestKernel, type TestKernel } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { eventsAfter } from "../console/events.ts";
import { openHub, type RunningHub } from "../hub.ts";
import { readProfile } from "../profile.ts";
import { bareProfile, temporaryFolder } from "../testdata/hub-process.ts";
import { RemoteCalls } from "./remote-calls.ts";

type Noted = [user: string | null, row: string | null, status: number | null, count: number];

const noted = (kernel: Kernel): Noted[] =>
  [...kernel.log.read()].flatMap(({ events }) =>
    events.flatMap((event) => {
      if (event.type !== "RemoteCalled") return [];
      assert.equal(event.origin, "system");
      const { user, row, status, count } = event as LoggedEvent<RemoteCalled>;
      return [[user, row, status, count] satisfies Noted];
    }),
  );

async function open(): Promise<TestKernel & { calls: RemoteCalls }> {
  const hub = openTestKernel();
  const id = await hub.accept({ type: "CREATE_HUB", name: "Cabin", timezone: "UTC" });
  return { ...hub, calls: new RemoteCalls(hub.kernel, hub.clock, id) };
}

const poll = "GET /hub/poll";

test("records the first call of a kind soon, and later calls together once per interval", async () => {
  const { kernel, clock, calls } = await open();
  calls.called("ada", poll, 200);
  await clock.pass(limits.telemetryWindowMs);
  assert.deepEqual(noted(kernel), [["ada", poll, 200, 1]]);
  for (let polls = 1; polls <= 90; polls++) {
    await clock.pass(2000);
    calls.called("ada", poll, 200);
  }
  await clock.pass(limits.remoteCallMs);
  const counts = noted(kernel).map(([, , , count]) => count);
  assert.equal(counts.length, 5);
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    91,
  );
  assert.ok(counts.every((count) => count <= 30));
});

test("counts each user, row and status separately, and begins anew after a quiet interval", async () => {
  const { kernel, clock, calls } = await open();
  calls.called("ada", poll, 200);
  calls.called("eve", poll, 200);
  calls.called("ada", "GET /rooms", 200);
  calls.called("ada", poll, 429);
  calls.called(null, poll, 401);
  await clock.pass(limits.telemetryWindowMs);
  const first = [
    ["ada", poll, 200, 1],
    ["eve", poll, 200, 1],
    ["ada", "GET /rooms", 200, 1],
    ["ada", poll, 429, 1],
    [null, poll, 401, 1],
  ];
  assert.deepEqual(noted(kernel), first);
  await clock.pass(limits.remoteCallMs * 2);
  assert.equal(clock.waiting, openTestKernel().clock.waiting);
  calls.called("ada", poll, 200);
  await clock.pass(limits.telemetryWindowMs);
  assert.deepEqual(noted(kernel), [...first, ["ada", poll, 200, 1]]);
});

for (const [whose, user, most] of [
  ["known callers", "ada", limits.remoteCallKinds],
  ["all others", null, limits.unknownCallKinds],
] as const) {
  test(`counts ${most} kinds of ${whose} separately and all others together, without displacing any`, async () => {
    const { kernel, clock, calls } = await open();
    for (let row = 0; row < most + 3; row++) calls.called(user, `GET /${row}`, 403);
    await clock.pass(limits.telemetryWindowMs);
    assert.equal(noted(kernel).length, most);
    const other = user === null ? "eve" : null;
    calls.called(other, poll, 401);
    await clock.pass(limits.remoteCallMs);
    assert.deepEqual(noted(kernel).slice(most), [
      [other, poll, 401, 1],
      [null, null, null, 3],
    ]);
  });
}

test("keeps counting while nothing can be stored", async () => {
  const { kernel, clock, calls } = await open();
  kernel.suspend("the disk is full");
  for (let row = 0; row <= limits.unknownCallKinds; row++) calls.called(null, `GET /${row}`, 401);
  for (let minutes = 0; minutes < 3; minutes++) {
    calls.called("ada", poll, 200);
    await clock.pass(limits.remoteCallMs);
  }
  assert.deepEqual(noted(kernel), []);
  kernel.resume();
  await clock.pass(limits.remoteCallMs + limits.telemetryWindowMs);
  const stored = noted(kernel);
  assert.equal(stored.length, 1 + limits.unknownCallKinds + 1);
  assert.deepEqual(stored[0], ["ada", poll, 200, 3]);
  assert.deepEqual(stored.at(-1), [null, null, null, 1]);
});

test("records the remaining counts at a stop and leaves no timer", async () => {
  const { kernel, clock, calls } = await open();
  const waiting = clock.waiting;
  for (let polls = 0; polls < 4; polls++) calls.called("ada", poll, 200);
  await calls.stop();
  assert.deepEqual(noted(kernel), [
    ["ada", poll, 200, 1],
    ["ada", poll, 200, 3],
  ]);
  calls.called("ada", poll, 200);
  assert.equal(clock.waiting, waiting);
});

test("records calls at the hub's remote listener, also those just before a stop", async () => {
  const folder = temporaryFolder();
  const clock = new SimulatedClock();
  const start = (): Promise<RunningHub> =>
    openHub({
      profile: readProfile(bareProfile(folder.path)),
      folder: folder.path,
      clock,
      logger: createLogger("silent"),
      onFatal: assert.fail,
      address: () => null,
      free: async () => limits.reserveAgainBytes,
    });
  const first = await start();
  for (let calls = 0; calls < 3; calls++) await first.app("remote").request("http://hub/hub");
  await first.close();
  const second = await start();
  const events = eventsAfter(second.kernel, { timestamp: 0, index: 0 }, limits.pageEvents);
  assert.equal(events.filter(({ event }) => event.type === "RemoteCalled").length, 2);
  assert.deepEqual(noted(second.kernel), [
    [null, "GET /hub", 200, 1],
    [null, "GET /hub", 200, 2],
  ]);
  await second.close();
  folder.remove();
});
