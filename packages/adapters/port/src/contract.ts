import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { capabilities, deviceClasses, itemsProblem, limits } from "@ledge/model";
import type { AdapterErrorCode, AirGroup, NativeId } from "./adapter.ts";
import { AdapterError } from "./adapter.ts";
import { offersOf } from "./offers.ts";
import { flood, floodNatives } from "./contract/flood.ts";
import type { Subject } from "./contract/subject.ts";
import { forked, inProcess, inProcessFlood } from "./contract/subject.ts";
import type { ContractWorld, MakeWorld, Offered, Run } from "./contract/world.ts";

export type { ContractWorld, MakeWorld, Offered, Order } from "./contract/world.ts";

/**
 * Runs the suite that every adapter must pass, with the adapter in this process and in a child process.
 * @param name the protocol, for test titles.
 * @param makeWorld makes a fresh world for each test.
 * @param offered what the adapter offers besides devices; only those tests run.
 * @param runs where the adapter runs: a further world of an adapter that passes in both needs one of them.
 */
export function adapterContract(
  name: string,
  makeWorld: MakeWorld,
  offered: Offered = {},
  runs: readonly Run[] = ["in process", "forked"],
): void {
  const running = { ...runningCases, ...pairingCases(offered), ...requestCases(offered) };
  const stopping = { ...stoppingCases, ...groupCases(offered), ...stoppedCases(offered) };
  for (const run of runs)
    describe(`${name} adapter ${run}`, () => {
      const [enter, enterFlood] = enters[run];
      const make = (): Promise<ContractWorld> => makeWorld(run);
      if (offered.sharesStart === true) shared(running, make, enter);
      else each(running, make, enter);
      each(stopping, make, enter);
      it("delivers ten thousand reports over a slow line: keeps every pulse, merges levels", () =>
        play(async () => withoutPast(await make()), enterFlood, flooded));
    });
}

/** How a subject enters each run, and how one that floods does. */
const enters: Readonly<Record<Run, readonly [Enter, flooding: Enter]>> = {
  "in process": [inProcess, inProcessFlood],
  forked: [forked, (world) => forked(world, "flood")],
};

type Enter = (world: ContractWorld) => Subject;
type Case = (subject: Subject, world: ContractWorld) => Promise<void>;

type Cases = Readonly<Record<string, Case>>;

/** An adapter that knows its devices reports pulses of its own, for which the flood leaves no room. */
function withoutPast({ folder: _folder, ...world }: ContractWorld): ContractWorld {
  return world;
}

/** Gives each case an adapter of its own. */
function each(all: Cases, makeWorld: () => Promise<ContractWorld>, enter: Enter): void {
  for (const [title, run] of Object.entries(all)) it(title, () => play(makeWorld, enter, run));
}

/** Gives all cases one adapter, in their order. */
function shared(all: Cases, makeWorld: () => Promise<ContractWorld>, enter: Enter): void {
  describe("started once", () => {
    let world: ContractWorld;
    let subject: Subject;
    before(async () => {
      world = await makeWorld();
      subject = enter(world);
    });
    after(async () => {
      await subject.close();
      await world.dispose();
    });
    for (const [title, run] of Object.entries(all))
      it(title, async () => {
        await run(subject, world);
        assert.deepEqual(subject.errors, [], "the adapter logged errors");
      });
  });
}

async function play(makeWorld: () => Promise<ContractWorld>, enter: Enter, run: Case): Promise<void> {
  const world = await makeWorld();
  const subject = enter(world);
  try {
    await run(subject, world);
    assert.deepEqual(subject.errors, [], "the adapter logged errors");
  } finally {
    await subject.close();
    await world.dispose();
  }
}

/** They leave the adapter running as they found it. */
const runningCases: Cases = {
  async "announces each device before it reports, always with the same description"(subject, world) {
    await started(subject, world);
    await until(
      subject,
      "a device and a report",
      () => subject.announced.length > 0 && subject.reports.length > 0,
    );
    const known = new Set(subject.announced.map(({ native }) => native));
    assertOneDescription(subject);
    for (const device of subject.announced) {
      assert.ok(Object.hasOwn(deviceClasses, device.class), device.class);
      for (const capability of device.capabilities) assert.ok(capabilities.includes(capability), capability);
    }
    for (const { native } of subject.reports) assert.ok(known.has(native), `${native} was not announced`);
  },

  async "announces settings and firmware with their capability and offers to change them"(subject, world) {
    const offers = offersOf(world.create());
    await started(subject, world);
    await until(subject, "a device", () => subject.announced.length > 0);
    for (const { native, capabilities: can, configuration, upgrade } of subject.announced) {
      assert.equal(configuration !== undefined, can.includes("CONFIGURABLE"), `${native}: settings`);
      assert.equal(upgrade !== undefined, can.includes("UPGRADE"), `${native}: firmware`);
      if (configuration) assert.equal(itemsProblem(configuration.items), undefined, native);
      if (configuration) assert.ok(offers.requests.includes("SET_CONFIGURATION"), native);
      if (upgrade) assert.ok(offers.requests.includes("START_UPGRADE"), native);
    }
  },

  async "a second start changes nothing"(subject, world) {
    await started(subject, world);
    await subject.pass(200);
    const announced = subject.announced.length;
    await started(subject, world);
    await subject.pass(200);
    assert.equal(subject.announced.length, announced);
  },

  async "a device accepts a command and reports again on refresh"(subject, world) {
    await started(subject, world);
    const { native, command } = world.taken;
    await settled(subject, subject.send(native, command));
    await subject.pass(100);
    const since = subject.reports.length;
    await settled(subject, subject.send(native, { type: "refresh" }));
    const isNew = (): boolean => subject.reports.slice(since).some((report) => report.native === native);
    await until(subject, `a report of ${native}`, isNew);
  },

  async "refuses a command to an unknown device"(subject, world) {
    await started(subject, world);
    const send = subject.send("nobody-has-this-address", world.taken.command);
    await refused(subject, send, ["refused", "unreachable"]);
  },

  async "an aborted command ends soon"(subject, world) {
    await started(subject, world);
    const abort = new AbortController();
    const ended = refused(subject, subject.send(world.slow.native, world.slow.command, abort.signal), [
      "cancelled",
    ]);
    await subject.pass(50);
    abort.abort();
    await subject.pass(200);
    await ended;
  },
};

const stoppingCases: Cases = {
  async "stop is idempotent and ends all reports"(subject, world) {
    await started(subject, world);
    await settled(subject, subject.stop());
    const said = subject.reports.length + subject.announced.length;
    await settled(subject, subject.stop());
    await subject.pass(1000);
    assert.equal(subject.reports.length + subject.announced.length, said);
    await refused(subject, subject.send(world.taken.native, world.taken.command), ["stopped", "unreachable"]);
  },

  async "stop before a start succeeds"(subject) {
    await settled(subject, subject.stop());
    assert.equal(subject.announced.length, 0);
  },

  async "a stop ends pending commands"(subject, world) {
    await started(subject, world);
    const send = subject.send(world.slow.native, world.slow.command);
    const ended = refused(subject, send, ["stopped", "cancelled"]);
    await subject.pass(50);
    await settled(subject, subject.stop());
    await ended;
  },

  async "a vanished port makes its devices unreachable until it returns"(subject, world) {
    await settled(subject, subject.start(world.vanishing ?? world.settings));
    await until(subject, "reachable devices", () => reachable(subject).size > 0);
    await subject.pass(200);
    const there = reachable(subject);
    await world.vanish();
    await until(subject, "all devices unreachable", () => reachable(subject).size === 0);
    await world.restore();
    await until(subject, "the same devices reachable", () => {
      const back = reachable(subject);
      return [...there].every((native) => back.has(native));
    });
    assertOneDescription(subject);
  },

  async "refuses wrong settings and names the field"(subject, world) {
    assert.ok(world.wrong.length > 0);
    for (const { settings, field } of world.wrong) {
      const error = await refused(subject, subject.start(settings), ["settings"]);
      assert.ok(error.message.includes(field), `"${error.message}" does not name ${field}`);
    }
  },
};

const windowMs = 60_000;

function pairingCases({ finds: native }: Offered): Cases {
  if (native === undefined) return {};
  const open = { type: "open", windowMs } as const;
  const isAnnounced = (subject: Subject, since: number): boolean =>
    subject.announced.slice(since).some((device) => device.native === native);
  const find = async (subject: Subject): Promise<void> => {
    const since = subject.found.length;
    await settled(subject, subject.pair(open));
    await until(subject, `${native} found and described`, () =>
      subject.found.slice(since).some((device) => device.native === native && device.description !== null),
    );
  };
  return {
    async "finds nothing without a window, and a window closes by itself"(subject, world) {
      await started(subject, world);
      await settled(subject, subject.pair({ type: "close" }));
      const since = subject.found.length;
      await subject.pass(500);
      assert.deepEqual(subject.found.slice(since), []);
      await settled(subject, subject.pair({ type: "open", windowMs: 1 }));
      await subject.pass(500);
      await settled(subject, subject.pair({ type: "discard", native }));
      const closed = subject.found.length;
      await subject.pass(1500);
      assert.equal(subject.found.length, closed);
    },

    async "refuses to keep an unknown device and ignores its discard"(subject, world) {
      await started(subject, world);
      await refused(subject, subject.pair({ type: "keep", native: "nobody-has-this-address" }), ["refused"]);
      await settled(subject, subject.pair({ type: "discard", native: "nobody-has-this-address" }));
    },

    async "does not announce a discarded device and finds it again"(subject, world) {
      await started(subject, world);
      const since = subject.announced.length;
      await find(subject);
      await settled(subject, subject.pair({ type: "discard", native }));
      await settled(subject, subject.pair({ type: "close" }));
      await subject.pass(200);
      assert.ok(!isAnnounced(subject, since), "it was announced although it was discarded");
      await find(subject);
      await settled(subject, subject.pair({ type: "discard", native }));
      await settled(subject, subject.pair({ type: "close" }));
    },

    async "finds a forgotten device again"(subject, world) {
      await started(subject, world);
      await find(subject);
      await settled(subject, subject.pair({ type: "keep", native }));
      await settled(subject, subject.forget(native));
      await settled(subject, subject.pair({ type: "close" }));
      await find(subject);
      await settled(subject, subject.pair({ type: "discard", native }));
      await settled(subject, subject.pair({ type: "close" }));
    },

    async "announces a found device once it is kept, not before"(subject, world) {
      await started(subject, world);
      const since = subject.announced.length;
      await find(subject);
      assert.ok(!isAnnounced(subject, since), "it was announced before it was kept");
      await settled(subject, subject.pair({ type: "close" }));
      await settled(subject, subject.pair({ type: "keep", native }));
      await until(subject, "its announcement", () => isAnnounced(subject, since));
      await until(subject, "its report", () =>
        subject.reports.some((report) => report.native === native && report.attributes["reachable"] === true),
      );
      await settled(subject, subject.pair({ type: "keep", native }));
      assertOneDescription(subject);
    },
  };
}

function groupCases({ groupcast }: Offered): Cases {
  if (groupcast === undefined) return {};
  const { natives, command } = groupcast;
  const group = (members: readonly NativeId[]): AirGroup => ({ id: "group", address: 7, members });
  /** Casts and returns each device's result; a device that has not answered is missing. */
  const cast = async (subject: Subject): Promise<Map<NativeId, AdapterErrorCode | "taken">> => {
    const answers = new Map<NativeId, AdapterErrorCode | "taken">();
    const done = subject.cast("group", natives, command, (native, error) => {
      assert.ok(natives.includes(native), `${native} was not asked`);
      assert.ok(!answers.has(native), `${native} answered twice`);
      answers.set(native, error?.code ?? "taken");
    });
    await settled(subject, done);
    return answers;
  };
  /** Casts until all of these have accepted it: an adapter may need a while to add devices to a group. */
  const castUntil = async (
    subject: Subject,
    takers: readonly NativeId[],
  ): Promise<Map<NativeId, AdapterErrorCode | "taken">> => {
    for (let tries = 0; tries < 30; tries += 1) {
      const answers = await cast(subject);
      if (takers.every((native) => answers.get(native) === "taken")) return answers;
      await subject.pass(1000);
    }
    assert.fail("no cast was accepted by all in time");
  };
  return {
    async "every member of a group accepts a cast"(subject, world) {
      await started(subject, world);
      await settled(subject, subject.keepGroups([group(natives)]));
      await castUntil(subject, natives);
      const wanted = command.type === "set" ? Object.entries(command.attributes) : [];
      const shows = (native: NativeId): boolean =>
        wanted.every(([name, value]) =>
          subject.reports.some((report) => report.native === native && report.attributes[name] === value),
        );
      for (const native of natives) await settled(subject, subject.send(native, { type: "refresh" }));
      await until(subject, "a report of each member", () => natives.every(shows));
    },

    async "reports that a device outside the group missed a cast"(subject, world) {
      await started(subject, world);
      const [outsider, ...members] = natives;
      assert.ok(outsider !== undefined && members.length > 1);
      await settled(subject, subject.keepGroups([group(members)]));
      const answers = await castUntil(subject, members);
      assert.notEqual(answers.get(outsider), "taken");
    },

    async "no device accepts a cast to a deleted group"(subject, world) {
      await started(subject, world);
      await settled(subject, subject.keepGroups([group(natives)]));
      await castUntil(subject, natives);
      await settled(subject, subject.keepGroups([]));
      const answers = await cast(subject).catch((error: unknown) => {
        assert.ok(error instanceof AdapterError, String(error));
        return new Map();
      });
      assert.ok(![...answers.values()].includes("taken"));
    },

    async "refuses casts after stop"(subject, world) {
      await started(subject, world);
      await settled(subject, subject.stop());
      await refused(
        subject,
        subject.cast("group", natives, command, () => {}),
        ["stopped", "unreachable"],
      );
    },
  };
}

function requestCases({ answers }: Offered): Cases {
  if (answers === undefined) return {};
  return {
    async "answers a request with plain data"(subject, world) {
      await started(subject, world);
      const answer = await settled(subject, subject.request(answers));
      assert.deepEqual(structuredClone(answer), answer);
    },

    async "refuses an unknown request as unsupported"(subject, world) {
      await started(subject, world);
      await refused(subject, subject.request({ type: "NOBODY_ANSWERS_THIS" }), ["unsupported"]);
    },
  };
}

function stoppedCases({ answers }: Offered): Cases {
  if (answers === undefined) return {};
  return {
    async "refuses requests after stop"(subject, world) {
      await started(subject, world);
      await settled(subject, subject.stop());
      await refused(subject, subject.request(answers), ["stopped", "unreachable"]);
    },
  };
}

async function flooded(subject: Subject, world: ContractWorld): Promise<void> {
  await started(subject, world);
  const pulses = flood.flatMap(({ attributes }) => attributes["button"] ?? []);
  const arrived = (): unknown[] => ofFlood(subject).flatMap(({ attributes }) => attributes["button"] ?? []);
  await until(subject, "every pulse", () => arrived().length >= pulses.length);
  assert.deepEqual(arrived(), pulses);
  assert.equal(subject.dropped(), 0);
  await until(subject, "the newest levels", () => levels(ofFlood(subject)).size === floodNatives.length);
  await subject.pass(200);
  assert.deepEqual(levels(ofFlood(subject)), levels(flood));
  const merged =
    flood.length -
    limits.pulseQueue -
    ofFlood(subject).filter(({ attributes }) => "lux" in attributes).length;
  assert.ok(merged > 0, "no levels were merged");
}

/** An adapter may announce a device again, but only with the same description. */
function assertOneDescription(subject: Subject): void {
  const natives = new Set(subject.announced.map(({ native }) => native));
  assert.equal(new Set(subject.announced.map((device) => JSON.stringify(device))).size, natives.size);
}

function ofFlood(subject: Subject): Subject["reports"] {
  return subject.reports.filter(({ native }) => floodNatives.includes(native));
}

function levels(reports: Subject["reports"]): Map<string, unknown> {
  const newest = new Map<string, unknown>();
  for (const { native, attributes } of reports)
    if ("lux" in attributes) newest.set(native, attributes["lux"]);
  return newest;
}

/** Returns the devices whose last report says that they are reachable. */
function reachable(subject: Subject): Set<string> {
  const natives = new Set<string>();
  for (const { native, attributes } of subject.reports) {
    if (attributes["reachable"] === true) natives.add(native);
    if (attributes["reachable"] === false) natives.delete(native);
  }
  return natives;
}

async function started(subject: Subject, world: ContractWorld): Promise<void> {
  await settled(subject, subject.start(world.settings));
}

const stepMs = 20;
const patienceMs = 60_000;

async function until(subject: Subject, what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < patienceMs; waited += stepMs) {
    if (holds()) return;
    await subject.pass(stepMs);
  }
  assert.fail(`timed out waiting for ${what}`);
}

/** Advances time until the promise settles. */
async function settled<T>(subject: Subject, promise: Promise<T>): Promise<T> {
  let open = true;
  const close = (): void => void (open = false);
  promise.then(close, close);
  await until(subject, "an answer", () => !open);
  return await promise;
}

async function refused(
  subject: Subject,
  promise: Promise<unknown>,
  codes: readonly AdapterErrorCode[],
): Promise<AdapterError> {
  let raised: unknown;
  await settled(
    subject,
    promise.then(
      () => undefined,
      (error: unknown) => void (raised = error),
    ),
  );
  assert.ok(raised instanceof AdapterError, `expected an AdapterError, got ${String(raised)}`);
  assert.ok(codes.includes(raised.code), `${raised.code}: ${raised.message}`);
  return raised;
}
