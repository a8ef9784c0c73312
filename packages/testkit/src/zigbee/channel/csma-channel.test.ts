import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seededRandom } from "../../random.ts";
import { SimulatedClock } from "../../simulated-clock.ts";
import { status } from "../frame-status.ts";
import type { Hop } from "./channel.ts";
import { CsmaChannel } from "./csma-channel.ts";
import { octetsOf } from "./time-on-air.ts";

/** A frame with three octets of ZCL: 54 octets of 32 us each. */
const octets = octetsOf({ payload: Uint8Array.of(1, 2, 3) });
const hop = (sender: object = {}): Hop => ({ sender, octets, isRelayed: false });

/** Returns how long something takes, ms. */
function lasting(begin: (channel: CsmaChannel, done: (code: number) => void) => void, seed = 1): number {
  const clock = new SimulatedClock();
  let ended: number | null = null;
  begin(new CsmaChannel(clock, seededRandom(seed)), () => (ended = clock.monotonic()));
  clock.advance(1000);
  assert.notEqual(ended, null, "it has not ended");
  return ended ?? NaN;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const seeds = Array.from({ length: 200 }, (_, index) => index + 1);

describe("a channel with CSMA-CA", () => {
  test("carries an acknowledged frame in 2.4 to 4.7 ms, by its back-off", () => {
    assert.equal(octets, 54);
    const times = seeds.map((seed) =>
      lasting((channel, done) => channel.unicast(hop(), () => true, done), seed),
    );
    // Assessment 0.128, turnaround 0.192, frame 1.728, turnaround 0.192, acknowledgement 0.352; 0 to 7 periods of 0.32.
    assert.ok(Math.abs(Math.min(...times) - 2.592) < 1e-6, `${Math.min(...times)}`);
    assert.ok(Math.abs(Math.max(...times) - 4.832) < 1e-6, `${Math.max(...times)}`);
    assert.ok(Math.abs(mean(times) - 3.712) < 0.2, `${mean(times)}`);
  });

  test("tries an unacknowledged frame four times, and all that three times more, then gives up", () => {
    let tries = 0;
    const codes: number[] = [];
    const ms = lasting((channel, done) =>
      channel.unicast(
        hop(),
        () => {
          tries += 1;
          return false;
        },
        (code) => {
          codes.push(code);
          done(code);
        },
      ),
    );
    assert.deepEqual([tries, codes], [16, [status.noAck]]);
    assert.ok(ms > 16 * 2.592 + 150 && ms < 16 * (4.832 + 0.864) + 150, `${ms}`);
  });

  test("sends the frames of one radio one after the other, in order", () => {
    const clock = new SimulatedClock();
    const channel = new CsmaChannel(clock, seededRandom(1));
    const sender = {};
    const ends: [number, number][] = [];
    for (const number of [1, 2, 3]) {
      channel.unicast(
        hop(sender),
        () => true,
        () => ends.push([number, clock.monotonic()]),
      );
    }
    clock.advance(1000);
    assert.deepEqual(
      ends.map(([number]) => number),
      [1, 2, 3],
    );
    assert.ok((ends[2]?.[1] ?? 0) > 3 * 2.592 + 2 * 0.64);
  });

  test("serves many radios that begin at once, none of them faster than the air allows", () => {
    const clock = new SimulatedClock();
    const channel = new CsmaChannel(clock, seededRandom(3));
    const codes: number[] = [];
    for (let radio = 0; radio < 10; radio += 1)
      channel.unicast(
        hop(),
        () => true,
        (code) => codes.push(code),
      );
    clock.advance(12);
    assert.ok(codes.length < 6, `${codes.length} frames in 12 ms`);
    clock.advance(1000);
    assert.equal(codes.length, 10);
    assert.ok(codes.filter((code) => code === status.success).length >= 5, codes.join());
    assert.ok(
      codes.every((code) => code === status.success || code === status.noAck || code === status.channelBusy),
    );
  });

  test("gives up when the channel stays busy", () => {
    const clock = new SimulatedClock();
    const channel = new CsmaChannel(clock, seededRandom(1));
    channel.broadcast({ sender: {}, octets: 10_000, isRelayed: false }, () => {});
    clock.advance(10);
    const codes: number[] = [];
    channel.broadcast(hop(), (code) => codes.push(code));
    clock.advance(200);
    assert.deepEqual(codes, [status.channelBusy]);
  });

  test("garbles frames that begin within the turnaround time of each other", () => {
    const clock = new SimulatedClock();
    // Both draw the same back-off.
    const channel = new CsmaChannel(clock, () => 0);
    const codes: number[] = [];
    for (const sender of [{}, {}]) channel.broadcast(hop(sender), (code) => codes.push(code));
    clock.advance(10);
    assert.deepEqual(codes, [status.noAck, status.noAck]);
  });
});
