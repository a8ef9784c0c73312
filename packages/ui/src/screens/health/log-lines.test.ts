import assert from "node:assert/strict";
import { test } from "node:test";
import { linesLike, linesOf } from "./log-lines.ts";

const log = `2026-11-28T05:00:00.000Z info the hub serves {"release":"0.2.0"}
2026-11-28T05:00:01.000Z warn the stick does not answer {"port":"/dev/ttyUSB0"}
    at Serial.open (serial.js:1:1)
2026-11-28T05:00:02.000Z error the log is full

2026-11-28T05:00:03.000Z debug a poll
`;

test("reads the lines of the hub's log, the newest first", () => {
  const lines = linesOf(log);
  assert.deepEqual(
    lines.map(({ level }) => level),
    ["debug", "error", null, "warn", "info"],
  );
  assert.deepEqual(lines.at(-1), {
    time: "2026-11-28T05:00:00.000Z",
    level: "info",
    text: `the hub serves {"release":"0.2.0"}`,
  });
  // What is no line of the hub's stays as it is.
  assert.deepEqual(lines[2], { time: "", level: null, text: "    at Serial.open (serial.js:1:1)" });
  assert.deepEqual(linesOf(""), []);
});

test("filters lines by a text, and by how grave they are at least", () => {
  const texts = (text: string, least: Parameters<typeof linesLike>[2]): readonly string[] =>
    linesLike(linesOf(log), text, least).map((line) => line.text.trim().slice(0, 9));
  assert.deepEqual(texts("", "trace").length, 5);
  assert.deepEqual(texts("", "warn"), ["the log i", "at Serial", "the stick"]);
  assert.deepEqual(texts("STICK ", "info"), ["the stick"]);
  assert.deepEqual(texts("stick", "error"), []);
});
