import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { capabilities, deviceClasses, itemsProblem, limits } from "@ledge/model";
import type { AdapterErrorCode, AirGroup, NativeId } from "./adapter.ts";
import { AdapterError } from "./adapter.ts";
import { offersOf } from "./offers.ts";
import { flood, floodNatives } from "./contract/flood.ts";
import type { Subject } from "./contract/subject.ts";
import { forked, inProcess, inProcessFlood } from "./contract/subject.ts";
import type { ContractWorld, MakeWorld, Offered } from "./contract/world.ts";

export type { ContractWorld, MakeWorld, Offered, Order } from "./contract/world.ts";

/**
 * What every adapter keeps, as a suite: once with the adapter in this process and once in a child process.
 * @param name of the protocol, for the titles.
 * @param makeWorld a fresh world for each test.
 * @param offered what it offers beside its devices; those tests run for what is named.
 */
export function adapterContract(name: string, makeWorld: MakeWorld, offered: Offered = {}): void {
  const all = { ...cases, ...pairingCases(offered), ...groupCases(offered), ...requestCases(offered) };
  describe(`${name} adapter in process`, () => {
    contract(all, () => makeWorld("in process"), inProcess, inProcessFlood);
  });
  describe(`${name} adapter forked`, () => {
    contract(
      all,
      () => makeWorld("forked"),
      forked,
      (world) => forked(world, "flood"),
    );
  });
}

type Enter = (world: ContractWorld) => Subject;
type Case = (subject: Subject, world: ContractWorld) => Promise<void>;

type Cases = Readonly<Record<string, Case>>;

function contract(
  all: Cases,
  makeWorld: () => Promise<ContractWorld>,
  enter: Enter,
  enterFlood: Enter,
): void {
  for (const [title, run] of Object.entries(all)) it(title, () => play(makeWorld, enter, run));
  it("brings ten thousand reports through a slow line: no pulse lost, levels merged", () =>
    play(makeWorld, enterFlood, flooded));
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

const cases: Cases = {
  async "announces each device before its reports, and always as the same"(subject, world) {
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

  async "what has settings or firmware says so, and its adapter offers to change it"(subject, world) {
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

  async "stop is idempotent, and nothing is reported after it"(subject, world) {
    await started(subject, world);
    await settled(subject, subject.stop());
    const said = subject.reports.length + subject.announced.length;
    await settled(subject, subject.stop());
    await subject.pass(1000);
    assert.equal(subject.reports.length + subject.announced.length, said);
    await refused(subject, subject.send(world.taken.native, world.taken.command), ["stopped", "unreachable"]);
  },

  async "stop before a start is no error"(subject) {
    await settled(subject, subject.stop());
    assert.equal(subject.announced.length, 0);
  },

  async "a stop ends the commands under way"(subject, world) {
    await started(subject, world);
    const send = subject.send(world.slow.native, world.slow.command);
    const ended = refused(subject, send, ["stopped", "cancelled"]);
    await subject.pass(50);
    await settled(subject, subject.stop());
    await ended;
  },

  async "a device takes a command, and reports all anew when asked"(subject, world) {
    await started(subject, world);
    const { native, command } = world.taken;
    await settled(subject, subject.send(native, command));
    await subject.pass(100);
    const before = subject.reports.length;
    await settled(subject, subject.send(native, { type: "refresh" }));
    const isNew = (): boolean => subject.reports.slice(before).some((report) => report.native === native);
    await until(subject, `a report of ${native}`, isNew);
  },

  async "a command to an unknown device is refused"(subject, world) {
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

  async "a port that vanishes takes its devices with it and brings them back"(subject, world) {
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

  async "wrong settings are refused, and the error names the field"(subject, world) {
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
  const isAnnounced = (subject: Subject): boolean =>
    subject.announced.some((device) => device.native === native);
  const find = async (subject: Subject): Promise<void> => {
    const before = subject.found.length;
    await settled(subject, subject.pair(open));
    await until(subject, `${native} found, and known what it is`, () =>
      subject.found.slice(before).some((device) => device.native === native && device.description !== null),
    );
  };
  return {
    async "what a pairing window finds is a device when it is kept, and not before"(subject, world) {
      await started(subject, world);
      await find(subject);
      assert.ok(!isAnnounced(subject), "it was announced before anybody wanted it");
      await settled(subject, subject.pair({ type: "close" }));
      await settled(subject, subject.pair({ type: "keep", native }));
      await until(subject, "its announcement", () => isAnnounced(subject));
      await until(subject, "its report", () =>
        subject.reports.some((report) => report.native === native && report.attributes["reachable"] === true),
      );
      await settled(subject, subject.pair({ type: "keep", native }));
      assertOneDescription(subject);
    },

    async "what is discarded is no device, and can be found again"(subject, world) {
      await started(subject, world);
      await find(subject);
      await settled(subject, subject.pair({ type: "discard", native }));
      await settled(subject, subject.pair({ type: "close" }));
      await subject.pass(200);
      assert.ok(!isAnnounced(subject), "it was announced though nobody wanted it");
      await find(subject);
    },

    async "a device that was let go for good can be found again"(subject, world) {
      await started(subject, world);
      await find(subject);
      await settled(subject, subject.pair({ type: "keep", native }));
      await settled(subject, subject.forget(native));
      await settled(subject, subject.pair({ type: "close" }));
      await find(subject);
    },

    async "nothing is found without a window, and a window ends by itself"(subject, world) {
      await started(subject, world);
      await settled(subject, subject.pair({ type: "close" }));
      await subject.pass(500);
      assert.deepEqual(subject.found, []);
      await settled(subject, subject.pair({ type: "open", windowMs: 1 }));
      await subject.pass(500);
      await settled(subject, subject.pair({ type: "discard", native }));
      const before = subject.found.length;
      await subject.pass(1500);
      assert.equal(subject.found.length, before);
    },

    async "a device that nobody has ever seen is not kept, and is discarded without a word"(subject, world) {
      await started(subject, world);
      await refused(subject, subject.pair({ type: "keep", native: "nobody-has-this-address" }), ["refused"]);
      await settled(subject, subject.pair({ type: "discard", native: "nobody-has-this-address" }));
    },
  };
}

function groupCases({ groupcast }: Offered): Cases {
  if (groupcast === undefined) return {};
  const { natives, command } = groupcast;
  const group = (members: readonly NativeId[]): AirGroup => ({ id: "group", address: 7, members });
  /** What has become of a cast at each device; undefined at one that has not answered. */
  const cast = async (subject: Subject): Promise<Map<NativeId, AdapterErrorCode | "taken">> => {
    const answers = new Map<NativeId, AdapterErrorCode | "taken">();
    const done = subject.cast("group", natives, command, (native, error) => {
      assert.ok(natives.includes(native), `${native} was not asked`);
      assert.ok(!answers.has(native), `${native} answers twice`);
      answers.set(native, error?.code ?? "taken");
    });
    await settled(subject, done);
    return answers;
  };
  /** Casts until all of these have taken it: it may take a while to bring devices into a group. */
  const castUntil = async (
    subject: Subject,
    takers: readonly NativeId[],
  ): Promise<Map<NativeId, AdapterErrorCode | "taken">> => {
    for (let tries = 0; tries < 30; tries += 1) {
      const answers = await cast(subject);
      if (takers.every((native) => answers.get(native) === "taken")) return answers;
      await subject.pass(1000);
    }
    assert.fail("waited in vain for a cast that all take");
  };
  return {
    async "a cast is taken by every member of its group"(subject, world) {
      await started(subject, world);
      await settled(subject, subject.keepGroups([group(natives)]));
      await castUntil(subject, natives);
      const wanted = command.type === "set" ? Object.entries(command.attributes) : [];
      const shows = (native: NativeId): boolean =>
        wanted.every(([name, value]) =>
          subject.reports.some((report) => report.native === native && report.attributes[name] === value),
        );
      for (const native of natives) await settled(subject, subject.send(native, { type: "refresh" }));
      await until(subject, "each member showing it", () => natives.every(shows));
    },

    async "a device that is no member is told to have missed a cast"(subject, world) {
      await started(subject, world);
      const [outsider, ...members] = natives;
      assert.ok(outsider !== undefined && members.length > 1);
      await settled(subject, subject.keepGroups([group(members)]));
      const answers = await castUntil(subject, members);
      assert.notEqual(answers.get(outsider), "taken");
    },

    async "a group that is no more takes no cast"(subject, world) {
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

    async "an adapter that has stopped casts no more"(subject, world) {
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
    async "a request is answered with plain data"(subject, world) {
      await started(subject, world);
      const answer = await settled(subject, subject.request(answers));
      assert.deepEqual(structuredClone(answer), answer);
    },

    async "a request that is none of its own is refused as that"(subject, world) {
      await started(subject, world);
      await refused(subject, subject.request({ type: "NOBODY_ANSWERS_THIS" }), ["unsupported"]);
    },

    async "a request of an adapter that has stopped is refused"(subject, world) {
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

/** A device may be announced again, but not as something else. */
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

/** Devices whose last word is that they are reachable. */
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
  assert.fail(`waited in vain for ${what}`);
}

/** Lets time go by until the promise has settled. */
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
