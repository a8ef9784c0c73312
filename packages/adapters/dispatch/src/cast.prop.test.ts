import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { createDispatch } from "./dispatch.ts";
import type { Effect } from "./submission.ts";

/** The group's members; `x` is a device outside the group. */
const members = ["a", "b", "c", "d"] as const;
const natives = [...members, "x"] as const;
const inFlight = 2;

const attributes = fc.dictionary(fc.constantFrom("isOn", "brightness"), fc.integer({ min: 0, max: 9 }), {
  minKeys: 1,
  noNullPrototype: true,
});
/** What happens to a frame at a device. `deaf`: the device accepts it, but its answer is lost. */
const fate = fc.constantFrom("taken", "taken", "lost", "deaf", "refused");
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("cast"), attributes }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("submit"), native: fc.constantFrom(...natives), attributes }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("outcome"), which: fc.nat(1), fate }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("answer"), which: fc.nat(1), member: fc.nat(3), fate }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("wait"), ms: fc.integer({ min: 1, max: 9000 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("forget"), native: fc.constantFrom(...natives) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Fate = Extract<Step, { type: "outcome" }>["fate"];

interface UnderWay {
  /** For a cast, the devices that have not answered. */
  readonly natives: Set<string>;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isCast: boolean;
}

/** A radio whose devices obey what reaches them, and the invariants of the dispatch in front of it. */
class Air {
  readonly dispatch = createDispatch({ inFlight: () => inFlight });
  readonly underWay = new Map<number, UnderWay>();
  readonly shown = new Map<string, unknown>();
  readonly newest = new Map<string, { value: unknown; id: string }>();
  readonly settled = new Map<string, string>();
  count = 0;
  casts = 0;
  now = 0;
  /** The members that miss the next cast, as bits of a number. */
  deafness = 0;

  run(one: Step): void {
    switch (one.type) {
      case "submit":
        this.check(this.dispatch.submit(this.submission(one.native, one.attributes), this.now));
        return;
      case "cast": {
        const submissions = members.map((native) => this.submission(native, one.attributes));
        this.check(this.dispatch.cast("g", submissions, this.now));
        return;
      }
      case "outcome":
        this.outcome([...this.underWay.keys()][one.which], one.fate);
        return;
      case "answer":
        this.answer(one);
        return;
      case "wait":
        this.wait(one.ms);
        return;
      case "forget":
        this.check(this.dispatch.forget(one.native, this.now));
    }
  }

  submission(native: string, values: Record<string, unknown>) {
    const id = `c${this.count}`;
    this.count += 1;
    for (const [name, value] of Object.entries(values)) this.newest.set(`${native} ${name}`, { value, id });
    const command = { type: "set", attributes: values } as const;
    return { id, native, radio: "air", command, absolute: true, ttlMs: 60_000 } as const;
  }

  outcome(send: number | undefined, how: Fate): void {
    const ended = send === undefined ? undefined : this.underWay.get(send);
    if (send === undefined || ended === undefined) return;
    this.underWay.delete(send);
    // A frame to one device arrives together with its answer: as late as possible.
    if (!ended.isCast && how !== "lost" && how !== "refused") this.arrive(ended.natives, ended.attributes);
    this.check(this.dispatch.outcome(send, errorOf(how), this.now));
  }

  answer({ which, member, fate: how }: Extract<Step, { type: "answer" }>): void {
    const [send, cast] = [...this.underWay].filter(([, { isCast }]) => isCast)[which] ?? [];
    const native = cast && [...cast.natives][member];
    if (send === undefined || native === undefined) return;
    cast?.natives.delete(native);
    // A device only confirms values that it really has.
    const took = how === "taken" && this.tookCast(native, cast?.attributes ?? {});
    this.check(this.dispatch.answered(send, native, errorOf(took ? "taken" : "lost"), this.now));
  }

  tookCast(native: string, values: Readonly<Record<string, unknown>>): boolean {
    return Object.entries(values).every(([name, value]) => this.shown.get(`${native} ${name}`) === value);
  }

  arrive(at: Iterable<string>, values: Readonly<Record<string, unknown>>): void {
    for (const native of at)
      for (const [name, value] of Object.entries(values)) this.shown.set(`${native} ${name}`, value);
  }

  wait(ms: number): void {
    const end = this.now + ms;
    for (let due = this.dispatch.due(); due !== undefined && due <= end; due = this.dispatch.due()) {
      assert.ok(due > this.now, "a tick makes progress");
      this.now = due;
      this.check(this.dispatch.tick(due));
    }
    this.now = end;
    this.check(this.dispatch.tick(end));
  }

  check(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === "settle") {
        assert.ok(!this.settled.has(effect.id), `${effect.id} settled twice`);
        this.settled.set(effect.id, effect.outcome.result);
      } else if (effect.type !== "cancel") this.begin(effect);
    }
    assert.ok(this.underWay.size <= inFlight, `${this.underWay.size} under way`);
  }

  begin(effect: Extract<Effect, { type: "send" | "cast" }>): void {
    const isCast = effect.type === "cast";
    const to = new Set<string>(isCast ? effect.natives : [effect.native]);
    const values = effect.command.type === "set" ? effect.command.attributes : {};
    for (const other of this.underWay.values()) {
      for (const native of to) {
        // A newer cast does not wait for answers to the previous one.
        const isOvertaken = isCast && other.isCast && other.natives.delete(native);
        assert.ok(isOvertaken || !other.natives.has(native), `two under way to ${native}`);
      }
    }
    this.underWay.set(effect.send, { natives: to, attributes: values, isCast });
    if (!isCast) return;
    assert.ok(to.size > 1, "a cast for one");
    this.casts += 1;
    // A cast reaches every member of the group, addressed or not.
    this.deafness = (this.deafness * 7 + 5) % 16;
    this.arrive(
      members.filter((_, index) => (this.deafness & (1 << index)) === 0),
      values,
    );
  }

  /** Finishes everything, without further losses. */
  finish(): void {
    while (this.underWay.size > 0 || this.dispatch.due() !== undefined) {
      const [send] = this.underWay.keys();
      if (send === undefined) this.wait(1000);
      else this.outcome(send, "taken");
    }
  }
}

function errorOf(how: Fate): { code: "timeout" | "refused"; message: string } | undefined {
  if (how === "taken") return undefined;
  return how === "refused" ? { code: "refused", message: how } : { code: "timeout", message: how };
}

test("casts reach every device, and each device ends with its latest command", () => {
  let casts = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const air = new Air();
      for (const one of steps) air.run(one);
      air.finish();
      casts += air.casts;
      assert.equal(air.settled.size, air.count, "a command never settled");
      assert.equal(air.dispatch.waiting, 0);
      for (const [key, { value, id }] of air.newest) {
        assert.notEqual(air.settled.get(id), "superseded", `${key}: nothing newer came`);
        // After a command failed, the device may still have its old value.
        if (air.settled.get(id) === "done") assert.deepEqual(air.shown.get(key), value, key);
      }
    }),
    { numRuns: 600 },
  );
  assert.ok(casts > 600, `${casts} casts`);
});
