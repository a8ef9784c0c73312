import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { createDispatch } from "./dispatch.ts";
import type { Effect } from "./submission.ts";

const natives = ["a", "b", "c", "d", "y", "z"] as const;
const radios = { a: "air", b: "air", c: "air", d: "air", y: "wire", z: "wire" } as const;
const inFlight = { air: 2, wire: 1 } as const;
const queued = 8;
/** Each waiting frame may hold one command per attribute and precede a refresh; so may each device. */
const mostWaiting = (queued + inFlight.air + inFlight.wire) * (3 + 1) + natives.length;

/** Attributes that do not displace one another. */
const attributes = fc.dictionary(
  fc.constantFrom("isOn", "brightness", "mode"),
  fc.integer({ min: 0, max: 3 }),
  {
    minKeys: 1,
    noNullPrototype: true,
  },
);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("submit"),
      native: fc.constantFrom(...natives),
      attributes,
      absolute: fc.boolean(),
      ttlMs: fc.integer({ min: 1, max: 30_000 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("outcome"),
      which: fc.nat(3),
      code: fc.constantFrom("ok", "ok", "unreachable", "timeout", "refused"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("wait"), ms: fc.integer({ min: 1, max: 10_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("report"), native: fc.constantFrom(...natives), attributes }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("refresh"), native: fc.constantFrom(...natives) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("forget"), native: fc.constantFrom(...natives) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Sent {
  readonly native: (typeof natives)[number];
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Observes a dispatch from outside and checks its invariants after each call. */
class Watch {
  readonly dispatch = createDispatch({
    inFlight: (radio) => inFlight[radio as keyof typeof inFlight],
    queued,
  });
  readonly underWay = new Map<number, Sent>();
  readonly cancelled = new Set<number>();
  /** Devices that certainly count as silent, and the sends to them. */
  readonly silent = new Set<string>();
  readonly vain = new Set<number>();
  readonly settled = new Map<string, string>();
  /** The newest value submitted per device and attribute, and the newest value sent. */
  readonly submitted = new Map<string, { value: unknown; id: string }>();
  readonly sent = new Map<string, unknown>();
  now = 0;
  count = 0;

  run(one: Step): void {
    switch (one.type) {
      case "submit":
        this.submit(one);
        return;
      case "outcome": {
        const send = [...this.underWay.keys()][one.which];
        if (send === undefined) return;
        const { code } = one;
        this.noteAnswer(send, code);
        this.underWay.delete(send);
        this.check(
          this.dispatch.outcome(send, code === "ok" ? undefined : { code, message: code }, this.now),
        );
        return;
      }
      case "wait":
        this.wait(one.ms);
        return;
      case "report":
        this.silent.delete(one.native);
        this.check(this.dispatch.report(one.native, one.attributes, this.now).effects);
        return;
      case "refresh":
        this.refresh(one.native);
        return;
      case "forget":
        this.silent.delete(one.native);
        this.check(this.dispatch.forget(one.native, this.now));
    }
  }

  noteAnswer(send: number, code: string): void {
    const { native } = this.underWay.get(send) as Sent;
    if (code === "ok" || code === "refused") this.silent.delete(native);
    // The failure of a cancelled send says nothing about its device.
    else if (code !== "busy" && !this.cancelled.has(send)) this.silent.add(native);
  }

  submit({ native, attributes: values, absolute, ttlMs }: Extract<Step, { absolute: boolean }>): void {
    const id = `c${this.count}`;
    this.count += 1;
    for (const [name, value] of Object.entries(values))
      this.submitted.set(`${native} ${name}`, { value, id });
    const command = { type: "set", attributes: values } as const;
    this.check(
      this.dispatch.submit({ id, native, radio: radios[native], command, absolute, ttlMs }, this.now),
    );
  }

  refresh(native: Sent["native"]): void {
    const id = `c${this.count}`;
    this.count += 1;
    const command = { type: "refresh" } as const;
    this.check(
      this.dispatch.submit({ id, native, radio: radios[native], command, absolute: true }, this.now),
    );
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
      } else if (effect.type === "cancel") {
        assert.ok(this.underWay.has(effect.send), "only what is under way is cancelled");
        assert.ok(!this.cancelled.has(effect.send), "cancelled twice");
        // Until its outcome the adapter may still be working on it.
        this.cancelled.add(effect.send);
      } else {
        assert.ok(effect.type === "send", "nothing was submitted for a group");
        const native = effect.native as Sent["native"];
        const values = effect.command.type === "set" ? effect.command.attributes : {};
        assert.ok(
          ![...this.underWay.values()].some((other) => other.native === native),
          `two under way to ${native}`,
        );
        this.underWay.set(effect.send, { native, attributes: values });
        if (this.silent.has(native)) this.vain.add(effect.send);
        for (const [name, value] of Object.entries(values)) this.sent.set(`${native} ${name}`, value);
      }
    }
    for (const radio of ["air", "wire"] as const) {
      const busy = [...this.underWay.values()].filter(({ native }) => radios[native] === radio).length;
      assert.ok(busy <= inFlight[radio], `${busy} under way on ${radio}`);
      const vain = [...this.underWay].filter(
        ([id, { native }]) => radios[native] === radio && this.vain.has(id),
      );
      assert.ok(
        vain.length <= Math.max(1, inFlight[radio] - 1),
        `${vain.length} to silent devices on ${radio}`,
      );
    }
    assert.ok(this.dispatch.waiting >= 0 && this.dispatch.waiting <= mostWaiting, `${this.dispatch.waiting}`);
  }

  /** Finishes everything successfully. */
  finish(): void {
    while (this.underWay.size > 0 || this.dispatch.due() !== undefined) {
      const [send] = this.underWay.keys();
      if (send === undefined) {
        this.wait(1000);
        continue;
      }
      this.noteAnswer(send, "ok");
      this.underWay.delete(send);
      this.check(this.dispatch.outcome(send, undefined, this.now));
    }
  }
}

test("keeps the radio limit, settles each command once, and sends the latest value last", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const watch = new Watch();
      for (const one of steps) watch.run(one);
      watch.finish();
      assert.equal(watch.settled.size, watch.count, "a command never settled");
      assert.equal(watch.dispatch.waiting, 0);
      for (const [key, { value, id }] of watch.submitted) {
        // Otherwise the command was refused, given up or superseded: then the last value sent may be an older
        // one.
        if (watch.settled.get(id) === "done") assert.deepEqual(watch.sent.get(key), value, key);
      }
    }),
    { numRuns: 400 },
  );
});
