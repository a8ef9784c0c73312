import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { Fault } from "./fault.ts";
import type { LineOptions } from "./line.ts";
import { Line } from "./line.ts";
import type { TableRequest as Request } from "./request.ts";
import type { PortSettings } from "./settings.ts";
import type { Reaction } from "./testdata/simulated-connection.ts";
import { SimulatedConnection } from "./testdata/simulated-connection.ts";

const port: PortSettings = {
  name: "line",
  transport: { type: "rtu", path: "/dev/null", baudRate: 9600, dataBits: 8, stopBits: 1, parity: "none" },
  timeoutMs: 300,
  betweenRequestsMs: 0,
  unreachableAfter: 3,
  devices: [],
};
const tcpPort: PortSettings = { ...port, transport: { type: "tcp", host: "box", port: 502 } };
const read = (register: number): Request => ({ kind: "read", table: "holding", register, count: 1 });

interface Rig {
  readonly line: Line;
  readonly clock: SimulatedClock;
  readonly asked: number[];
  readonly connections: SimulatedConnection[];
  /** When each attempt to open was made, ms since the start. */
  readonly attempts: number[];
  readonly events: string[];
}

/** A line whose far end answers each read with its register, by default after 10 ms. */
function rig(options: Partial<LineOptions> & { react?: (register: number) => Reaction } = {}): Rig {
  const clock = new SimulatedClock();
  const asked: number[] = [];
  const attempts: number[] = [];
  const events: string[] = [];
  const connections: SimulatedConnection[] = [];
  const { react = (register: number): Reaction => ({ ms: 10, answer: [register] }), ...rest } = options;
  const line = new Line({
    port,
    host: { clock, log: (level) => events.push(level) },
    random: () => 0.5,
    up: () => events.push("up"),
    down: () => events.push("down"),
    open: async () => {
      attempts.push(clock.monotonic());
      const connection = new SimulatedConnection(clock, (_unit, request) => {
        asked.push(request.register);
        return react(request.register);
      });
      connections.push(connection);
      return connection;
    },
    ...rest,
  });
  return { line, clock, asked, attempts, events, connections };
}

async function kindOf(outcome: Promise<unknown>): Promise<string> {
  try {
    await outcome;
    return "answered";
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return error.kind;
  }
}

test("sends one request at a time, and commands before polls", async () => {
  const { line, clock, asked, connections } = rig();
  line.start();
  const outcomes = [0, 1, 2].map((register) => line.request(1, read(register), "poll"));
  await clock.pass(1);
  outcomes.push(line.request(1, read(10), "command"), line.request(1, read(11), "command"));
  await clock.pass(100);
  assert.deepEqual(await Promise.all(outcomes), [[0], [1], [2], [10], [11]]);
  assert.deepEqual(asked, [0, 10, 11, 1, 2]);
  assert.equal(connections[0]?.mostAtOnce, 1);
  await line.stop();
});

test("pauses between requests as the settings say", async () => {
  const asked: number[] = [];
  const { line, clock } = rig({ port: { ...port, betweenRequestsMs: 50 } });
  line.start();
  for (const register of [0, 1, 2]) {
    void line.request(1, read(register), "poll").then(() => asked.push(clock.monotonic()));
  }
  await clock.pass(500);
  assert.deepEqual(asked, [10, 70, 130]);
  await line.stop();
});

test("fails an unanswered request in time and continues with the next", async () => {
  const { line, clock } = rig({
    react: (register) => (register === 0 ? "never" : { ms: 10, answer: [register] }),
  });
  line.start();
  const silent = kindOf(line.request(1, read(0), "poll"));
  const next = line.request(1, read(1), "poll");
  await clock.pass(299);
  assert.equal(await Promise.race([silent, Promise.resolve("open")]), "open");
  await clock.pass(12);
  assert.equal(await silent, "timeout");
  assert.deepEqual(await next, [1]);
  await line.stop();
});

test("cancels a waiting request at once; a sent one keeps the line busy until its answer", async () => {
  const { line, clock, asked } = rig();
  line.start();
  const first = new AbortController();
  const second = new AbortController();
  const onLine = kindOf(line.request(1, read(0), "command", first.signal));
  const waiting = kindOf(line.request(1, read(1), "command", second.signal));
  const last = line.request(1, read(2), "command");
  await clock.pass(5);
  first.abort();
  second.abort();
  assert.equal(await onLine, "cancelled");
  assert.equal(await waiting, "cancelled");
  assert.deepEqual(asked, [0]);
  await clock.pass(20);
  assert.deepEqual(await last, [2]);
  assert.deepEqual(asked, [0, 2]);
  await line.stop();
});

test("retries a line that cannot be opened with growing delays and logs it once", async () => {
  let works = false;
  const attempts: number[] = [];
  const clock = new SimulatedClock();
  const events: string[] = [];
  const connection = new SimulatedConnection(clock, () => "never");
  const line = new Line({
    port,
    host: { clock, log: (level) => events.push(level) },
    random: () => 0.5,
    up: () => events.push("up"),
    down: () => events.push("down"),
    open: async () => {
      attempts.push(clock.monotonic());
      if (works) return connection;
      throw new Fault("closed", "no such port");
    },
  });
  line.start();
  await clock.pass(10_000);
  assert.deepEqual(attempts, [0, 500, 1500, 3500, 7500]);
  works = true;
  await clock.pass(8000);
  assert.equal(attempts.at(-1), 15_500);
  assert.deepEqual(events, ["warn", "down", "down", "down", "down", "down", "info", "up"]);
  await line.stop();
});

test("a lost line fails waiting requests and is reopened", async () => {
  const { line, clock, connections, attempts, events } = rig({ react: () => "never" });
  line.start();
  await clock.pass(1);
  const outcomes = [0, 1].map((register) => kindOf(line.request(1, read(register), "poll")));
  await clock.pass(100);
  connections[0]?.lose();
  assert.deepEqual(await Promise.all(outcomes), ["closed", "closed"]);
  await clock.pass(0);
  assert.equal(await kindOf(line.request(1, read(3), "poll")), "closed");
  await clock.pass(600);
  assert.equal(connections.length, 2);
  assert.equal(attempts.length, 2);
  assert.deepEqual(events, ["info", "up", "warn", "down", "info", "up"]);
  await line.stop();
});

test("a command makes a line that is down try once more, at once", async () => {
  const clock = new SimulatedClock();
  const attempts: number[] = [];
  let works = false;
  const line = new Line({
    port,
    host: { clock, log: () => {} },
    random: () => 0.5,
    up: () => {},
    down: () => {},
    open: async () => {
      attempts.push(clock.monotonic());
      if (!works) throw new Fault("closed", "no such port");
      return new SimulatedConnection(clock, () => ({ ms: 1, answer: [7] }));
    },
  });
  line.start();
  await clock.pass(8000);
  assert.deepEqual(attempts, [0, 500, 1500, 3500, 7500]);
  const vain = [line.request(1, read(0), "command"), line.request(1, read(0), "command")].map(kindOf);
  await clock.pass(1);
  assert.deepEqual(await Promise.all(vain), ["closed", "closed"]);
  assert.equal(await kindOf(line.request(1, read(0), "command")), "closed");
  assert.equal(attempts.length, 6, "one attempt for all commands");
  works = true;
  await clock.pass(40_000);
  assert.equal(attempts.length, 7);
  const answered = line.request(1, read(0), "command");
  await clock.pass(2);
  assert.deepEqual(await answered, [7]);
  await line.stop();
});

test("reconnects a TCP connection that never answers, with growing delays", async () => {
  const { line, clock, connections, attempts } = rig({ port: tcpPort, react: () => "never" });
  line.start();
  const poll = async (): Promise<void> => {
    for (let round = 0; round < 60; round++) {
      await kindOf(line.request(1, read(0), "poll"));
      await new Promise<void>((resolve) => void clock.after(100, resolve));
    }
  };
  void poll();
  await clock.pass(15_000);
  assert.ok(connections.length >= 3, `${connections.length} connections`);
  const waits = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
  assert.ok(
    waits.every((wait, index) => wait > (waits[index - 1] ?? 0)),
    `each delay is longer: ${waits.join()}`,
  );
  await line.stop();
});

test("reconnects without delay after an answer", async () => {
  const { line, clock, connections, attempts } = rig({ port: tcpPort });
  line.start();
  for (let round = 0; round < 4; round++) {
    const answer = line.request(1, read(5), "poll");
    await clock.pass(20);
    assert.deepEqual(await answer, [5]);
    connections.at(-1)?.lose();
    await clock.pass(500);
  }
  assert.deepEqual(attempts, [0, 520, 1040, 1560, 2080]);
  await line.stop();
});

test("keeps a TCP connection with one silent device while others answer", async () => {
  const { line, clock, connections } = rig({
    port: tcpPort,
    react: (register) => (register === 0 ? "never" : { ms: 5, answer: [1] }),
  });
  line.start();
  for (let round = 0; round < 10; round++) {
    const outcomes = [0, 1].map((register) => kindOf(line.request(1, read(register), "poll")));
    await clock.pass(400);
    assert.deepEqual(await Promise.all(outcomes), ["timeout", "answered"]);
  }
  assert.equal(connections.length, 1);
  await line.stop();
});

test("stop fails all requests, and none is sent after it", async () => {
  const { line, clock, asked, connections } = rig({ react: () => "never" });
  line.start();
  await clock.pass(1);
  const outcomes = [0, 1].map((register) => kindOf(line.request(1, read(register), "command")));
  await clock.pass(10);
  await line.stop();
  assert.deepEqual(await Promise.all(outcomes), ["stopped", "stopped"]);
  assert.equal(await kindOf(line.request(1, read(2), "command")), "stopped");
  assert.equal(connections[0]?.isOpen, false);
  await clock.pass(60_000);
  assert.deepEqual(asked, [0]);
  assert.equal(connections.length, 1);
  assert.equal(clock.waiting, 0, "no timer is left");
});
