import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { limits } from "@ledge/model";
import { AdapterError } from "./adapter.ts";
import type { AdapterChannel } from "./channel.ts";
import type { LineListener } from "./line.ts";
import { AdapterLine } from "./line.ts";
import { loopback } from "./loopback.ts";
import type { FromAdapter, ToAdapter } from "./messages.ts";

const set = { type: "set", attributes: { isOn: true } } as const;
const report = { native: "a", attributes: { button: 1 } };

const folder = "/caches";
const offers = { pairing: false, groupcast: [], protocolCommands: [], requests: [] };

interface Stage {
  readonly line: AdapterLine;
  readonly adapter: AdapterChannel;
  readonly asked: ToAdapter[];
  readonly events: string[];
  readonly hear: (...messages: FromAdapter[]) => Promise<void>;
}

async function stage(overrides: Partial<LineListener> = {}): Promise<Stage> {
  const { hub, adapter } = loopback();
  const asked: ToAdapter[] = [];
  const events: string[] = [];
  adapter.open({ message: (message) => asked.push(message), closed: () => events.push("adapter closed") });
  const line = new AdapterLine(hub, {
    announce: async ({ native }) => void events.push(`announce ${native}`),
    found: async ({ native }) => void events.push(`found ${native}`),
    lost: async (native) => void events.push(`lost ${native}`),
    trouble: async (trouble) => void events.push(`trouble ${trouble}`),
    reports: async (reports, dropped) => void events.push(`${reports.length} reports, ${dropped} dropped`),
    inFlight: (count) => void events.push(`${count} in flight`),
    store: async (key) => void events.push(`store ${key}`),
    log: (level, message) => void events.push(`${level} ${message}`),
    pong: () => void events.push("pong"),
    closed: () => void events.push("closed"),
    broken: (reason) => void events.push(`broken: ${reason}`),
    ...overrides,
  });
  const hear = async (...messages: FromAdapter[]): Promise<void> => {
    for (const message of messages) adapter.post(message);
    await turn();
  };
  return { line, adapter, asked, events, hear };
}

async function startedStage(overrides: Partial<LineListener> = {}): Promise<Stage> {
  const play = await stage(overrides);
  const started = play.line.start({}, [], folder);
  await play.hear({ type: "started", protocol: "p", inFlight: 3, offers });
  assert.deepEqual(await started, { protocol: "p", inFlight: 3, offers });
  play.asked.length = 0;
  return play;
}

const withCode = (code: string) => (error: unknown) => error instanceof AdapterError && error.code === code;

test("grants credit once when the adapter starts", async () => {
  const { line, asked, hear } = await stage();
  const first = line.start({ a: 1 }, new Map([["k", 1]]), folder);
  const second = assert.rejects(line.start({ a: 1 }, [], folder), withCode("settings"));
  await hear(
    { type: "started", protocol: "p", inFlight: 3, offers },
    { type: "failed", code: "settings", message: "a" },
  );
  await first;
  await second;
  assert.deepEqual(asked, [
    { type: "start", settings: { a: 1 }, store: [["k", 1]], folder },
    { type: "credit", count: limits.reportCredits },
    { type: "start", settings: { a: 1 }, store: [], folder },
  ]);
});

test("returns credit when the hub has processed the reports", async () => {
  const taken = Promise.withResolvers<void>();
  const { asked, hear } = await startedStage({ reports: () => taken.promise });
  await hear({ type: "reports", reports: [report, report], dropped: 0 });
  assert.deepEqual(asked, []);
  taken.resolve();
  await turn();
  assert.deepEqual(asked, [{ type: "credit", count: 2 }]);
});

test("logs a failure of the hub to process reports and continues", async () => {
  const { asked, events, hear } = await startedStage({ reports: () => Promise.reject(new Error("full")) });
  await hear({ type: "reports", reports: [report], dropped: 0 });
  assert.deepEqual(events, ["error the hub failed to process reports"]);
  assert.deepEqual(asked, [{ type: "credit", count: 1 }]);
});

test("reports each lost pulse once", async () => {
  const { events, hear } = await startedStage();
  for (const dropped of [2, 2, 5]) await hear({ type: "reports", reports: [report], dropped });
  assert.deepEqual(events, ["1 reports, 2 dropped", "1 reports, 0 dropped", "1 reports, 3 dropped"]);
});

test("breaks the line when an adapter sends more reports than its credit", async () => {
  const { events, hear } = await startedStage({ reports: () => new Promise(() => {}) });
  const most = Array.from({ length: limits.reportCredits }, () => report);
  await hear({ type: "reports", reports: most, dropped: 0 });
  assert.deepEqual(events, []);
  await hear({ type: "reports", reports: [report], dropped: 0 });
  assert.match(events.join(), /broken: it sent more/);
});

test("settles each send by its own outcome, in any order", async () => {
  const { line, asked, hear } = await startedStage();
  const busy = assert.rejects(line.send("a", set, 100), withCode("busy"));
  const taken = line.send("b", set, 100);
  await turn();
  const [first, second] = asked.map((message) => (message.type === "send" ? message.id : 0));
  await hear(
    { type: "outcome", id: second ?? 0, ok: true },
    { type: "outcome", id: first ?? 0, ok: false, code: "busy", message: "later" },
    { type: "outcome", id: 77, ok: true },
  );
  await busy;
  await taken;
});

test("forwards each device's answer to a cast until the outcome arrives", async () => {
  const { line, asked, hear } = await startedStage();
  const told: [string, string | undefined][] = [];
  const cast = line.cast("g", ["a", "b"], set, 100, (native, error) => told.push([native, error?.code]));
  await turn();
  assert.deepEqual(asked, [
    { type: "cast", id: 1, group: "g", natives: ["a", "b"], command: set, timeoutMs: 100 },
  ]);
  await hear(
    { type: "answered", id: 1, native: "b", ok: true },
    { type: "answered", id: 1, native: "a", ok: false, code: "busy", message: "later" },
    { type: "outcome", id: 1, ok: true },
    { type: "answered", id: 1, native: "a", ok: true },
  );
  await cast;
  assert.deepEqual(told, [
    ["b", undefined],
    ["a", "busy"],
  ]);
});

test("forwards an abort to the adapter, whose outcome still decides", async () => {
  const { line, asked, hear } = await startedStage();
  const abort = new AbortController();
  const send = assert.rejects(line.send("a", set, 100, abort.signal), withCode("cancelled"));
  abort.abort();
  await turn();
  const id = asked.find((message) => message.type === "send")?.id ?? 0;
  assert.deepEqual(asked.at(-1), { type: "cancel", id });
  await hear({ type: "outcome", id, ok: false, code: "cancelled", message: "" });
  await send;
  await assert.rejects(line.send("a", set, 100, abort.signal), withCode("cancelled"));
  assert.equal(asked.filter(({ type }) => type === "send").length, 1, "an aborted command is not sent");
});

test("rejects pending and later calls when the line ends", async () => {
  const { line, adapter, events } = await stage();
  const start = assert.rejects(line.start({}, [], folder), withCode("unreachable"));
  const send = assert.rejects(line.send("a", set, 100), withCode("unreachable"));
  const stop = line.stop();
  adapter.close();
  await start;
  await send;
  await stop;
  assert.deepEqual(events.toSorted(), ["adapter closed", "closed"]);
  await assert.rejects(line.send("a", set, 100), withCode("unreachable"));
  await assert.rejects(line.start({}, [], folder), withCode("unreachable"));
  await line.stop();
});

test("answers a put when it is durable, or with the error", async () => {
  const { asked, hear } = await startedStage({
    store: (key) => (key === "bad" ? Promise.reject(new Error("disk full")) : Promise.resolve()),
  });
  await hear({ type: "store", id: 1, key: "good", value: 1 }, { type: "store", id: 2, key: "bad", value: 1 });
  assert.deepEqual(asked, [
    { type: "stored", id: 1 },
    { type: "stored", id: 2, error: "Error: disk full" },
  ]);
});

test("closes the line once the adapter has stopped", async () => {
  const { line, asked, events, hear } = await startedStage();
  const stop = line.stop();
  await turn();
  assert.deepEqual(asked, [{ type: "stop" }]);
  await hear({ type: "reports", reports: [report], dropped: 0 }, { type: "stopped" });
  await stop;
  await turn();
  assert.deepEqual(events.toSorted(), ["1 reports, 0 dropped", "adapter closed", "closed"]);
});

test("makes an adapter wait that has too many calls pending, then continues", async () => {
  const waiting: (() => void)[] = [];
  const announced: string[] = [];
  const { hear } = await startedStage({
    announce: ({ native }) => {
      announced.push(native);
      return new Promise<void>((resolve) => waiting.push(resolve));
    },
  });
  const device = {
    radio: "air",
    class: "LIGHT",
    capabilities: [],
    name: "",
    manufacturer: null,
    model: null,
  };
  const most = limits.adapterCallsUnderWay;
  const messages = Array.from(
    { length: most + 2 },
    (_, index) => ({ type: "announce", device: { ...device, native: `n${index}` } }) as FromAdapter,
  );
  await hear(...messages);
  assert.equal(announced.length, most);
  waiting.shift()?.();
  await turn();
  assert.equal(announced.length, most + 1);
  for (const resolve of waiting.splice(0)) resolve();
  await turn();
  assert.equal(announced.length, most + 2);
});

test("breaks the line at an invalid message", async () => {
  const { events, hear } = await startedStage();
  await hear({ type: "reports", reports: "all", dropped: 0 } as never);
  assert.deepEqual(events, ["broken: it sent an invalid message"]);
});

test("resolves a request with its answer and cancels another through its signal", async () => {
  const { line, asked, hear } = await startedStage();
  const answer = line.request({ type: "GET_THING" }, 500);
  const abort = new AbortController();
  const taken = assert.rejects(line.request({ type: "GET_OTHER" }, 500, abort.signal), withCode("cancelled"));
  abort.abort();
  await hear({ type: "outcome", id: 1, ok: true, value: [1] });
  await hear({ type: "outcome", id: 2, ok: false, code: "cancelled", message: "" });
  assert.deepEqual(await answer, [1]);
  await taken;
  assert.deepEqual(asked, [
    { type: "request", id: 1, request: { type: "GET_THING" }, timeoutMs: 500 },
    { type: "request", id: 2, request: { type: "GET_OTHER" }, timeoutMs: 500 },
    { type: "cancel", id: 2 },
  ]);
});

test("rejects requests and pairing actions when the adapter's process ends", async () => {
  const { line, adapter } = await startedStage();
  const request = assert.rejects(line.request({ type: "GET_THING" }, 500), withCode("unreachable"));
  const action = assert.rejects(line.pair({ type: "close" }, 500), withCode("unreachable"));
  adapter.close();
  await request;
  await action;
  await assert.rejects(line.request({ type: "GET_THING" }, 500), withCode("unreachable"));
});

test("forwards found and lost devices", async () => {
  const { events, hear } = await startedStage();
  const device = {
    native: "a",
    description: null,
    status: "CONNECTING",
    actionRequired: false,
    help: null,
  } as const;
  await hear({ type: "found", device }, { type: "lost", native: "a" });
  assert.deepEqual(events, ["found a", "lost a"]);
});

test("tells the hub how many commands the adapter can now have pending", async () => {
  const { events, hear } = await startedStage();
  await hear({ type: "inFlight", count: 7 });
  assert.deepEqual(events, ["7 in flight"]);
});
