import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { aggregates, roles } from "@ledge/model";
import type { Known, Move, PollAnswer, TestKernel } from "@ledge/testkit";
import {
  commandOf,
  homeReactions,
  moveNames,
  openTestKernel,
  PollClient,
  SimulatedClock,
  userIds,
} from "@ledge/testkit";
import fc from "fast-check";
import type { Kernel } from "./kernel.ts";
import type { PollRequest, Viewer } from "./viewer.ts";

/*
 * Compares clients that apply deltas with clients that load everything after each poll, over random histories
 * that mix every hazard for a cursor. Then runs the same comparison against deliberately wrong polls, to prove
 * that it would find them.
 */

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

const shownKinds = aggregates.flatMap(({ kind, delta }) => (delta === undefined ? [] : [kind]));

/** What happens next. All changes between two `elapse` steps are in the same millisecond of the wall clock. */
type Step =
  | { readonly do: "change"; readonly moves: readonly Move[] }
  | { readonly do: "fail"; readonly moves: readonly Move[] }
  | { readonly do: "poll"; readonly client: number }
  | { readonly do: "poll from the future"; readonly client: number; readonly ahead: number }
  | { readonly do: "elapse"; readonly ms: number }
  | { readonly do: "step clock"; readonly ms: number }
  | { readonly do: "hear"; readonly pick: number }
  | { readonly do: "restart"; readonly snapshot: boolean }
  | { readonly do: "back up" }
  | { readonly do: "restore"; readonly clockBack: number };

/** Moves that change who sees what are more frequent. */
const name: fc.Arbitrary<Move["name"]> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...moveNames) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("add device", "hide or show device", "change role", "remove device"),
  },
);
const move: fc.Arbitrary<Move> = fc.record({
  name,
  pick: fc.nat(20),
  value: fc.nat(200),
});
const moves = fc.array(move, { minLength: 1, maxLength: 4 });
const clientCount = 6;
const client = fc.nat(clientCount - 1);
const day = 86_400_000;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: fc.record({ do: fc.constant("change" as const), moves }) },
  { weight: 20, arbitrary: fc.record({ do: fc.constant("poll" as const), client }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("elapse" as const), ms: fc.constantFrom(1, 2, 50, 4000) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("step clock" as const),
      ms: fc.constantFrom(-30_000, -5, 20_000, -day, day, 40 * 365 * day),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("poll from the future" as const),
      client,
      ahead: fc.integer({ min: 1, max: 10_000 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("hear" as const), pick: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("restart" as const), snapshot: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fail" as const), moves }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("back up" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("restore" as const),
      clockBack: fc.constantFrom(0, 10_000, 3 * day),
    }),
  },
);

const history = fc.record({
  steps: fc.array(step, { minLength: 5, maxLength: 80, size: "max" }),
  tombstones: fc.constantFrom(0, 1, 3, 1000),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** A way to answer polls wrongly. */
interface Variant {
  readonly poll?: (home: TestKernel, request: PollRequest) => Promise<PollAnswer>;
  /** Set when the variant repeats changes. That is harmless by itself; only missed changes count. */
  readonly repeats?: true;
  /** Restores without a new epoch. */
  readonly withoutEpoch?: true;
}

async function answerOf({ kernel }: TestKernel, request: PollRequest): Promise<PollAnswer> {
  return JSON.parse(Buffer.from(await kernel.poll(request)).toString("utf8")) as PollAnswer;
}

/** A hub, its clients, and the steps of a history. */
class World {
  readonly #variant: Variant;
  readonly #clients = Array.from({ length: clientCount }, (_, index) => new PollClient(index === 5));
  readonly #source = { vouched: true };
  /** Ids of what each client could read at some moment since its last poll. */
  readonly #readable = this.#clients.map(() => new Set<string>());
  #home: TestKernel;
  #backup: TestKernel["log"];

  constructor(tombstones: number, variant: Variant) {
    this.#variant = variant;
    this.#home = openTestKernel({
      clock: new SimulatedClock(),
      tombstones,
      reactions: homeReactions,
      timeTrusted: () => this.#source.vouched,
    });
    this.#follow();
    this.#backup = this.#home.log.clone();
  }

  #follow(): void {
    const { kernel } = this.#home;
    kernel.subscribe({
      published: () => {
        for (const [index, ids] of this.#readable.entries()) {
          const viewer = this.#viewer(index);
          for (const kind of shownKinds)
            for (const [id] of kernel.all(kind)) if (kernel.readable(kind, id, viewer)) ids.add(id);
        }
      },
    });
  }

  async begin(): Promise<void> {
    const home = this.#home;
    await home.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
    for (const [index, id] of userIds.entries()) {
      const role = [roles.USER_ADMIN, roles.GUEST, roles.IDENTIFIED_USER][index] ?? 0;
      await home.accept({ type: "ADD_USER", id, email: "", nickname: "", phone: null, role });
    }
    for (const value of [0, 1]) {
      await this.#change([{ name: "add device", pick: 0, value }]);
      await this.#change([{ name: "hide or show device", pick: value, value }]);
    }
    this.#backup = home.log.clone();
  }

  /** Returns the client's current rights. Clients 0 to 2 are users whose role changes; the others keep one role. */
  #viewer(index: number): Viewer {
    const user = this.#home.kernel.get("user", userIds[index] ?? "");
    if (user !== undefined) return { role: user.user_info.role, user: user.id, since: user.roleSince };
    const role = [roles.OWNER_ADMIN, roles.GUEST, roles.OWNER_ADMIN][index - 3] ?? roles.GUEST;
    return { role, user: null, since: 0 };
  }

  #asked(): Pick<Kernel, "poll"> {
    const { poll = answerOf } = this.#variant;
    return { poll: async (request) => Buffer.from(JSON.stringify(await poll(this.#home, request))) };
  }

  /** Polls and compares with a full answer of the hub. A second poll must return nothing. */
  async poll(index: number): Promise<void> {
    const polling = this.#clients[index] as PollClient;
    const viewer = this.#viewer(index);
    const readable = this.#readable[index] as Set<string>;
    for (const objects of Object.values(polling.known))
      for (const id of Object.keys(objects)) readable.add(id);
    const hasNews = this.#home.kernel.hasNews(polling.cursor, viewer);
    const answer = await polling.poll(this.#asked(), viewer);
    const told = lossesIn(answer);
    assert.deepEqual(
      told.filter((id) => !readable.has(id)),
      [],
      "losses name only what the client could know",
    );
    readable.clear();
    const fresh = new PollClient();
    fresh.apply(await answerOf(this.#home, { viewer, cursors: { ts: 0 }, language: "en" }));
    assert.deepEqual(withoutSeen(polling.known), withoutSeen(fresh.known));
    assertNothingHidden(fresh.known);
    if (this.#variant.repeats) return;
    const idle = await polling.poll(this.#asked(), viewer);
    assert.deepEqual([idle.full, idle.polls], [false, []], "nothing is repeated");
    if (this.#variant.poll === undefined)
      assert.equal(
        hasNews,
        answer.full || answer.polls.length > 0,
        "news are known before they are asked for",
      );
  }

  async pollAll(): Promise<void> {
    for (const index of this.#clients.keys()) await this.poll(index);
  }

  async take(it: Step): Promise<void> {
    const { kernel, clock } = this.#home;
    switch (it.do) {
      case "change":
        await this.#change(it.moves);
        return;
      case "fail":
        await this.#fail(it.moves);
        return;
      case "poll":
        await this.poll(it.client);
        return;
      case "poll from the future":
        (this.#clients[it.client] as PollClient).cursor = kernel.timestamp + it.ahead;
        await this.poll(it.client);
        return;
      case "elapse":
        await clock.pass(it.ms);
        return;
      case "step clock":
        // The time source does not vouch for a large step. After a small one it alternates.
        this.#source.vouched = Math.abs(it.ms) <= day && !this.#source.vouched;
        clock.stepWall(it.ms);
        return;
      case "hear":
        for (const [id] of [...kernel.all("device")].slice(it.pick % 3))
          kernel.touch("device", id, clock.wall());
        return;
      case "restart":
        if (it.snapshot) await kernel.sync();
        this.#restart();
        return;
      case "back up":
        this.#backup = this.#home.log.clone();
        return;
      case "restore":
        clock.stepWall(-it.clockBack);
        await this.#restore();
    }
  }

  async #change(list: readonly Move[]): Promise<void> {
    for (const it of list) {
      const command = commandOf(it, this.#home.kernel);
      if (command !== undefined) await this.#home.submit(command);
    }
  }

  /** Submits changes that are in flight when the disk breaks, then restarts the hub from what is durable. */
  async #fail(list: readonly Move[]): Promise<void> {
    const { log, kernel, submit } = this.#home;
    log.failNext("failed");
    const commands = list.flatMap((it) => commandOf(it, kernel) ?? []);
    const answers = commands.map((command) => submit(command));
    // One client polls before the failure is known, another after it.
    await this.poll(3);
    await Promise.allSettled(answers);
    await this.poll(4);
    this.#restart();
  }

  #restart(...changes: Parameters<TestKernel["restart"]>): void {
    this.#home = this.#home.restart(...changes);
    this.#follow();
  }

  /** Replaces the log by an earlier one, as a restore does. */
  async #restore(): Promise<void> {
    const floor = this.#home.kernel.timestamp;
    this.#restart({ log: this.#backup.clone() });
    if (this.#variant.withoutEpoch) return;
    const { kernel, accept } = this.#home;
    kernel.raiseTimestamp(floor);
    const [id] = [...kernel.all("hub")].map(([key]) => key);
    await accept({ type: "OPEN_EPOCH", id, reason: "restored" });
  }
}

/** Returns the ids that an answer reports as deleted. */
function lossesIn({ polls }: PollAnswer): string[] {
  return polls.flatMap(({ type: _type, timestamp: _timestamp, ...fields }) =>
    Object.values(fields).flatMap((objects) =>
      Object.entries(objects as object).flatMap(([id, object]) => (object === null ? [id] : [])),
    ),
  );
}

/** Checks that groups and scenes name only devices that the client knows, and that a group shows the state of one. */
function assertNothingHidden(known: Known): void {
  const devices = known["devices"] as Record<string, { state: object }>;
  for (const group of Object.values(known["groups"] ?? {})) {
    const { members, state } = withoutSeen(group) as { members: string[]; state: object | null };
    assert.deepEqual(
      members.filter((id) => devices[id] === undefined),
      [],
    );
    const states = members.map((id) => withoutSeen(devices[id]?.state));
    assert.ok(state === null ? members.length === 0 : states.some((of) => isDeepStrictEqual(of, state)));
  }
  for (const holder of [
    ...Object.values(known["scenes"] ?? {}),
    ...Object.values(known["activators"] ?? {}),
  ]) {
    const { presets } = holder as { presets: Record<string, { targetIds: string[] }> };
    const targets = Object.values(presets).flatMap(({ targetIds }) => targetIds);
    assert.deepEqual(
      targets.filter((id) => devices[id] === undefined),
      [],
    );
  }
}

/** Removes `lastSeen`: it changes without an event, so deltas need not carry it. */
function withoutSeen(known: unknown): unknown {
  return JSON.parse(JSON.stringify(known, (key, value: unknown) => (key === "lastSeen" ? undefined : value)));
}

function property(variant: Variant) {
  return fc.asyncProperty(history, async ({ steps, tombstones }: History) => {
    const world = new World(tombstones, variant);
    await world.begin();
    for (const it of steps) await world.take(it);
    await world.pollAll();
  });
}

test(`a client that applies deltas knows what one that loads everything knows (SEED=${seed})`, async () => {
  await fc.assert(property({}), { seed, numRuns: 400 });
});

/** Returns the answer with the wall clock as its timestamp, as a naive hub would give it. */
function naive(home: TestKernel, answer: PollAnswer): PollAnswer {
  const timestamp = Math.round(home.clock.wall());
  return { ...answer, timestamp, polls: answer.polls.map((delta) => ({ ...delta, timestamp })) };
}

/** Returns the delta that an answer would have been if it had not been forced to be full. */
function cut(answer: PollAnswer, after: number): PollAnswer {
  const polls = answer.polls.map(({ type, timestamp, ...fields }) => {
    const [field, objects] = Object.entries(fields)[0] as [string, Record<string, { timestamp: number }>];
    const newer = Object.entries(objects).filter(([, object]) => object.timestamp > after);
    return { type, timestamp, [field]: Object.fromEntries(newer) };
  });
  const told = polls.filter(({ type: _type, timestamp: _timestamp, ...fields }) =>
    Object.values(fields).some((objects) => Object.keys(objects as object).length > 0),
  );
  return { ...answer, full: false, polls: told };
}

function oldestOf({ cursors }: PollRequest): number {
  return "ts" in cursors ? cursors.ts : Math.min(...cursors.byCategory.values());
}

/** Deliberately wrong polls, by their fault. */
const wrong: Readonly<Record<string, Variant>> = {
  "the cursor is the wall clock": {
    poll: async (home, request) => naive(home, await answerOf(home, request)),
    repeats: true,
  },
  "objects at the cursor are repeated": {
    async poll(home, request) {
      const { cursors } = request;
      if (!("ts" in cursors)) return answerOf(home, request);
      return answerOf(home, { ...request, cursors: { ts: cursors.ts - 1 } });
    },
  },
  "deletions are left out": {
    async poll(home, request) {
      const answer = await answerOf(home, request);
      const kept = JSON.stringify(answer, (_key, value: unknown) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null))
          : value,
      );
      return cutEmpty(JSON.parse(kept) as PollAnswer);
    },
  },
  "forgotten deletions and epochs are ignored": {
    async poll(home, request) {
      const answer = await answerOf(home, request);
      const cursor = oldestOf(request);
      const { timestamp } = home.kernel;
      const isForced = answer.full && cursor > 0 && cursor <= timestamp && cursor >= request.viewer.since;
      return isForced ? cut(answer, cursor) : answer;
    },
  },
  "a change of rights is ignored": {
    poll: (home, request) => answerOf(home, { ...request, viewer: { ...request.viewer, since: 0 } }),
  },
  "a cursor from the future is accepted": {
    async poll(home, request) {
      const answer = await answerOf(home, request);
      return oldestOf(request) > home.kernel.timestamp ? { ...answer, full: false, polls: [] } : answer;
    },
  },
  "changes of a hidden device are reported as its loss": {
    async poll(home, request) {
      const answer = await answerOf(home, request);
      const { kernel } = home;
      const hidden = [...kernel.all("device")].filter(
        ([id, { timestamp }]) =>
          timestamp > oldestOf(request) && !kernel.readable("device", id, request.viewer),
      );
      if (answer.full || hidden.length === 0) return answer;
      const [first, ...rest] = answer.polls;
      const isFirst = first?.type === "DEVICE_DELTA";
      const devices = { ...(isFirst && (first["devices"] as object)) };
      Object.assign(devices, Object.fromEntries(hidden.map(([id]) => [id, null])));
      const delta = { type: "DEVICE_DELTA", timestamp: answer.timestamp, devices };
      return { ...answer, polls: [delta, ...(isFirst ? rest : answer.polls)] };
    },
  },
  "a restore opens no epoch": { withoutEpoch: true },
};

function cutEmpty(answer: PollAnswer): PollAnswer {
  if (answer.full) return answer;
  const polls = answer.polls.filter(({ type: _type, timestamp: _timestamp, ...fields }) =>
    Object.values(fields).some((objects) => Object.keys(objects as object).length > 0),
  );
  return { ...answer, polls };
}

for (const [what, variant] of Object.entries(wrong)) {
  test(`the comparison fails when ${what}`, async () => {
    const found = await fc.check(property(variant), { seed: 1, numRuns: 400, endOnFailure: true });
    assert.ok(found.failed, `${found.numRuns} histories and no difference`);
    assert.ok(found.errorInstance instanceof assert.AssertionError, String(found.errorInstance));
  });
}

test("the comparison sees a difference, but ignores when devices were last heard of", () => {
  const known = (devices: Record<string, unknown>): Known => ({ devices });
  const one = known({ a: { state: { lastSeen: 5, isOn: true } } });
  const same = known({ a: { state: { lastSeen: 6, isOn: true } } });
  const other = known({ a: { state: { lastSeen: 5, isOn: false } } });
  assert.ok(isDeepStrictEqual(withoutSeen(one), withoutSeen(same)));
  assert.ok(!isDeepStrictEqual(withoutSeen(one), withoutSeen(other)));
});
