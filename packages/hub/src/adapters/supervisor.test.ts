import { SimulatedClock, until } from "@ledge/testkit";
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex, PassThrough } from "node:stream";
import test, { after } from "node:test";
import type { AdapterFailure } from "@ledge/model";
import { limits } from "@ledge/model";
import type { AdapterLog, Report } from "@ledge/port";
import { AdapterError, startAdapterProcess } from "@ledge/port";
import { sourceFlags } from "@ledge/testkit/programs";
import type { AdapterStatus, SupervisedAdapter, SuperviseOptions } from "./supervisor.ts";
import { superviseAdapter } from "./supervisor.ts";

const troubled = new URL("./testdata/troubled-adapter.ts", import.meta.url);

/** The heap (MB) of an adapter that is meant to run out of it. */
const memoryMb = 64;

const ofSource = { ...process.env, NODE_OPTIONS: sourceFlags.join(" ") };

const forkTroubled = (): ChildProcess =>
  startAdapterProcess(troubled, [], { heapMb: memoryMb, env: ofSource });

const root = mkdtempSync(join(tmpdir(), "ledge-supervisor-"));
after(() => rmSync(root, { recursive: true }));

interface Watched {
  readonly adapter: SupervisedAdapter;
  readonly statuses: AdapterStatus[];
  readonly reports: Report[];
  readonly stored: Map<string, unknown>;
  readonly printed: string[];
  readonly pids: number[];
  /** Native ids. */
  readonly announced: string[];
  readonly dropped: () => number;
}

function watch(overrides: Partial<SuperviseOptions> = {}): Watched {
  const statuses: AdapterStatus[] = [];
  const reports: Report[] = [];
  const stored = new Map<string, unknown>();
  const printed: string[] = [];
  const announced: string[] = [];
  const pids: number[] = [];
  let dropped = 0;
  const adapter = superviseAdapter({
    protocol: "troubled",
    settings: {},
    folder: join(root, "adapters", "troubled"),
    store: { entries: () => stored, put: async (key, value) => void stored.set(key, value) },
    clock: {
      monotonic: () => performance.now(),
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    log: (_level, message, fields) => {
      if (fields?.["printed"] === true) printed.push(message);
      if (message === "pid") pids.push(Number(fields?.["pid"]));
    },
    random: () => 0,
    memoryMb,
    announced: async ({ native }) => void announced.push(native),
    found: async ({ native }) => void announced.push(`found ${native}`),
    lost: async (native) => void announced.push(`lost ${native}`),
    troubled: async () => {},
    async reported(batch, lost) {
      reports.push(...batch);
      dropped += lost;
    },
    changed: (status) => statuses.push(status),
    policy: { backoffMinMs: 20 },
    ...(overrides.protocol === undefined ? { fork: forkTroubled } : {}),
    ...overrides,
  });
  return { adapter, statuses, reports, stored, printed, pids, announced, dropped: () => dropped };
}

const isRunning = ({ adapter }: Watched): boolean => adapter.status.state === "running";
const order = (attributes: Record<string, unknown>) => ({ type: "set", attributes }) as const;
const unreachable = (error: unknown): boolean =>
  error instanceof AdapterError && error.code === "unreachable";

/** A process that has ended but that nobody has waited for yet does not count: it runs no more. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const deaths: readonly [trouble: string, reason: RegExp, failure: AdapterFailure][] = [
  ["throw", /^exit code 1: .*thrown in a timer/, "exception"],
  ["reject", /^exit code 1: .*rejected and forgotten/, "exception"],
  ["exit", /^exit code 7/, "exit"],
  ["kill", /^signal SIGKILL/, "signal"],
  ["segv", /^signal SIGSEGV/, "signal"],
  ["leak", /^out of memory/, "memory"],
  ["leave", /^(exit code|signal)/, "signal"],
  ["overrun", /more reports than its credit allows/, "garbage"],
  ["noise", /a message of \d+ bytes/, "garbage"],
  ["huge", /a message of 1048577 bytes/, "garbage"],
  ["nonsense", /sent an invalid message/, "garbage"],
  ["impostor", /sent an invalid message/, "garbage"],
];
/** It is neither weighed nor given up on before it dies by itself, which takes its time on a busy machine. */
const unasked = { backoffMinMs: 20, pingMs: 300_000, silenceMs: 300_000 };

for (const [trouble, reason, failure] of deaths) {
  test(`an adapter that dies by ${trouble} is restarted, and its pending commands fail`, async () => {
    const watched = watch({ policy: unasked });
    const { adapter, statuses, pids } = watched;
    await until("the start", () => isRunning(watched));
    const hanging = assert.rejects(adapter.send("a", order({ hang: true }), 30_000), unreachable);
    adapter.send("a", order({ trouble }), 30_000).catch(() => {});
    await hanging;
    await until("the restart", () => isRunning(watched) && pids.length === 2);
    assert.deepEqual(
      statuses.map(({ state }) => state),
      ["starting", "running", "restarting", "starting", "running"],
    );
    assert.match(String(statuses[2]?.reason), reason);
    if (trouble !== "leave") assert.equal(statuses[2]?.failure, failure);
    await adapter.send("a", order({ isOn: true }), 30_000);
    await adapter.stop();
    assert.ok(!pids.some(isAlive));
  });
}

for (const trouble of ["loop", "stop"]) {
  test(`an adapter that hangs by ${trouble} is killed and restarted`, async () => {
    const watched = watch({ policy: { pingMs: 50, silenceMs: 4000, backoffMinMs: 20 } });
    await until("the start", () => isRunning(watched));
    await assert.rejects(watched.adapter.send("a", order({ trouble }), 30_000), unreachable);
    await until("the restart", () => isRunning(watched));
    assert.match(String(watched.adapter.status.reason), /no sign of life/);
    assert.equal(watched.adapter.status.failure, "hang");
    await watched.adapter.stop();
    assert.ok(!watched.pids.some(isAlive));
  });
}

test("an adapter that uses too much memory outside its heap is killed and restarted", async () => {
  const watched = watch({ policy: { ...unasked, pingMs: 20 } });
  await until("the start", () => isRunning(watched));
  watched.adapter.send("a", order({ trouble: "hoard" }), 30_000).catch(() => {});
  await until("the restart", () => isRunning(watched) && watched.pids.length === 2);
  assert.match(String(watched.adapter.status.reason), /^it uses \d+ MB of memory, more than 128$/);
  assert.equal(watched.adapter.status.failure, "memory");
  await watched.adapter.stop();
  assert.ok(!watched.pids.some(isAlive));
});

test("an adapter that dies at every start comes to rest; resume tries again", async () => {
  const watched = watch({ settings: { trouble: "exit" }, policy: { backoffMinMs: 5, failures: 3 } });
  const { adapter, pids } = watched;
  await until("rest", () => adapter.status.state === "resting");
  assert.deepEqual([pids.length, adapter.status.failures], [3, 3]);
  await assert.rejects(adapter.send("a", order({}), 30_000), unreachable);
  adapter.resume();
  await until("another try", () => pids.length > 3);
  await adapter.stop();
  assert.equal(adapter.status.state, "stopped");
});

test("the hub logs the output of an adapter", async () => {
  const watched = watch();
  await until("the start", () => isRunning(watched));
  watched.adapter.send("a", order({ trouble: "exit" }), 30_000).catch(() => {});
  await until("the output", () => watched.printed.includes("about to exit"));
  await watched.adapter.stop();
});

test("a hub that stalled reads the last output of a process before it judges why the process ended", async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const line = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  const stdio = [null, stdout, stderr, line];
  const process_ = Object.assign(new EventEmitter(), { pid: 1, stdio, stdout, stderr, kill: () => true });
  const clock = new SimulatedClock();
  const fork = (): ChildProcess => process_ as unknown as ChildProcess;
  const { adapter } = watch({ fork, clock });
  process_.emit("exit", null, "SIGABRT");
  clock.advance(limits.adapterOutputMs);
  stderr.write("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory");
  await until("its end", () => adapter.status.reason !== null);
  assert.equal(adapter.status.reason, "out of memory");
  process_.emit("close", null, "SIGABRT");
  assert.equal(adapter.status.failures, 1);
  await adapter.stop();
});

test("a failed fork counts as a failure", async () => {
  const { adapter } = watch({
    fork: () => {
      throw new Error("out of processes");
    },
    policy: { backoffMinMs: 1, failures: 2 },
  });
  await until("rest", () => adapter.status.state === "resting");
  assert.match(String(adapter.status.reason), /out of processes/);
  await adapter.stop();
});

test("a missing program counts as a failure", async () => {
  const { adapter } = watch({
    fork: () => startAdapterProcess(troubled, [], { execPath: "/nonexistent/node" }),
    policy: { backoffMinMs: 1, failures: 2 },
  });
  await until("rest", () => adapter.status.state === "resting");
  assert.match(String(adapter.status.reason), /no process/);
  await adapter.stop();
});

test("a flood of ten thousand reports arrives in order, with pulses up to the bound", async () => {
  const watched = watch();
  const { adapter, reports } = watched;
  await until("the start", () => isRunning(watched));
  await adapter.send("rc", order({ flood: 10_000 }), 30_000);
  const buttons = (): unknown[] => reports.flatMap(({ attributes }) => attributes["button"] ?? []);
  await until("every pulse", () => buttons().length === 2500);
  assert.deepEqual(
    buttons(),
    Array.from({ length: 2500 }, (_, index) => index * 4),
  );
  await until("the newest level", () => reports.at(-1)?.attributes["lux"] === 9999);
  assert.equal(watched.dropped(), 0);

  const most = limits.pulseQueue * 4;
  await adapter.send("rc", order({ flood: most + 400 }), 30_000);
  await until("the count of the lost", () => watched.dropped() === 100);
  await adapter.stop();
});

test("an adapter gets a cache folder of its own, and starts without one if none can be made", async () => {
  const folder = join(root, "adapters", "of-its-own");
  const told: unknown[] = [];
  const log: AdapterLog = (level, message, fields) =>
    void told.push(message === "pid" ? fields?.["folder"] : level);
  const { adapter } = watch({ folder, log });
  await until("the start", () => adapter.status.state === "running");
  assert.deepEqual(told, [folder]);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  await adapter.stop();
  told.length = 0;
  const without = watch({ folder: "/dev/null/caches", log }).adapter;
  await until("the start", () => without.status.state === "running");
  assert.deepEqual(told, ["warn", "/dev/null/caches"]);
  await without.stop();
});

test("values that an adapter stores survive its restart", async () => {
  const watched = watch();
  await until("the start", () => isRunning(watched));
  await watched.adapter.send("a", order({ keep: "the network key" }), 30_000);
  assert.equal(watched.stored.get("kept"), "the network key");
  await watched.adapter.stop();
});

test("an adapter that does not stop is killed after the grace period", async () => {
  const slowClock = {
    monotonic: () => performance.now(),
    after: (ms: number, callback: () => void) => {
      const timer = setTimeout(callback, ms === 5000 ? 100 : ms);
      return () => clearTimeout(timer);
    },
  };
  const watched = watch({
    clock: slowClock,
    store: { entries: () => [["stop", "never"]], put: async () => {} },
  });
  await until("the start", () => isRunning(watched));
  await watched.adapter.stop();
  assert.deepEqual(watched.pids.map(isAlive), [false]);
  assert.equal(watched.statuses.at(-1)?.state, "stopped");
});

test("the sim adapter starts by its name", async () => {
  const watched = watch({ protocol: "sim" });
  await until("the start", () => isRunning(watched));
  assert.ok(watched.announced.length >= 25, `${watched.announced.length} devices`);
  await watched.adapter.stop();
});

test("a killed hub leaves no adapter running", async () => {
  const parent = spawn(process.execPath, [new URL("./testdata/parent.ts", import.meta.url).pathname], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  assert.ok(isAlive(pid));
  parent.kill("SIGKILL");
  await until("its end", () => !isAlive(pid));
});

test("an adapter's offers are known once it has started, and its end fails its requests", async (t) => {
  const watched = watch();
  t.after(() => watched.adapter.stop());
  const early = watched.adapter.request({ type: "ECHO" }, 1000);
  await assert.rejects(early, { code: "unreachable" });
  await until("it runs", () => isRunning(watched));
  assert.deepEqual(watched.adapter.offers, {
    pairing: true,
    groupcast: [],
    protocolCommands: ["ECHO"],
    requests: ["HANG"],
  });
  assert.deepEqual(await watched.adapter.request({ type: "ECHO", said: [1] }, 30_000), { said: [1] });
  await watched.adapter.pair({ type: "open", windowMs: 1000 }, 30_000);
  await until("the find and its end", () => watched.announced.length === 2);
  assert.deepEqual(watched.announced, ["found stray", "lost stray"]);
  await assert.rejects(watched.adapter.pair({ type: "keep", native: "stray" }, 30_000), { code: "refused" });
  const hanging = assert.rejects(watched.adapter.request({ type: "HANG" }, 60_000), { code: "unreachable" });
  const [pid] = watched.pids;
  assert.ok(pid);
  process.kill(pid, "SIGKILL");
  await hanging;
  assert.deepEqual(watched.adapter.offers.protocolCommands, ["ECHO"]);
});
