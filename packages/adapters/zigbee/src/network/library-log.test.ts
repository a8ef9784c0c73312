import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutKeys } from "./library-log.ts";

test("removes keys in any notation", () => {
  const key = Buffer.from(Array.from({ length: 16 }, (_, index) => index * 16 + 3));
  for (const written of [
    key.toString("hex"),
    key.toString("hex").toUpperCase(),
    `0x${key.toString("hex")}`,
    [...key].join(","),
    JSON.stringify([...key]),
    [...key].join(", "),
  ]) {
    const scrubbed = withoutKeys(`Network Key: configured=${written}, adapter:active=${written} done`);
    assert.ok(!scrubbed.includes(written), scrubbed);
    assert.match(scrubbed, /^Network Key: configured=.*\[key\].* done$/);
  }
});

test("keeps texts without keys", () => {
  for (const text of ["device 0x000d6f0000000001 joined", "channels 11,15,20,25", "0123456789abcdef"])
    assert.equal(withoutKeys(text), text);
});
