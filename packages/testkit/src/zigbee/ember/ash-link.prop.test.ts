import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SimulatedClock } from "../../simulated-clock.ts";
import { hexOf } from "../bytes.ts";
import { AshLink, resetCode } from "./ash-link.ts";

/** What the line does to a frame. */
type Fate = "arrives" | "is lost" | "is damaged" | "is torn";

/** Two connected ends of a line that treats frames as told. */
function linked(fates: readonly Fate[]) {
  const clock = new SimulatedClock();
  const got: Record<"one" | "other", string[]> = { one: [], other: [] };
  const due = [...fates];
  const carry = (frame: Uint8Array, to: AshLink): void => {
    const fate = due.shift() ?? "arrives";
    const middle = frame.length >> 1;
    // An escaped bit flip stays a wrong byte; the flag at the end must stay.
    const damaged = frame.with(0, (frame[0] ?? 0) ^ 0x01);
    const arriving = {
      arrives: frame,
      "is lost": null,
      "is damaged": damaged,
      "is torn": frame.slice(middle),
    };
    const bytes = arriving[fate];
    if (bytes) clock.after(1, () => to.receive(bytes));
  };
  const make = (name: keyof typeof got, to: () => AshLink): AshLink =>
    new AshLink(clock, {
      write: (frame) => carry(frame, to()),
      received: (data) => void got[name].push(hexOf(data)),
      resetWanted: () => assert.fail("nobody resets"),
    });
  const one: AshLink = make("one", () => other);
  const other: AshLink = make("other", () => one);
  one.restart(resetCode.software);
  other.restart(resetCode.software);
  clock.advance(1);
  return { clock, one, other, got };
}

const payload = fc.uint8Array({ minLength: 3, maxLength: 20 });
const payloads = fc.array(payload, { maxLength: 20 });

test("carries everything once and in order over a line that loses, damages and tears frames", () => {
  const fate = fc.constantFrom<Fate>("arrives", "arrives", "is lost", "is damaged", "is torn");
  fc.assert(
    fc.property(payloads, payloads, fc.array(fate, { maxLength: 60 }), (down, up, fates) => {
      const { clock, one, other, got } = linked(["arrives", "arrives", ...fates]);
      for (const data of down) one.send(data, false);
      for (const data of up) other.send(data, true);
      clock.advance(60_000);
      const isUp = got.one.length === up.length && got.other.length === down.length;
      // Too many losses in a row end the connection; until then nothing is missing or doubled.
      assert.deepEqual(got.other, down.map(hexOf).slice(0, got.other.length));
      assert.deepEqual(got.one, up.map(hexOf).slice(0, got.one.length));
      if (!fates.some((what) => what !== "arrives")) assert.ok(isUp);
    }),
  );
});

test("loses nothing when up to three frames do not arrive", () => {
  const fates = fc.array(
    fc.tuple(fc.constantFrom<Fate>("is lost", "is damaged", "is torn"), fc.integer({ min: 3, max: 6 })),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(payloads, fates, (down, all) => {
      const spaced = all.flatMap<Fate>(([fate, good]) => [
        fate,
        ...Array.from<Fate>({ length: good }).fill("arrives"),
      ]);
      const { clock, one, got } = linked(["arrives", "arrives", ...spaced]);
      for (const data of down) one.send(data, false);
      clock.advance(120_000);
      assert.deepEqual(got.other, down.map(hexOf));
    }),
  );
});
