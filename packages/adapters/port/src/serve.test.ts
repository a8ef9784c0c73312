import assert from "node:assert/strict";
import test from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import type { Adapter, AdapterHost, AdapterRequest, DeviceDescription, Groupcast } from "./adapter.ts";
import { AdapterError } from "./adapter.ts";
import type { HubChannel } from "./channel.ts";
import { loopback } from "./loopback.ts";
import type { FromAdapter } from "./messages.ts";
import { serveAdapter } from "./serve.ts";

const lamp: DeviceDescription = {
  native: "lamp",
  radio: "air",
  class: "LIGHT",
  capabilities: ["DEVICE", "ON_OFF"],
  name: "Lamp",
  manufacturer: null,
  model: null,
};

const offers = {
  pairing: true,
  groupcast: ["air"],
  protocolCommands: ["PAIR_THING"],
  requests: ["GET_THING"],
};

/** An adapter whose answers each test sets. */
class Puppet implements Adapter {
  readonly protocol = "puppet";
  inFlight = 2;
  host: AdapterHost | undefined;
  starting: () => Promise<void> = async () => {};
  sending: (signal: AbortSignal) => Promise<void> = async () => {};
  async start(host: AdapterHost): Promise<void> {
    this.host = host;
    await this.starting();
  }
  async stop(): Promise<void> {}
  async send(_native: string, _command: unknown, signal: AbortSignal): Promise<void> {
    await this.sending(signal);
  }
  readonly paired: unknown[] = [];
  readonly pairing = {
    open: async (windowMs: number) => void this.paired.push(windowMs),
    close: async () => void this.paired.push("close"),
    keep: async (native: string) => void this.paired.push(`keep ${native}`),
    discard: async (native: string) => void this.paired.push(`discard ${native}`),
  };
  readonly groupcast: Groupcast = {
    radios: ["air"],
    keep: async (groups) => void this.paired.push(groups),
    cast: async (group, natives, command, answered, signal) => {
      this.paired.push([group, natives, command]);
      answered("a");
      answered("b", new AdapterError("unreachable", "away"));
      await this.sending(signal);
    },
  };
  answering: (request: AdapterRequest, signal: AbortSignal) => Promise<unknown> = async () => undefined;
  readonly protocolCommands = {
    PAIR_THING: (request: AdapterRequest, signal: AbortSignal) => this.answering(request, signal),
  };
  readonly requests = {
    GET_THING: (request: AdapterRequest, signal: AbortSignal) => this.answering(request, signal),
  };
}

interface Stage {
  readonly puppet: Puppet;
  readonly clock: SimulatedClock;
  readonly hub: HubChannel;
  readonly heard: FromAdapter[];
  readonly ended: () => number;
  of<T extends FromAdapter["type"]>(type: T): Extract<FromAdapter, { type: T }>[];
}

async function stage(credit = 0): Promise<Stage> {
  const puppet = new Puppet();
  const clock = new SimulatedClock();
  const { hub, adapter } = loopback();
  const heard: FromAdapter[] = [];
  let ended = 0;
  hub.open({ message: (message) => heard.push(message), closed: () => {} });
  serveAdapter(() => puppet, adapter, { clock, ended: () => (ended += 1) });
  hub.post({ type: "start", settings: { a: 1 }, store: [["key", 7]], folder: "/caches" });
  if (credit > 0) hub.post({ type: "credit", count: credit });
  await clock.pass(0);
  return {
    puppet,
    clock,
    hub,
    heard,
    ended: () => ended,
    of: <T extends FromAdapter["type"]>(type: T) =>
      heard.filter((message) => message.type === type) as Extract<FromAdapter, { type: T }>[],
  };
}

const hostOf = ({ puppet }: Stage): AdapterHost => {
  assert.ok(puppet.host);
  return puppet.host;
};
const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new AdapterError("cancelled", "aborted")));
  });
const set = { type: "set", attributes: { isOn: true } } as const;

test("start hands over settings and store and describes the adapter", async () => {
  const play = await stage();
  assert.deepEqual(play.heard, [{ type: "started", protocol: "puppet", inFlight: 2, offers }]);
  assert.deepEqual(hostOf(play).settings, { a: 1 });
  assert.equal(hostOf(play).store.get("key"), 7);
});

test("reports a refused start with its code", async () => {
  const { puppet, hub, heard, clock } = await stage();
  puppet.starting = () => Promise.reject(new AdapterError("settings", "port: no such port"));
  hub.post({ type: "start", settings: {}, store: [], folder: "/caches" });
  await clock.pass(0);
  assert.deepEqual(heard.at(-1), { type: "failed", code: "settings", message: "port: no such port" });
});

test("a second start gets the same host", async () => {
  const play = await stage();
  const first = hostOf(play);
  play.hub.post({ type: "start", settings: { b: 2 }, store: [], folder: "/caches" });
  await play.clock.pass(0);
  assert.equal(play.puppet.host, first);
  assert.equal(play.of("started").length, 2);
});

test("announces a device again only when its content changed or it was forgotten", async () => {
  const play = await stage();
  const host = hostOf(play);
  host.announce(lamp);
  host.announce({ ...lamp });
  host.announce({ ...lamp, model: "B" });
  await play.clock.pass(0);
  assert.deepEqual(
    play.of("announce").map(({ device }) => device.model),
    [null, "B"],
  );
  play.hub.post({ type: "forget", native: "lamp" });
  await play.clock.pass(0);
  host.announce({ ...lamp, model: "B" });
  await play.clock.pass(0);
  assert.equal(play.of("announce").length, 3, "a forgotten device is news again");
});

test("holds reports until credit arrives and sends one message per turn", async () => {
  const play = await stage(2);
  for (const button of [1, 2, 3, 4]) hostOf(play).report({ native: "rc", attributes: { button } });
  await play.clock.pass(0);
  assert.deepEqual(
    play.of("reports").map(({ reports }) => reports.map(({ attributes }) => attributes["button"])),
    [[1, 2]],
  );
  play.hub.post({ type: "credit", count: 1 });
  await play.clock.pass(0);
  assert.equal(play.of("reports").flatMap(({ reports }) => reports).length, 3);
});

test("sends earlier reports on stop, then nothing more", async () => {
  const play = await stage();
  hostOf(play).report({ native: "rc", attributes: { button: 1 } });
  play.hub.post({ type: "stop" });
  await play.clock.pass(0);
  assert.deepEqual(
    play.heard.slice(1).map(({ type }) => type),
    ["reports", "stopped"],
  );
  hostOf(play).report({ native: "rc", attributes: { button: 2 } });
  hostOf(play).announce(lamp);
  play.hub.post({ type: "credit", count: 100 });
  await play.clock.pass(0);
  assert.equal(play.of("reports").length, 1);
  assert.equal(play.of("announce").length, 0);
  assert.match(String(play.of("log").at(-1)?.message), /after its stop/);
});

const outcomes: readonly [string, (signal: AbortSignal) => Promise<void>, object][] = [
  ["taken", async () => {}, { ok: true }],
  [
    "AdapterError",
    () => Promise.reject(new AdapterError("busy", "later")),
    { ok: false, code: "busy", message: "later" },
  ],
  [
    "any other error",
    () => Promise.reject(new Error("oops")),
    { ok: false, code: "refused", message: "oops" },
  ],
  [
    "a throw",
    () => {
      throw new Error("oops");
    },
    { ok: false, code: "refused", message: "oops" },
  ],
];
for (const [name, sending, expected] of outcomes) {
  test(`answers a send once: ${name}`, async () => {
    const play = await stage();
    play.puppet.sending = sending;
    play.hub.post({ type: "send", id: 3, native: "lamp", command: set, timeoutMs: 1000 });
    await play.clock.pass(5000);
    assert.deepEqual(play.of("outcome"), [{ type: "outcome", id: 3, ...expected }]);
    assert.equal(
      play.of("log").length,
      name === "taken" || name === "AdapterError" ? 0 : 1,
      "a bug is logged",
    );
  });
}

test("aborts a send that takes too long and answers timeout", async () => {
  const play = await stage();
  play.puppet.sending = whenAborted;
  play.hub.post({ type: "send", id: 1, native: "lamp", command: set, timeoutMs: 1000 });
  await play.clock.pass(999);
  assert.equal(play.of("outcome").length, 0);
  await play.clock.pass(1);
  assert.deepEqual(play.of("outcome"), [
    { type: "outcome", id: 1, ok: false, code: "timeout", message: "aborted" },
  ]);
});

test("answers a send even when the adapter ignores its abort", async () => {
  const play = await stage();
  play.puppet.sending = () => new Promise(() => {});
  play.hub.post({ type: "send", id: 1, native: "lamp", command: set, timeoutMs: 60_000 });
  play.hub.post({ type: "cancel", id: 1 });
  await play.clock.pass(999);
  assert.equal(play.of("outcome").length, 0, "the radio may still be busy with it");
  await play.clock.pass(1);
  assert.deepEqual(
    play.of("outcome").map((outcome) => !outcome.ok && outcome.code),
    ["cancelled"],
  );
});

test("answers success when the device accepts the command during the abort", async () => {
  const play = await stage();
  play.puppet.sending = (signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve());
    });
  play.hub.post({ type: "send", id: 1, native: "lamp", command: set, timeoutMs: 10 });
  await play.clock.pass(10);
  assert.deepEqual(play.of("outcome"), [{ type: "outcome", id: 1, ok: true }]);
});

test("answers stopped for commands pending at the adapter's stop", async () => {
  const play = await stage();
  play.puppet.sending = () => new Promise(() => {});
  play.hub.post({ type: "send", id: 1, native: "lamp", command: set, timeoutMs: 60_000 });
  await play.clock.pass(0);
  play.hub.post({ type: "stop" });
  await play.clock.pass(0);
  assert.deepEqual(
    play.of("outcome").map((outcome) => !outcome.ok && outcome.code),
    ["stopped"],
  );
  assert.equal(play.heard.at(-1)?.type, "stopped");
});

test("a put resolves, and can be read, only once the hub has made it durable", async () => {
  const play = await stage();
  const { store } = hostOf(play);
  let durable = false;
  const put = store.put("counter", { n: 1 }).then(() => (durable = true));
  await play.clock.pass(0);
  assert.deepEqual(play.of("store"), [{ type: "store", id: 1, key: "counter", value: { n: 1 } }]);
  assert.deepEqual([durable, store.get("counter")], [false, undefined]);
  play.hub.post({ type: "stored", id: 1 });
  await put;
  assert.deepEqual(store.get("counter"), { n: 1 });
});

test("rejects a failed put and keeps the old value", async () => {
  const play = await stage();
  const { store } = hostOf(play);
  const put = store.put("key", 8);
  play.hub.post({ type: "stored", id: 1, error: "disk full" });
  await assert.rejects(put, /disk full/);
  assert.equal(store.get("key"), 7);
});

test("refuses a put of more than 64 KiB", async () => {
  const { store } = hostOf(await stage());
  await assert.rejects(store.put("big", "x".repeat(65_535)), RangeError);
  const small = store.put("big", "x".repeat(65_534));
  small.catch(() => assert.fail("it was refused"));
});

test("answers a ping", async () => {
  const play = await stage();
  play.hub.post({ type: "ping", id: 9 });
  await play.clock.pass(0);
  assert.deepEqual(play.heard.at(-1), { type: "pong", id: 9 });
});

test("throttles an adapter that logs too much and logs the number of dropped lines", async () => {
  const play = await stage();
  for (let line = 0; line < 500; line += 1) hostOf(play).log("info", "again", { line });
  await play.clock.pass(0);
  assert.equal(play.of("log").length, 200);
  await play.clock.pass(10_000);
  assert.deepEqual(play.of("log").at(-1)?.fields, { leftOut: 300 });
  hostOf(play).log("info", "calm");
  await play.clock.pass(0);
  assert.equal(play.of("log").at(-1)?.message, "calm");
});

test("stops the adapter when the line ends, even one that hangs", async () => {
  const play = await stage();
  play.hub.close();
  await play.clock.pass(0);
  assert.equal(play.ended(), 1);

  const hanging = await stage();
  hanging.puppet.stop = () => new Promise(() => {});
  hanging.hub.close();
  await hanging.clock.pass(499);
  assert.equal(hanging.ended(), 0);
  await hanging.clock.pass(1);
  assert.equal(hanging.ended(), 1);
});

test("answers a request with its value and refuses an unknown one", async () => {
  const play = await stage();
  play.puppet.answering = async ({ type, slot }) => ({ type, slot });
  const timeoutMs = 1000;
  play.hub.post({ type: "request", id: 1, request: { type: "GET_THING", slot: 3 }, timeoutMs });
  play.hub.post({ type: "request", id: 2, request: { type: "PAIR_THING" }, timeoutMs });
  play.hub.post({ type: "request", id: 3, request: { type: "toString" }, timeoutMs });
  await play.clock.pass(0);
  const message = "the puppet adapter does not know toString";
  assert.deepEqual(play.of("outcome"), [
    { type: "outcome", id: 3, ok: false, code: "unsupported", message },
    { type: "outcome", id: 1, ok: true, value: { type: "GET_THING", slot: 3 } },
    { type: "outcome", id: 2, ok: true, value: { type: "PAIR_THING", slot: undefined } },
  ]);
});

test("a request times out, can be cancelled, and ends with the adapter", async () => {
  const play = await stage();
  play.puppet.answering = (_request, signal) => whenAborted(signal);
  const request = { type: "GET_THING" };
  play.hub.post({ type: "request", id: 1, request, timeoutMs: 50 });
  play.hub.post({ type: "request", id: 2, request, timeoutMs: 5000 });
  play.hub.post({ type: "request", id: 3, request, timeoutMs: 5000 });
  await play.clock.pass(50);
  play.hub.post({ type: "cancel", id: 2 });
  await play.clock.pass(0);
  play.hub.post({ type: "stop" });
  await play.clock.pass(0);
  const ends = play.of("outcome").map((outcome) => [outcome.id, outcome.ok ? "ok" : outcome.code]);
  assert.deepEqual(ends, [
    [1, "timeout"],
    [2, "cancelled"],
    [3, "stopped"],
  ]);
});

test("turns pairing actions into calls and forwards found devices until stop", async () => {
  const play = await stage();
  const actions = [
    { type: "open", windowMs: 7 },
    { type: "close" },
    { type: "keep", native: "a" },
    { type: "discard", native: "b" },
  ] as const;
  for (const [id, action] of actions.entries()) play.hub.post({ type: "pair", id, action, timeoutMs: 1000 });
  await play.clock.pass(0);
  assert.deepEqual(play.puppet.paired, [7, "close", "keep a", "discard b"]);
  assert.deepEqual(
    play.of("outcome"),
    actions.map((_, id) => ({ type: "outcome", id, ok: true })),
  );
  const device = {
    native: "a",
    description: null,
    status: "CONNECTING",
    actionRequired: true,
    help: "pairing.press-button",
  } as const;
  hostOf(play).found(device);
  hostOf(play).lost("a");
  play.hub.post({ type: "stop" });
  await play.clock.pass(0);
  hostOf(play).found(device);
  hostOf(play).lost("a");
  await play.clock.pass(0);
  assert.deepEqual(play.of("found"), [{ type: "found", device }]);
  assert.deepEqual(play.of("lost"), [{ type: "lost", native: "a" }]);
});

test("turns groups and casts into calls and forwards each device's answer before the outcome", async () => {
  const play = await stage();
  const groups = [{ id: "g", address: 7, members: ["a", "b"] }];
  play.hub.post({ type: "groups", id: 1, groups, timeoutMs: 1000 });
  play.puppet.sending = whenAborted;
  const cast = { group: "g", natives: ["a", "b"], command: set };
  play.hub.post({ type: "cast", id: 2, ...cast, timeoutMs: 1000 });
  await play.clock.pass(0);
  assert.deepEqual(play.puppet.paired, [groups, ["g", ["a", "b"], set]]);
  assert.deepEqual(play.of("answered"), [
    { type: "answered", id: 2, native: "a", ok: true },
    { type: "answered", id: 2, native: "b", ok: false, code: "unreachable", message: "away" },
  ]);
  await play.clock.pass(1000);
  const ends = play.of("outcome").map((outcome) => [outcome.id, outcome.ok ? "ok" : outcome.code]);
  assert.deepEqual(ends, [
    [1, "ok"],
    [2, "timeout"],
  ]);
});

test("says how many commands the adapter bears before the outcome of the one that changed it", async () => {
  const { puppet, hub, heard, clock } = await stage();
  heard.length = 0;
  const send = async (id: number, inFlight: number): Promise<void> => {
    puppet.sending = async () => void (puppet.inFlight = inFlight);
    hub.post({ type: "send", id, native: "a", command: set, timeoutMs: 1000 });
    await clock.pass(0);
  };
  await send(1, 3);
  await send(2, 3);
  puppet.sending = async () => {
    puppet.inFlight = 1;
    throw new AdapterError("busy", "no room");
  };
  hub.post({ type: "send", id: 3, native: "a", command: set, timeoutMs: 1000 });
  await clock.pass(0);
  assert.deepEqual(heard, [
    { type: "inFlight", count: 3 },
    { type: "outcome", id: 1, ok: true },
    { type: "outcome", id: 2, ok: true },
    { type: "inFlight", count: 1 },
    { type: "outcome", id: 3, ok: false, code: "busy", message: "no room" },
  ]);
});
