import assert from "node:assert/strict";
import { test } from "node:test";
import { secondsIn, timeOf, trackOf } from "./track.ts";

const times: readonly [text: unknown, seconds: number | undefined][] = [
  ["0:03:20", 200],
  ["12:00:59", 43_259],
  ["0:00:01.500", 1],
  ["3:20", undefined],
  ["0:61:00", undefined],
  ["NOT_IMPLEMENTED", undefined],
  [200, undefined],
  [null, undefined],
];
for (const [text, seconds] of times) {
  test(`reads ${JSON.stringify(text)} as ${seconds ?? "no time"}`, () =>
    assert.equal(secondsIn(text), seconds));
}

test("writes seconds as a player takes them", () => {
  assert.deepEqual([0, 90, 3661].map(timeOf), ["0:00:00", "0:01:30", "1:01:01"]);
});

test("tells title, artist and length of a track, as far as the player says", () => {
  const avtData = {
    currentTrack: 2,
    currentTrackDuration: "0:03:20",
    currentTrackMetadata: { title: "Noon", artist: "The Simulated", album: null },
  };
  assert.deepEqual(trackOf(avtData), { number: 2, text: "Noon, The Simulated", lengthS: 200 });
  const radio = { currentTrack: 1, currentTrackDuration: "0:00:00", currentTrackMetadata: { title: "" } };
  assert.deepEqual(trackOf(radio), { number: 1, text: "", lengthS: undefined });
  assert.deepEqual(trackOf(null), { number: undefined, text: "", lengthS: undefined });
});
