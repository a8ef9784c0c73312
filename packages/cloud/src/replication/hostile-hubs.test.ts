// Hubs that tell what no hub of ours tells, through real tunnels, beside a hub that tells its home.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { ServerHttp2Stream } from "node:http2";
import { after, before, describe, test } from "node:test";
import { constants as zlib, zstdCompressSync } from "node:zlib";
import { limits } from "@ledge/model";
import { until } from "@ledge/testkit";
import { Served } from "../http/test-served.ts";
import { PushClient } from "../push/test-client.ts";
import { type Asked, deviceLine, headLine, linesOf, send, TestHome } from "./test-home.ts";

let served: Served;
let honest: TestHome;
before(async () => {
  served = await Served.start();
  honest = await TestHome.open(served, "honest@example.org");
  const first = await honest.next(1);
  send(
    first,
    linesOf(first, [deviceLine("lamp"), deviceLine("door")], { next: "s.1", more: false }, { full: true }),
  );
  await honest.stored("s.1");
});
after(() => served.stop());

const untouched = async (): Promise<void> => assert.deepEqual(await honest.ids(), ["door", "lamp"]);
const end = { next: "s.1", more: false };

const deep = "[".repeat(30_000) + "]".repeat(30_000);

/** A device whose line is nested so deep: the line, the device, its state, and lists. */
function deepLine(id: string, depth: number): object {
  let value: unknown = [];
  for (let level = 4; level < depth; level++) value = [value];
  return deviceLine(id, 1, { state: { value } });
}

let count = 0;
const opened = (answer?: (asked: Asked) => void): Promise<TestHome> =>
  TestHome.open(served, `hostile${++count}@example.org`, answer);

/** Writes a text again and again, as fast as the cloud takes it. @returns how many bytes it took */
async function pour(stream: ServerHttp2Stream, text: string): Promise<number> {
  let given = 0;
  const closed = once(stream, "close");
  while (!stream.destroyed && !stream.closed) {
    given += text.length;
    if (!stream.write(text)) await Promise.race([closed, once(stream, "drain")]);
  }
  return given;
}

const zstd = { "content-encoding": "zstd" };
const compressed = (text: string | Buffer, windowLog?: number): Buffer =>
  zstdCompressSync(text, windowLog ? { params: { [zlib.ZSTD_c_windowLog]: windowLog } } : {});
const manyLines = (asked: Asked, length: number): string =>
  linesOf(
    asked,
    Array.from({ length }, (_, at) => deviceLine(`d${at}`)),
    end,
  );

describe("the cloud takes nothing of an answer", () => {
  for (const [what, answer, reason] of [
    ["that is empty", (asked) => send(asked, ""), /cut off/],
    [
      "that is no text",
      (asked) => send(asked, randomBytes(10_000)),
      /not JSON|JSON body|cut off|not understood/,
    ],
    ["without its end", (asked) => send(asked, linesOf(asked, [deviceLine("a")], {})), /last line/],
    ["that is cut within a line", (asked) => send(asked, linesOf(asked, [], end).slice(0, -5)), /cut off/],
    [
      "to another cursor",
      (asked) => send(asked, linesOf(asked, [], end, { after: "s.9" })),
      /another cursor/,
    ],
    ["of another version", (asked) => send(asked, linesOf(asked, [], end, { v: 2 as never })), /first line/],
    [
      "that shares more than there is",
      (asked) => send(asked, linesOf(asked, [], end, { share: "all" as never })),
      /first line/,
    ],
    [
      "with persons",
      (asked) => send(asked, linesOf(asked, [{ user: { id: "ann", timestamp: 1 } }], end)),
      /a line is/,
    ],
    ["with a list for a device", (asked) => send(asked, linesOf(asked, [{ device: [] }], end)), /a line is/],
    [
      "with a number for an id",
      (asked) => send(asked, linesOf(asked, [{ device: { id: 7, timestamp: 1 } }], end)),
      /a line is/,
    ],
    [
      "with a text for a time",
      (asked) => send(asked, linesOf(asked, [{ alarm: { id: "a", timestamp: "1" } }], end)),
      /a line is/,
    ],
    ["with an empty cursor", (asked) => send(asked, linesOf(asked, [], { ...end, next: "" })), /last line/],
    [
      "with a cursor without end",
      (asked) => send(asked, linesOf(asked, [], { ...end, next: "x".repeat(1000) })),
      /last line/,
    ],
    [
      "with more lines than a hub sends",
      (asked) => send(asked, manyLines(asked, 2 * limits.changesAtOnce + 1)),
      /too many/,
    ],
    [
      "that is nested too deep",
      (asked) =>
        send(
          asked,
          linesOf(asked, [deviceLine("a", 1, { deep: 0 })], end).replace('"deep":0', `"deep":${deep}`),
        ),
      /nested more than 64 deep/,
    ],
    ["in an unknown encoding", (asked) => send(asked, "x", { "content-encoding": "br" }), /unknown encoding/],
    ["in broken zstd", (asked) => send(asked, randomBytes(1000), zstd), /./],
    [
      "in zstd that is cut",
      (asked) => send(asked, compressed(manyLines(asked, 100)).subarray(0, -9), zstd),
      /./,
    ],
    [
      "in zstd of too large a window",
      (asked) => send(asked, compressed(Buffer.alloc(2 ** 25), 25), zstd),
      /./,
    ],
    [
      "that unfolds to a line without end",
      (asked) => send(asked, compressed(Buffer.alloc(200_000_000, "x")), zstd),
      /too large/,
    ],
    [
      "that unfolds to lines without end",
      (asked) => send(asked, compressed(`${headLine(asked)}${"{}\n".repeat(5_000_000)}`), zstd),
      /too large/,
    ],
    [
      "with another status",
      ({ stream }) => stream.respond({ ":status": 500 }, { endStream: true }),
      /answers 500/,
    ],
    ["that never begins", ({ stream }) => stream.close(), /no answer/],
  ] as readonly (readonly [string, (asked: Asked) => void, RegExp])[]) {
    test(`${what}, says why, and asks again later`, async () => {
      const home = await opened(answer);
      await until("the failure", () => home.reasons.length > 0);
      assert.match(String(home.reasons[0]), reason);
      await served.test.clock.pass(limits.changesBackoffMinMs / 2 - 1);
      assert.equal(home.asked.length, 1);
      await served.test.clock.pass(limits.changesBackoffMinMs);
      await home.next(2);
      assert.deepEqual([home.asked[1]?.after, await home.ids()], [null, []]);
      await untouched();
    });
  }
});

describe("the cloud stops reading", () => {
  for (const [what, text, reason] of [
    ["a line without end", "x".repeat(10_000), /line is too long/],
    [
      "lines without end",
      `${JSON.stringify(deviceLine("a", 1, { text: "x".repeat(60_000) }))}\n`,
      /too large/,
    ],
  ] as const) {
    test(`${what} before it has much of them`, async () => {
      const { promise, resolve } = Promise.withResolvers<number>();
      const home = await opened((asked) => {
        asked.stream.respond({ ":status": 200 });
        asked.stream.write(headLine(asked));
        void pour(asked.stream, text).then(resolve);
      });
      const taken = await promise;
      assert.ok(taken <= limits.changesBytes + 2 * limits.tunnelStreamBytes, `${taken} bytes`);
      await until("the failure", () => home.reasons.length > 0);
      assert.match(String(home.reasons[0]), reason);
      await untouched();
    });
  }

  test("an answer that dribbles, so that others get its place", async () => {
    const home = await opened(({ stream }) => {
      stream.respond({ ":status": 200 });
      stream.write("{");
    });
    await home.next(1);
    for (let passed = 0; home.reasons.length === 0; passed += 1000) {
      assert.ok(passed <= 10 * limits.changesReadMs);
      await served.test.clock.pass(1000);
    }
    assert.match(String(home.reasons[0]), /takes too long/);
    await untouched();
  });
});

describe("a hub reaches its own register alone", () => {
  test("with ids of another hub and of its devices", async () => {
    const home = await opened();
    const first = await home.next(1);
    const ids = ["lamp", "door", honest.hub.id];
    send(
      first,
      linesOf(
        first,
        ids.map((id) => deviceLine(id, 99)),
        end,
        { full: true, generation: 9 },
      ),
    );
    const second = await home.next(2);
    assert.deepEqual(await home.ids(), ids.toSorted());
    const gone = ids.map((id) => ({ removed: { kind: "device", id, timestamp: 99 } }));
    send(
      second,
      linesOf(
        second,
        [...gone, { removed: { kind: "device", id: home.hub.id, timestamp: 9 } }],
        { ...end, next: "s.2" },
        { generation: 9 },
      ),
    );
    const third = await home.next(3);
    assert.deepEqual(await home.ids(), []);
    assert.equal((await home.object())["share"], "states");
    send(third, linesOf(third, [], { ...end, next: "n.1" }, { share: "none", generation: 9 }));
    await home.stored("n.1");
    await untouched();
    assert.equal((await honest.object())["share"], "states");
  });

  test("with times of long ago and of the far future, which never go back", async () => {
    const home = await opened();
    const first = await home.next(1);
    const { timestampMax } = limits;
    const lines = [
      deviceLine("old", 0),
      deviceLine("new", timestampMax),
      deviceLine("beyond", timestampMax + 1),
    ];
    send(first, linesOf(first, [...lines, deviceLine("before", -1)], end, { full: true }));
    const second = await home.next(2);
    assert.deepEqual(await home.ids(), ["new", "old"]);
    const told = served.log.filter(({ hubId, leftOut }) => hubId === home.hub.id && leftOut !== undefined);
    assert.deepEqual(
      told.map(({ leftOut }) => leftOut),
      [2],
    );
    send(second, linesOf(second, [deviceLine("new", 5, { name: "Now" })], { ...end, next: "s.2" }));
    await home.stored("s.2");
    const row = await served.test.cloud.registers.get({ register: home.hub.id, kind: "device", id: "new" });
    assert.deepEqual([row?.timestamp, row?.object?.["name"]], [timestampMax, "Now"]);
    await untouched();
  });

  test("with a generation that goes back, which is refused and named", async () => {
    const home = await opened();
    const first = await home.next(1);
    send(first, linesOf(first, [deviceLine("a")], end, { full: true, generation: 5 }));
    const second = await home.next(2);
    send(second, linesOf(second, [deviceLine("b")], end, { generation: 4 }));
    await until("the failure", () => home.reasons.length > 0);
    assert.match(String(home.reasons[0]), /generation 4/);
    assert.deepEqual(await home.ids(), ["a"]);
  });

  test("with a cursor that goes back and forth", async () => {
    const home = await opened();
    for (const [turn, next] of ["s.2", "s.1", "s.2", "s.1"].entries()) {
      const asked = await home.next(turn + 1);
      send(asked, linesOf(asked, [deviceLine("a", turn)], { next, more: true }));
      await home.stored(next);
    }
    assert.deepEqual(await home.ids(), ["a"]);
    await untouched();
  });
});

describe("the register of a hub that tells too much", () => {
  for (const [what, bounds, taken] of [
    ["takes no row beyond their number", { sourceRows: 3 }, ["a", "b"]],
    ["takes no row beyond their bytes, and smaller ones", { sourceBytes: 140_000 }, ["a", "b", "d"]],
  ] as const) {
    test(what, async (context) => {
      const cloud = await Served.start({}, undefined, { registerBounds: { ...limits, ...bounds } });
      context.after(() => cloud.stop());
      const home = await TestHome.open(cloud, "many@example.org");
      const other = await TestHome.open(cloud, "few@example.org");
      const long = { text: "x".repeat(limits.changeLineBytes - 200) };
      const lines = [...["a", "b", "c"].map((id) => deviceLine(id, 1, long)), deviceLine("d")];
      const first = await home.next(1);
      send(first, linesOf(first, lines, end, { full: true }));
      const second = await home.next(2);
      assert.deepEqual(await home.ids(), taken);
      const told = cloud.log.flatMap(({ hubId, leftOut }) => (hubId === home.hub.id ? [leftOut] : []));
      assert.deepEqual(told, [lines.length - taken.length]);
      const gone = [{ removed: { kind: "device", id: "a", timestamp: 2 } }];
      send(second, linesOf(second, [...gone, deviceLine("c", 2, long)], { ...end, next: "s.2" }));
      await home.stored("s.2");
      assert.deepEqual(await home.ids(), taken.map((id) => (id === "a" ? "c" : id)).toSorted());
      const asked = await other.next(1);
      send(asked, linesOf(asked, lines.slice(0, 2), end, { full: true }));
      await other.stored("s.1");
      assert.deepEqual(await other.ids(), ["a", "b"]);
    });
  }
});

/** How far the clock goes at once while a test waits for a pause to end. */
const stepMs = 5;

test("a hub that always has more and tells nothing is asked at a slow pace", async () => {
  let turn = 0;
  const home = await opened((asked) =>
    send(asked, linesOf(asked, [], { next: `s.${(turn += 1)}`, more: true }, { full: turn === 1 })),
  );
  // The first answer adds the hub itself; the last one was asked for before the pause.
  const asked = limits.changesFruitless + 3;
  await home.next(asked);
  // The cloud may still be storing the last answer, and pauses once it has.
  let passedMs = 0;
  await until("the next question", () => {
    if (home.asked.length > asked) return true;
    void served.test.clock.pass(stepMs);
    passedMs += stepMs;
    return false;
  });
  assert.ok(passedMs >= limits.changesIdleMs, `asked again after ${passedMs} ms`);
  await untouched();
});

test("a state as deep as a line may be reaches a client that speaks MessagePack", async () => {
  const home = await opened();
  const client = await PushClient.start(served, home.owner, { isBinary: true });
  client.open();
  await client.command({ type: "SubscribeDeviceRegisterCommand", deviceRegisterId: home.hub.id });
  await client.gets(({ type }) => type === "SnapshotDeviceRegisterPush");
  const line = deepLine("deep", limits.changeLineDepth) as { device: { state: object } };
  const asked = await home.next(1);
  send(asked, linesOf(asked, [line], end, { full: true }));
  const states = (): unknown[] =>
    client.pushes.flatMap((push) => ("state" in push && push.deviceId === "deep" ? [push.state] : []));
  await client.waits(() => client.failure !== undefined || states().length > 0);
  assert.deepEqual([client.failure, states()], [undefined, [line.device.state]]);
  await client.connection.stop();
});

test("the last change of the honest hub still arrives", async () => {
  const asked = await honest.next(2);
  send(asked, linesOf(asked, [deviceLine("window", 2)], { next: "s.2", more: false }));
  await honest.stored("s.2");
  assert.deepEqual(await honest.ids(), ["door", "lamp", "window"]);
  assert.deepEqual(honest.reasons, []);
});
