import assert from "node:assert/strict";
import { test } from "node:test";
import { scrubbed } from "./scrub.ts";

for (const [what, line, hidden] of [
  ["a credential behind its scheme", "sent Authorization: Basic Y2FuYXJ5 to it", "Y2FuYXJ5"],
  ["a token behind its scheme", "authorization=Bearer canary-of-a-token", "canary"],
  ["an address with a long name", `to ${"canary".repeat(20)}@example.org`, "canary"],
] as const) {
  test(`removes ${what} from a line of the log`, () => {
    assert.ok(!scrubbed(line).includes(hidden), scrubbed(line));
  });
}
