import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import type { KernelListener } from "@ledge/kernel";
import { type MemoryLog, memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import fc from "fast-check";
import { EventStreams } from "./event-streams.ts";
import { type Client, openTestHub, type TestHub } from "./test-hub.ts";

interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** Reads server-sent events as the standard says, a chunk at a time, so that it can be as slow as it likes. */
class Reader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly messages: Message[] = [];
  readonly comments: string[] = [];
  lastId = "";
  ended = false;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  async chunk(): Promise<void> {
    const { done, value } = await this.#reader.read();
    if (done) {
      this.ended = true;
      return;
    }
    for (const block of new TextDecoder().decode(value).split("\n\n").slice(0, -1)) this.#take(block);
  }

  async until(done: () => boolean): Promise<void> {
    while (!done() && !this.ended) await this.chunk();
  }

  async toEnd(): Promise<void> {
    await this.until(() => false);
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  #take(block: string): void {
    const fields: Record<string, string> = {};
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) this.comments.push(line);
      else fields[line.slice(0, line.indexOf(":"))] = line.slice(line.indexOf(": ") + 2);
    }
    if (fields["id"] !== undefined) this.lastId = fields["id"];
    if (fields["data"] !== undefined) this.messages.push(fields);
  }
}

describe("event streams", () => {
  let log: MemoryLog;
  let clock: SimulatedClock;
  let hub: TestHub;
  let api: Client;
  let owner: string;

  beforeEach(async () => {
    log = memoryLog();
    clock = new SimulatedClock();
    hub = await openTestHub(log, clock);
    api = hub.api("local");
    owner = await hub.sign();
  });

  const open = async (after?: string, key = owner, headers = {}): Promise<Reader> => {
    const query = after === undefined ? "" : `?after=${after}`;
    const response = await api.request("GET", `/events${query}`, key, { headers });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    assert.ok(response.body);
    return new Reader(response.body);
  };
  const addRooms = async (count: number, from = 0): Promise<void> => {
    for (let i = 0; i < count; i++) {
      clock.advance(1);
      await hub.run({ type: "CMD_ROOM", name: `Room ${from + i}` });
    }
  };
  const ids = (): string[] =>
    [...log.read()].flatMap(({ timestamp, events }) => events.map((_, index) => `${timestamp}-${index}`));
  const told = ({ messages }: Reader): (string | undefined)[] =>
    messages.filter(({ event }) => event !== "cut").map(({ id }) => id);

  test("keeps an event's reference when other events of its commit are gone", async () => {
    const event = { type: "RoomRemoved", id: "r", version: 1, origin: "system", depth: 0 } as const;
    const timestamp = clock.wall() - 1000;
    const partial = memoryLog();
    await partial.append({ timestamp, events: [event, event, event], indexes: [1, 4, 6] });
    hub = await openTestHub(partial, clock);
    api = hub.api("local");
    const reader = await open(`${timestamp}-1`, await hub.sign());
    await reader.until(() => reader.messages.length >= 2);
    assert.deepEqual(
      reader.messages.slice(0, 2).map(({ id }) => id),
      [`${timestamp}-4`, `${timestamp}-6`],
    );
    await reader.cancel();
  });

  test("sends an event as in the log, with the commit's timestamp", async () => {
    const reader = await open("0-0");
    await reader.until(() => reader.messages.length > 0);
    const [first] = reader.messages;
    const { timestamp = 0, events = [] } = [...log.read()][0] ?? {};
    assert.equal(first?.id, `${timestamp}-0`);
    assert.equal(first?.event, "HubCreated");
    assert.deepEqual(JSON.parse(first?.data ?? ""), { timestamp, ...events[0] });
    await reader.cancel();
  });

  test("sends each event once and in order, from the backlog into the live stream", async () => {
    await addRooms(30);
    const reader = await open("0-0");
    await reader.until(() => reader.messages.length >= 10);
    await addRooms(5, 30);
    const before = ids().length;
    await reader.until(() => reader.messages.length >= before);
    assert.deepEqual(told(reader), ids());
    await addRooms(5, 35);
    await reader.until(() => reader.messages.length >= ids().length);
    assert.deepEqual(told(reader), ids());
    await reader.cancel();
  });

  test("starts with the next event if there is no cursor, and sends the current position", async () => {
    const reader = await open();
    await reader.chunk();
    assert.match(reader.lastId, new RegExp(`^${hub.kernel.timestamp}-`));
    const next = reader.chunk();
    await addRooms(1);
    await next;
    assert.deepEqual(told(reader), ids().slice(-1));
    await reader.cancel();
  });

  test("resumes within a commit, and prefers Last-Event-ID to the query", async () => {
    await hub.run(
      { type: "CMD_ROOM", name: "A" },
      { type: "CMD_ROOM", name: "B" },
      { type: "CMD_ROOM", name: "C" },
    );
    const last = ids();
    const reader = await open("0-0", owner, { "last-event-id": last.at(-3) ?? "" });
    await reader.until(() => reader.messages.length >= 2);
    assert.deepEqual(told(reader), last.slice(-2));
    await reader.cancel();
  });

  for (const after of ["x", "5", "-1-0", "1-", "1-1-1", "99999999999999999-0"]) {
    test(`refuses after=${after}`, async () => {
      assert.equal((await api.send("GET", `/events?after=${after}`, owner)).status, 422);
    });
  }

  test("refuses a cursor ahead of the log", async () => {
    const { status, body } = await api.send("GET", `/events?after=${hub.kernel.timestamp + 1}-0`, owner);
    assert.equal(status, 422);
    assert.match((body as { message: string }).message, /ahead/);
    assert.equal(hub.ports.streams.size, 0);
  });

  test("cuts a slow reader, which resumes without loss or repetition", async () => {
    const reader = await open();
    // Greeting, and the request for more that makes it subscribe.
    await reader.chunk();
    const pending = reader.chunk();
    await addRooms(1);
    await pending;
    // Nobody reads: twenty events fit, the next is one too many.
    await addRooms(21);
    assert.equal(hub.ports.streams.size, 0);
    await addRooms(10, 40);
    await reader.toEnd();
    const cut = reader.messages.at(-1);
    assert.equal(cut?.event, "cut");
    const { after, reason } = JSON.parse(cut?.data ?? "") as { after: string; reason: string };
    assert.equal(reason, "slow");
    assert.equal(after, reader.lastId);
    assert.equal(after, told(reader).at(-1));

    const resumed = await open(after);
    const missed = ids().length - ids().indexOf(after) - 1;
    await resumed.until(() => resumed.messages.length >= missed);
    const all = [...told(reader), ...told(resumed)];
    assert.deepEqual(all, ids().slice(-all.length));
    assert.equal(all.length, 32);
    await resumed.cancel();
  });

  test("does not cut a reader that keeps up", async () => {
    const reader = await open();
    await reader.chunk();
    for (let round = 0; round < 10; round++) {
      const pending = reader.chunk();
      await addRooms(15, round * 15);
      await pending;
      await reader.until(() => reader.messages.length >= (round + 1) * 15);
    }
    assert.deepEqual(told(reader), ids().slice(-150));
    await reader.cancel();
  });

  test("sends a commit above the buffer's bound to a waiting reader", async () => {
    const reader = await open();
    await reader.chunk();
    const pending = reader.chunk();
    await hub.run(...Array.from({ length: 50 }, (_, index) => ({ type: "CMD_ROOM", name: `R${index}` })));
    await pending;
    assert.equal(told(reader).length, 50);
    await reader.cancel();
  });

  test("sends the backlog in chunks, which may split a commit", async () => {
    await hub.run(...Array.from({ length: 700 }, (_, index) => ({ type: "CMD_ROOM", name: `R${index}` })));
    const reader = await open("0-0");
    await reader.chunk();
    await reader.chunk();
    assert.equal(reader.messages.length, 500);
    await reader.chunk();
    assert.deepEqual(told(reader), ids());
    await reader.cancel();
  });

  test("sends heartbeats on an idle stream", async () => {
    const reader = await open();
    await reader.chunk();
    for (let beat = 1; beat <= 3; beat++) {
      const pending = reader.chunk();
      await clock.pass(limits.sseHeartbeatMs - 1);
      assert.equal(reader.comments.length, beat - 1);
      await clock.pass(1);
      await pending;
      assert.equal(reader.comments.length, beat);
    }
    await reader.cancel();
    assert.equal(hub.ports.streams.size, 0);
  });

  test("ends an open stream when its user loses the right to read", async () => {
    const { id, key } = await hub.user(roles.USER_ADMIN);
    const reader = await open(undefined, key);
    await reader.chunk();
    const pending = reader.chunk();
    await hub.run({ type: "SET_USER_ROLE", id, role: roles.IDENTIFIED_USER });
    await addRooms(1);
    await pending;
    await reader.toEnd();
    assert.deepEqual(told(reader), []);
    assert.equal((JSON.parse(reader.messages[0]?.data ?? "{}") as { reason: string }).reason, "rights");
    assert.equal(hub.ports.streams.size, 0);
  });

  test("ends a stream at the first heartbeat after its key expires", async () => {
    const key = await hub.sign({}, 20_000);
    const reader = await open(undefined, key);
    await reader.chunk();
    const pending = reader.chunk();
    await clock.pass(30_000);
    await pending;
    await reader.toEnd();
    assert.equal((JSON.parse(reader.messages[0]?.data ?? "{}") as { reason: string }).reason, "rights");
  });

  test("limits the number of streams; a reader that leaves makes room", async () => {
    const readers = [await open(), await open(), await open(), await open()];
    const { key } = await hub.user(roles.USER_ADMIN);
    const refused = await api.send("GET", "/events", key);
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
    await readers[0]?.cancel();
    readers[0] = await open();
    for (const reader of readers) await reader.cancel();
    assert.equal(hub.ports.streams.size, 0);
  });

  test("unsubscribes from the kernel when a stream ends", async () => {
    let listeners = 0;
    const kernel = new Proxy(hub.kernel, {
      get(target, name) {
        if (name !== "subscribe") return Reflect.get(target, name) as unknown;
        return (listener: KernelListener) => {
          const end = target.subscribe(listener);
          listeners++;
          return () => {
            listeners--;
            end();
          };
        };
      },
    });
    const stream = new EventStreams(kernel, clock).open("user:owner", undefined, () => true);
    assert.ok(stream instanceof ReadableStream);
    const reader = new Reader(stream);
    await reader.chunk();
    const pending = reader.chunk();
    assert.equal(listeners, 1);
    await reader.cancel();
    await pending;
    assert.equal(listeners, 0);
  });

  test("limits the streams of one user, whatever keys they use", async () => {
    hub = await openTestHub(memoryLog(), clock, { sseClients: 5, sseClientsPerCaller: 2 });
    api = hub.api("local");
    owner = await hub.sign();
    const admin = await hub.user(roles.USER_ADMIN);
    const status = async (key: string): Promise<number> => (await api.request("GET", "/events", key)).status;
    const readers = [await open(undefined, admin.key), await open(undefined, admin.key)];
    const refused = await api.send("GET", "/events", admin.key);
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "5"]);
    const another = await hub.sign({ user_id: admin.id, role: roles.USER_ADMIN, nickname: "again" });
    assert.equal(await status(another), 429, "another key of the same user");
    readers.push(await open(), await open());
    await readers[0]?.cancel();
    readers.push(await open(undefined, admin.key));
    for (const reader of readers) await reader.cancel();
    assert.equal(hub.ports.streams.size, 0);
  });

  test("ends all streams with their cursors when the hub stops", async () => {
    const readers = [await open("0-0"), await open()];
    for (const reader of readers) await reader.chunk();
    hub.ports.streams.close();
    for (const reader of readers) {
      await reader.toEnd();
      const { after, reason } = JSON.parse(reader.messages.at(-1)?.data ?? "{}") as Record<string, string>;
      assert.deepEqual([after, reason], [reader.lastId, "stop"]);
    }
    assert.equal(hub.ports.streams.size, 0);
    assert.equal(clock.waiting <= 1, true, "no heartbeat is left behind");
  });

  test("loses and repeats no event through random writes, reads and reconnections", async () => {
    const step = fc.oneof(
      fc.record({ write: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ read: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ drop: fc.constant(true) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        hub = await openTestHub((log = memoryLog()), clock);
        api = hub.api("local");
        owner = await hub.sign();
        const seen: (string | undefined)[] = [];
        let last = "0-0";
        let reader = await open(last);
        let pending: Promise<void> | undefined;
        const settle = (): void => {
          seen.push(...told(reader));
          last = reader.lastId || last;
        };
        for (const action of steps) {
          if ("write" in action) await addRooms(action.write);
          else if ("read" in action) {
            for (let i = 0; i < action.read && !reader.ended; i++) {
              pending ??= reader.chunk();
              const isRead = await Promise.race([pending.then(() => true), turn()]);
              if (!isRead) break;
              pending = undefined;
            }
          }
          if ("drop" in action || reader.ended) {
            await reader.cancel();
            await pending;
            pending = undefined;
            settle();
            reader = await open(last);
          }
        }
        const missing = (): number => ids().length - seen.length - told(reader).length;
        while (missing() > 0) {
          await (pending ?? reader.chunk());
          pending = undefined;
          if (!reader.ended) continue;
          settle();
          reader = await open(last);
        }
        settle();
        await reader.cancel();
        assert.deepEqual(seen, ids());
      }),
      { numRuns: 40 },
    );
  });
});

function turn(): Promise<boolean> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(false));
  });
}
