import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { flawOf } from "./passphrase.ts";

test("a passphrase is as long as the hub wants it, and typed the same way twice", () => {
  const least = "x".repeat(limits.backupPassphraseChars);
  assert.equal(flawOf(least, least), undefined);
  assert.equal(flawOf(least.slice(1), least.slice(1)), "system.short");
  assert.equal(flawOf(least, `${least} `), "system.differs");
});
