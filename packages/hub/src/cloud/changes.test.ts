import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, test } from "node:test";
import { limits, type Share } from "@ledge/model";
import { addLamp, openTestKernel, type TestKernel } from "@ledge/testkit";
import type { Changes } from "./changes.ts";
import { answerOf, changesOf, Follower, linesIn } from "./test-follower.ts";

let hub: TestKernel;
let hubId: string;
let changes: Changes;
let cloud: Follower;

beforeEach(async () => {
  hub = openTestKernel();
  hubId = await hub.accept({ type: "CREATE_HUB", name: "Cabin", timezone: "Europe/Helsinki" });
  changes = changesOf(hub, hubId);
  cloud = new Follower();
});

const setShare = (share: Share): Promise<string> => hub.accept({ type: "SET_SHARE", id: hubId, share });
const report = (id: string, attributes: object): Promise<string> =>
  hub.accept({ type: "REPORT_DEVICE", id, attributes, at: hub.clock.wall() });
const follow = async (max?: number): Promise<void> => cloud.take(await answerOf(changes, cloud.cursor, max));
const isOn = (id: string): unknown => (cloud.devices.get(id) as { state: { isOn: boolean } }).state.isOn;

test("nothing of the home leaves it until the owner shares it", async () => {
  await hub.accept(addLamp());
  const lines = await answerOf(changes, undefined);
  assert.deepEqual(lines, [
    { v: 1, share: "none", generation: 0, full: false, after: null },
    { next: "n.0", more: false },
  ]);
  assert.deepEqual(await answerOf(changes, "n.0"), [
    { v: 1, share: "none", generation: 0, full: false, after: "n.0" },
    { next: "n.0", more: false },
  ]);
});

test("a share begins with the whole home, and goes on with what changes", async () => {
  const lamp = await hub.accept(addLamp());
  await follow();
  await setShare("states");
  await follow();
  assert.deepEqual([cloud.fulls, cloud.devices.size, cloud.events.length], [1, 1, 0]);
  await report(lamp, { isOn: true });
  await report(lamp, { isOn: false });
  await hub.accept({ type: "CMD_DEVICE_META", id: lamp, name: "Reading lamp" });
  await follow();
  assert.equal(cloud.fulls, 1);
  const said = cloud.events.map(({ device, type, changed }) => [device, type, changed]);
  assert.deepEqual(said, [
    [lamp, "StateChanged", { isOn: true }],
    [lamp, "StateChanged", { isOn: false }],
    [lamp, "Updated", { name: "Reading lamp" }],
  ]);
  assert.equal(isOn(lamp), false);
  assert.equal((cloud.devices.get(lamp) as { name: string }).name, "Reading lamp");
});

test("a device is as the hub's API shows it to the owner", async () => {
  const lamp = await hub.accept(addLamp());
  await setShare("states");
  await follow();
  const owner = { role: 64, user: null, since: 0 };
  assert.deepEqual(cloud.devices.get(lamp), hub.kernel.render("device", lamp, owner, "en"));
});

test("a device that was removed is said to be removed, with the time", async () => {
  const lamp = await hub.accept(addLamp());
  await setShare("states");
  await follow();
  await hub.accept({ type: "REMOVE_DEVICE", id: lamp });
  const lines = await answerOf(changes, cloud.cursor);
  const removed = { kind: "device", id: lamp, timestamp: hub.kernel.timestamp };
  assert.ok(lines.some((line) => JSON.stringify(line) === JSON.stringify({ removed })));
  cloud.take(lines);
  assert.equal(cloud.devices.size, 0);
});

test("an answer that is lost is given again", async () => {
  const lamp = await hub.accept(addLamp());
  await setShare("states");
  await follow();
  await report(lamp, { isOn: true });
  const lost = await answerOf(changes, cloud.cursor);
  assert.deepEqual(await answerOf(changes, cloud.cursor), lost);
});

test("an answer ends with the commit that exceeds its size, and says that there is more", async () => {
  const lamp = await hub.accept(addLamp());
  await setShare("states");
  await follow();
  for (let count = 0; count < 5; count++) await report(lamp, { isOn: count % 2 === 0 });
  await follow(2);
  assert.deepEqual([cloud.events.length, cloud.more, isOn(lamp)], [2, true, true]);
  await follow(2);
  await follow(2);
  assert.deepEqual([cloud.events.length, cloud.more], [5, false]);
});

test("everything is told anew after a cursor that leads nowhere", async () => {
  await hub.accept(addLamp());
  await setShare("states");
  await follow();
  const now = hub.kernel.timestamp;
  for (const after of [
    undefined,
    "",
    "n.0",
    "nonsense",
    `s.1.${now}`,
    `s.0.${now + 1}`,
    "s.0.0",
    "s.0.99999999999999999999",
    `s.0.${now}.-1`,
    `s.0.${now}.1.1`,
  ]) {
    const [head] = await answerOf(changes, after);
    assert.equal((head as { full: boolean }).full, true, after);
  }
  const [head] = await answerOf(changes, `s.0.${now}`);
  assert.equal((head as { full: boolean }).full, false);
});

test("a share that ends is told at once, and begins with the whole home again", async () => {
  await hub.accept(addLamp());
  await setShare("states");
  await follow();
  await setShare("none");
  await follow();
  assert.deepEqual([cloud.share, cloud.devices.size, cloud.cursor], ["none", 0, "n.0"]);
  await setShare("states");
  await follow();
  assert.deepEqual([cloud.share, cloud.devices.size, cloud.fulls], ["states", 1, 2]);
});

test("persons, messages and what they did stay at home", async () => {
  await setShare("states");
  await follow();
  const person = { email: "secret@example.org", nickname: "Secret", phone: null, role: 8 };
  await hub.accept({ type: "ADD_USER", id: "user-secret", ...person });
  await hub.accept({ type: "CMD_ROOM", id: null, name: "Secret room" });
  await report(await hub.accept(addLamp()), { isOn: true });
  const text = JSON.stringify(await answerOf(changes, cloud.cursor));
  assert.doesNotMatch(text, /secret/i);
  assert.match(text, /isOn/);
});

describe("while nothing changes", () => {
  /** Asks with a wait of 25 s. Returns the answer as soon as it is there. */
  const waiting = (): { lines: object[]; done: Promise<void>; leave: AbortController } => {
    const lines: object[] = [];
    const leave = new AbortController();
    const request = { after: cloud.cursor, max: 1000, waitMs: 25_000 };
    const done = (async () => {
      for await (const piece of changes.pieces(request, leave.signal)) lines.push(...linesIn(piece));
    })();
    return { lines, done, leave };
  };

  beforeEach(async () => {
    await hub.accept(addLamp());
    await setShare("states");
    await follow();
  });

  test("an answer waits, and comes with the first change", async () => {
    const { lines, done } = waiting();
    await setImmediate();
    assert.equal(lines.length, 0);
    await report([...hub.kernel.all("device")][0]?.[0] ?? "", { isOn: true });
    await done;
    assert.equal(lines.length, 4);
  });

  test("an answer does not wake for what stays at home", async () => {
    const { lines, done } = waiting();
    await hub.accept({ type: "CMD_ROOM", id: null, name: "Attic" });
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    assert.equal(lines.length, 0);
    hub.clock.advance(25_000);
    await done;
    assert.equal(lines.length, 2);
    cloud.take(lines);
    assert.equal(cloud.cursor, `s.0.${hub.kernel.timestamp}`);
  });

  test("an answer during which the share ends leaves the end to be told at once", async () => {
    const request = { after: undefined, max: 1000, waitMs: 0 };
    const lines: object[] = [];
    for await (const piece of changes.pieces(request, new AbortController().signal))
      if (lines.push(...linesIn(piece)) === 1) await setShare("none");
    cloud.take(lines);
    assert.equal(cloud.share, "states");
    const next = waiting();
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    assert.equal(next.lines.length, 2);
    await next.done;
    cloud.take(next.lines);
    assert.deepEqual([cloud.share, cloud.devices.size], ["none", 0]);
  });

  test("an answer comes empty when the time is over, and a cloud that has left costs nothing", async () => {
    const left = waiting();
    left.leave.abort();
    await left.done;
    const { lines, done } = waiting();
    await setImmediate();
    hub.clock.advance(25_000);
    await done;
    assert.equal(lines.length, 2);
    assert.equal(hub.clock.waiting <= 1, true);
  });
});

test("an object that is too long for a line is left out and named, and the cloud forgets it", async () => {
  const short = await hub.accept(addLamp("Lamp", "1"));
  const long = await hub.accept(addLamp("L".repeat(100), "2"));
  await setShare("states");
  changes.stop();
  const left: string[] = [];
  const changeLineBytes = JSON.stringify({ device: hub.kernel.get("device", short) }).length + 50;
  const bounds = { ...limits, changeLineBytes };
  changes = changesOf(hub, hubId, { leftOut: (_, id) => left.push(id), bounds });
  await follow();
  assert.deepEqual([[...cloud.devices.keys()], left], [[short], [long]]);
  await hub.accept({ type: "CMD_DEVICE_META", id: short, name: "S".repeat(100) });
  await follow();
  assert.deepEqual([cloud.devices.size, left], [0, [long, short]]);
});

describe("a home of several pages", () => {
  const lamps: string[] = [];
  const addMany = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++) lamps.push(await hub.accept(addLamp(`Lamp ${at}`, `${lamps.length}`)));
  };
  const everything = async (max: number): Promise<number> => {
    let answers = 0;
    do {
      await follow(max);
      answers++;
    } while (cloud.more);
    return answers;
  };
  const isWhole = (): void => {
    const ids = [...hub.kernel.all("device")].map(([id]) => id);
    assert.deepEqual([...cloud.devices.keys()].toSorted(), ids.toSorted());
  };

  beforeEach(async () => {
    lamps.length = 0;
    await addMany(10);
    await hub.accept({ type: "RAISE_ALARM", kind: "ADAPTER_FAILED", sourceId: "sim", name: "sim" });
    await setShare("states");
  });

  for (const [max, answers] of [
    [12, 1],
    [11, 2],
    [10, 2],
    [9, 2],
    [5, 3],
    [1, 12],
  ] as const) {
    test(`is told in ${answers} answers of at most ${max} objects`, async () => {
      assert.equal(await everything(max), answers);
      isWhole();
      assert.deepEqual([cloud.alarms.size, cloud.fulls, cloud.events.length], [1, 1, 0]);
    });
  }

  test("is told one object at a time when no two fit the bytes of a page", async () => {
    changes = changesOf(hub, hubId, { bounds: { ...limits, changesPageBytes: 1 } });
    assert.equal(await everything(1000), 12);
    isWhole();
  });

  test("is told with what changes, comes and goes between two pages", async () => {
    await follow(5);
    assert.deepEqual([cloud.devices.size, cloud.more], [5, true]);
    const [first = "", , , , , , , , , last = ""] = lamps.toSorted();
    await report(first, { isOn: true });
    await hub.accept({ type: "REMOVE_DEVICE", id: lamps.toSorted()[1] });
    await hub.accept({ type: "REMOVE_DEVICE", id: last });
    await addMany(1);
    await everything(5);
    isWhole();
    assert.deepEqual([isOn(first), cloud.devices.size, cloud.fulls], [true, 9, 1]);
    assert.deepEqual(
      cloud.events.map(({ type }) => type),
      ["StateChanged", "Removed", "Removed", "Added"],
    );
  });

  test("removes only what the page itself would have named", async () => {
    await everything(1000);
    for (const id of lamps.splice(0, 3)) await hub.accept({ type: "REMOVE_DEVICE", id });
    cloud.cursor = undefined;
    await follow(4);
    assert.deepEqual([cloud.devices.size, cloud.more], [7, true]);
    await everything(4);
    isWhole();
  });

  test("goes on with its next page after a restart of the hub", async () => {
    await follow(5);
    hub = hub.restart();
    changes = changesOf(hub, hubId);
    await everything(5);
    isWhole();
    assert.equal(cloud.fulls, 1);
  });

  test("begins anew after a cursor of a page that leads nowhere", async () => {
    await follow(5);
    const now = hub.kernel.timestamp;
    for (const after of [
      `f.0.${now + 1}.device.a`,
      `f.1.${now}.device.a`,
      `f.0.${now}.user.a`,
      `f.0.${now}.device.`,
      `f.0.${now}.device`,
      "f.0..device.a",
    ]) {
      const [head] = await answerOf(changes, after);
      assert.deepEqual(
        [(head as { full: boolean }).full, (head as { from: unknown }).from],
        [true, null],
        after,
      );
    }
    const [head] = await answerOf(changes, `f.0.${now}.device.\n.${"x".repeat(100)}`);
    assert.notEqual((head as { from: unknown }).from, null);
  });
});

test("a home of 20,000 devices is told in answers that a cloud takes", async () => {
  const count = 20_000;
  for (let at = 0; at < count; at += 1000) {
    const adding = Array.from({ length: 1000 }, (_, index) =>
      addLamp(`Lamp ${at + index}`, String(at + index)),
    );
    assert.ok((await hub.submit(adding)).accepted);
  }
  await setShare("states");
  let answers = 0;
  do {
    const lines = await answerOf(changes, cloud.cursor);
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(JSON.stringify(line)) + 1, 0);
    assert.ok(bytes <= limits.changesBytes && lines.length <= limits.changesAtOnce + 2, `${bytes} bytes`);
    cloud.take(lines);
    answers++;
  } while (cloud.more);
  assert.deepEqual([cloud.devices.size, cloud.fulls, answers], [count, 1, count / limits.changesAtOnce + 1]);
});

describe("a commit that is longer than an answer", () => {
  const ids: string[] = [];
  beforeEach(async () => {
    await setShare("states");
    await follow();
    const adding = Array.from({ length: 10 }, (_, at) => addLamp(`Lamp ${at}`, String(at)));
    assert.ok((await hub.submit(adding)).accepted);
    ids.splice(0, ids.length, ...[...hub.kernel.all("device")].map(([id]) => id));
  });
  const told = (): string[] => cloud.events.map(({ device }) => device);

  test("is told in parts, each event once", async () => {
    const cursors: unknown[] = [];
    do {
      await follow(4);
      cursors.push(cloud.cursor);
    } while (cloud.more);
    const { timestamp } = hub.kernel;
    // Each device comes with an event about its binding.
    assert.deepEqual(cursors, [`s.0.${timestamp}.8`, `s.0.${timestamp}.16`, `s.0.${timestamp}`]);
    assert.deepEqual(told(), ids);
    assert.equal(cloud.devices.size, 10);
  });

  test("is told in parts by its bytes, with the objects", async () => {
    changes = changesOf(hub, hubId, { bounds: { ...limits, changesPageBytes: 1 } });
    let answers = 0;
    do {
      await follow();
      answers++;
    } while (cloud.more);
    assert.deepEqual([answers, told(), cloud.devices.size], [10, ids, 10]);
  });

  test("goes on within it after a restart, and never waits there", async () => {
    await follow(4);
    hub = hub.restart();
    changes = changesOf(hub, hubId);
    const lines: object[] = [];
    const request = { after: cloud.cursor, max: 1000, waitMs: 25_000 };
    for await (const piece of changes.pieces(request, new AbortController().signal))
      lines.push(...linesIn(piece));
    cloud.take(lines);
    assert.deepEqual([told(), cloud.more, cloud.fulls], [ids, false, 1]);
  });

  test("is read no further than a number of commits at once", async () => {
    await follow();
    for (let at = 0; at < 5; at++) await hub.accept({ type: "CMD_ROOM", name: `Room ${at}` });
    const last = hub.kernel.timestamp;
    changes = changesOf(hub, hubId, { bounds: { ...limits, changesCommits: 2 } });
    const cursors: unknown[] = [];
    do {
      await follow();
      cursors.push(cloud.cursor);
    } while (cloud.more);
    assert.deepEqual([cursors.length, cursors.at(-1), cloud.fulls], [3, `s.0.${last}`, 1]);
  });
});
