import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, LoggedEvent } from "@ledge/model";
import { limits, scanId } from "@ledge/model";
import type {
  AdapterRequest,
  AirGroup,
  CastAnswer,
  DeviceCommand,
  DeviceDescription,
  PairingAction,
  Report,
} from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel } from "@ledge/testkit";
import type { SupervisedAdapter, SuperviseOptions } from "../adapters/supervisor.ts";
import { createLogger } from "@ledge/host/logger";
import { Notes } from "../notes/notes.ts";
import { CommandChains } from "./command-chains.ts";
import { Natives } from "./natives.ts";
import { Protocol } from "./protocol.ts";
import { SeenNotes } from "./seen-notes.ts";

interface Sent {
  readonly native: string;
  readonly command: DeviceCommand;
  readonly signal: AbortSignal | undefined;
  readonly answer: PromiseWithResolvers<void>;
}

/** An adapter whose answers the test controls. */
class StandIn implements SupervisedAdapter {
  readonly status = { state: "running", failures: 0, reports: 0, reason: null, failure: null } as const;
  readonly inFlight = 1;
  readonly options: SuperviseOptions;
  readonly sent: Sent[] = [];
  constructor(options: SuperviseOptions) {
    this.options = options;
  }
  send(native: string, command: DeviceCommand, _timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const answer = Promise.withResolvers<void>();
    this.sent.push({ native, command, signal, answer });
    return answer.promise;
  }
  readonly offers = {
    pairing: true,
    groupcast: ["air"],
    protocolCommands: ["PAIR_THING"],
    requests: ["GET_THING"],
  };
  readonly asked: AdapterRequest[] = [];
  readonly paired: PairingAction[] = [];
  /** The outcomes of pairing actions. */
  pairing: (action: PairingAction) => Promise<void> = () => Promise.resolve();
  request(request: AdapterRequest): Promise<unknown> {
    this.asked.push(request);
    return Promise.resolve(request["slot"]);
  }
  pair(action: PairingAction): Promise<void> {
    this.paired.push(action);
    return this.pairing(action);
  }
  readonly groups: (readonly AirGroup[])[] = [];
  keepGroups(groups: readonly AirGroup[]): Promise<void> {
    this.groups.push(groups);
    return Promise.resolve();
  }
  readonly casts: {
    readonly natives: readonly string[];
    readonly answered: CastAnswer;
    readonly end: Sent["answer"];
  }[] = [];
  cast(...[, natives, , , answered]: Parameters<SupervisedAdapter["cast"]>): Promise<void> {
    const end = Promise.withResolvers<void>();
    this.casts.push({ natives, answered, end });
    return end.promise;
  }
  readonly forgotten: string[] = [];
  forget(native: string): void {
    this.forgotten.push(native);
  }
  resume(): void {}
  stop(): Promise<void> {
    for (const { answer } of this.sent) answer.reject(new AdapterError("stopped", "stopped"));
    return Promise.resolve();
  }
}

/** A protocol over a stand-in adapter; counts the timers it sets and records what it submits. */
class Bench {
  readonly hub: TestKernel = openTestKernel();
  readonly protocol: Protocol;
  readonly adapter: StandIn;
  readonly submitted: Command[] = [];
  alarms = 0;

  constructor() {
    const { kernel, clock } = this.hub;
    const submit = kernel.submit.bind(kernel);
    kernel.submit = (submission) => {
      this.submitted.push(...submission.commands);
      return submit(submission);
    };
    const host = {
      kernel,
      natives: new Natives(kernel),
      seen: new SeenNotes(kernel, clock),
      chains: new CommandChains(),
      notes: new Notes(kernel, clock, createLogger("silent")),
      clock: {
        wall: () => clock.wall(),
        monotonic: () => clock.monotonic(),
        after: (ms: number, callback: () => void) => {
          this.alarms += 1;
          return clock.after(ms, callback);
        },
      },
      logger: createLogger("silent"),
      folder: "/nowhere",
      memoryMb: 64,
      random: () => 0.5,
    };
    let adapter: StandIn | undefined;
    this.protocol = new Protocol("sim", {}, host, (options) => (adapter = new StandIn(options)));
    assert.ok(adapter);
    this.adapter = adapter;
  }

  async announce(...natives: string[]): Promise<void> {
    for (const native of natives) void this.adapter.options.announced(lamp(native));
    await this.settle();
  }

  async settle(): Promise<void> {
    await this.hub.clock.pass(limits.telemetryWindowMs);
  }

  set(id: string, native: string, attributes: object, before: object = {}): void {
    const command = { type: "set", attributes: { ...attributes } } as const;
    this.protocol.send({ id, native, radio: "air", command, absolute: true, before: { ...before } });
  }

  report(...reports: Report[]): Promise<void> {
    return this.adapter.options.reported(reports, 0);
  }

  /** The changes that reports of a switch caused, in the order of the log. */
  switched(): unknown[] {
    const events = [...this.hub.kernel.log.read()].flatMap((commit) => commit.events);
    return events.flatMap((event: LoggedEvent & { attributes?: Record<string, unknown> }) =>
      event.type === "DeviceReported" ? (event.attributes?.["isOn"] ?? []) : [],
    );
  }
}

const lamp = (native: string): DeviceDescription => ({
  native,
  radio: "air",
  class: "LIGHT",
  capabilities: ["DEVICE", "ON_OFF", "BRIGHTNESS"],
  name: native,
  manufacturer: null,
  model: null,
});
const isOn = (value: boolean): Report => ({ native: "a", attributes: { isOn: value } });

test("keeps a batch with lost pulses ahead of the next batch", async () => {
  const bench = new Bench();
  await bench.announce("a");
  const batches = [bench.adapter.options.reported([isOn(true)], 3), bench.report(isOn(false))];
  assert.deepEqual(
    bench.submitted.slice(-3).map(({ type }) => type),
    ["NOTE_DROPPED", "REPORT_DEVICE", "REPORT_DEVICE"],
  );
  await Promise.all(batches);
  assert.deepEqual(bench.switched(), [true, false]);
});

test("acknowledges a batch only after the note of lost pulses is durable", async () => {
  const bench = new Bench();
  await bench.announce("a");
  await bench.adapter.options.reported([], 3);
  const types = [...bench.hub.kernel.log.read()].flatMap(({ events }) => events.map(({ type }) => type));
  assert.match(String(types.at(-1)), /Dropped/);
});

test("keeps a real switch-off that follows a command's echo", async () => {
  const bench = new Bench();
  await bench.announce("a");
  bench.set("c", "a", { isOn: true }, { isOn: false });
  bench.adapter.sent[0]?.answer.resolve();
  await bench.report(isOn(true));
  await bench.report(isOn(false));
  assert.deepEqual(bench.switched(), [true, false]);
});

test("aborts a command without an answer, and keeps its radio busy until the adapter answers", async () => {
  const bench = new Bench();
  await bench.announce("a", "b");
  bench.set("c1", "a", { isOn: true });
  const [first] = bench.adapter.sent;
  await bench.hub.clock.pass(6999);
  assert.equal(first?.signal?.aborted, false);
  await bench.hub.clock.pass(1);
  assert.equal(first?.signal?.aborted, true);
  bench.set("c2", "b", { isOn: true });
  assert.equal(bench.adapter.sent.length, 1);
  first?.answer.reject(new AdapterError("cancelled", "cancelled"));
  await bench.hub.clock.pass(1);
  assert.deepEqual(
    bench.adapter.sent.map(({ native }) => native),
    ["a", "b"],
  );
});

test("aborts the command under way when its device is removed", async () => {
  const bench = new Bench();
  await bench.announce("a");
  bench.set("c", "a", { isOn: true });
  bench.protocol.forget("a");
  assert.equal(bench.adapter.sent[0]?.signal?.aborted, true);
});

test("passes on a report that matches no command unchanged, and sets no timer", async () => {
  const bench = new Bench();
  await bench.announce("a");
  bench.set("c", "a", { brightness: 0.5 });
  await bench.report(isOn(true));
  const { alarms } = bench;
  const report = isOn(false);
  await bench.report(report);
  assert.equal(bench.alarms, alarms);
  const [last] = bench.submitted.slice(-1) as { type: string; attributes?: object }[];
  assert.equal(last?.attributes, report.attributes, "a copy was made");
});

test("counts the time that a command waits for its radio against its timeout", async () => {
  const bench = new Bench();
  await bench.announce("a", "b");
  bench.set("c1", "a", { isOn: true });
  bench.set("c2", "b", { isOn: true });
  await bench.hub.clock.pass(limits.commandTimeoutMs);
  const failed = bench.submitted.filter(({ type }) => type === "NOTE_COMMAND_FAILED");
  assert.deepEqual(
    failed.map((command) => "id" in command && command.id),
    ["c1", "c2"],
  );
});

test("sets no more timers for unanswered commands after a stop", async () => {
  const bench = new Bench();
  await bench.announce("a", "b");
  bench.set("c1", "a", { isOn: true });
  bench.set("c2", "b", { isOn: true });
  const { waiting } = bench.hub.clock;
  await bench.protocol.stop();
  await bench.hub.clock.pass(0);
  assert.ok(bench.hub.clock.waiting < waiting);
  assert.equal(bench.adapter.sent.length, 1);
});

test("records the outcome of a cast per device, and sends singly to members that missed it", async () => {
  const bench = new Bench();
  await bench.announce("a", "b", "c");
  const command = { type: "set", attributes: { isOn: true } } as const;
  const sendings = ["a", "b", "c"].map((native) => ({
    id: `to ${native}`,
    native,
    radio: "air",
    command,
    absolute: true,
  }));
  bench.protocol.cast("g", sendings);
  const { casts, sent } = bench.adapter;
  assert.deepEqual([casts.map(({ natives }) => natives), sent], [[["a", "b", "c"]], []]);
  const done = (): unknown[] =>
    bench.submitted.filter(({ type }) => type === "NOTE_COMMAND_DONE").map((note) => "id" in note && note.id);
  casts[0]?.answered("b");
  assert.deepEqual(done(), ["to b"]);
  casts[0]?.answered("a", new AdapterError("unreachable", "away"));
  casts[0]?.end.resolve();
  await bench.hub.clock.pass(0);
  sent[0]?.answer.resolve();
  await bench.hub.clock.pass(0);
  sent[1]?.answer.resolve();
  await bench.hub.clock.pass(0);
  assert.deepEqual(new Set(sent.map(({ native }) => native)), new Set(["a", "c"]));
  assert.deepEqual(new Set(done()), new Set(["to a", "to b", "to c"]));
});

/** A bench whose hub has just kept a device, and whose adapter has not confirmed it yet. */
async function keepingOne(native: string): Promise<{ bench: Bench; kept: PromiseWithResolvers<void> }> {
  const bench = new Bench();
  const { kernel } = bench.hub;
  kernel.subscribe({
    published: ({ events }) => {
      for (const event of events) bench.protocol.follow(event);
    },
  });
  const kept = Promise.withResolvers<void>();
  bench.adapter.pairing = ({ type }) => (type === "keep" ? kept.promise : Promise.resolve());
  await bench.hub.accept({ type: "SCAN", durationMs: limits.scanLocalMs });
  const how = { status: "COMPLETE", actionRequired: false, help: null } as const;
  void bench.adapter.options.found({ native, description: lamp(native), ...how });
  await bench.settle();
  const [find] = Object.values(kernel.get("scan", scanId)?.finds ?? {});
  await bench.hub.accept({ type: "SET_SCAN_RESULT", id: find?.id ?? "", ignored: false });
  await bench.hub.accept({ type: "END_SCAN" });
  await bench.hub.clock.pass(1);
  assert.equal(bench.adapter.paired.at(-1)?.type, "keep");
  return { bench, kept };
}

const sentTo = (bench: Bench): readonly string[] => bench.adapter.sent.map(({ native }) => native);

test("queues commands for a new device until its adapter has kept it, and no others", async () => {
  const { bench, kept } = await keepingOne("a");
  bench.set("c1", "a", { isOn: true });
  bench.set("c2", "b", { isOn: true });
  await bench.hub.clock.pass(1);
  assert.deepEqual(sentTo(bench), ["b"]);
  bench.adapter.sent[0]?.answer.resolve();
  kept.resolve();
  await bench.hub.clock.pass(1);
  assert.deepEqual(sentTo(bench), ["b", "a"]);
});

test("drops a command that timed out before its device was kept, and all of them at a stop", async () => {
  const { bench, kept } = await keepingOne("a");
  bench.set("c1", "a", { isOn: true });
  await bench.hub.clock.pass(limits.commandTimeoutMs);
  kept.resolve();
  await bench.hub.clock.pass(1);
  const failures = bench.submitted.filter(({ type }) => type === "NOTE_COMMAND_FAILED");
  assert.deepEqual([failures.length, sentTo(bench)], [1, []]);
  const other = await keepingOne("a");
  other.bench.set("c1", "a", { isOn: true });
  await other.bench.protocol.stop();
  other.kept.reject(new AdapterError("unreachable", "gone"));
  await other.bench.hub.clock.pass(1);
  assert.deepEqual(sentTo(other.bench), []);
});

test("gives a refresh its longer time also when its device was just kept", async () => {
  const { bench, kept } = await keepingOne("a");
  bench.protocol.send({ id: "r", native: "a", radio: "air", command: { type: "refresh" }, absolute: true });
  await bench.hub.clock.pass(limits.refreshMs - 1);
  kept.resolve();
  await bench.hub.clock.pass(1);
  assert.deepEqual(sentTo(bench), ["a"]);
});

test("casts to the devices that the adapter has kept, and sends singly to the one that it keeps next", async () => {
  const { bench, kept } = await keepingOne("a");
  await bench.announce("b", "c");
  const command = { type: "set", attributes: { isOn: true } } as const;
  const sendings = ["a", "b", "c"].map((native) => {
    return { id: `to ${native}`, native, radio: "air", command, absolute: true };
  });
  bench.protocol.cast("g", sendings);
  await bench.hub.clock.pass(1);
  assert.deepEqual(bench.adapter.casts[0]?.natives, ["b", "c"]);
  bench.adapter.casts[0]?.end.resolve();
  kept.resolve();
  await bench.hub.clock.pass(1);
  assert.equal(sentTo(bench)[0] ?? "", "b");
});
