import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isPin, mostTries, pauseMs, type PinLock, tryPin, waitOf } from "./pin.ts";

const lock: PinLock = { pin: "2580", wrong: 0, until: 0 };

/** Tries a wrong PIN several times at once. */
function wronged(times: number, at: number): PinLock {
  let after = lock;
  for (let tried = 0; tried < times; tried++) after = tryPin(after, "0000", at).lock;
  return after;
}

describe("the PIN of a panel", () => {
  test("opens it, also after fewer than five wrong ones", () => {
    assert.equal(tryPin(lock, "2580", 0).opens, true);
    assert.equal(tryPin(lock, "258", 0).opens, false);
    const after = wronged(mostTries - 1, 1000);
    assert.equal(waitOf(after, 1000), 0);
    assert.deepEqual(tryPin(after, "2580", 1000), { opens: true, lock });
  });

  test("does not open it for a minute after five wrong ones, and tries in between change nothing", () => {
    const after = wronged(mostTries, 1000);
    assert.equal(waitOf(after, 1000), pauseMs);
    assert.deepEqual(tryPin(after, "2580", 1000 + pauseMs - 1), { opens: false, lock: after });
    assert.equal(tryPin(after, "2580", 1000 + pauseMs).opens, true);
    assert.equal(waitOf(tryPin(after, "1111", 1000 + pauseMs).lock, 1000 + pauseMs), 0);
  });

  test("lets nobody wait longer because the clock was set back", () => {
    assert.equal(waitOf(wronged(mostTries, 1e12), 1000), pauseMs);
  });

  test("is nothing where nobody chose one", () => {
    assert.equal(tryPin({ ...lock, pin: "" }, "", 0).opens, true);
  });

  test("has four to eight digits", () => {
    assert.deepEqual(["123", "1234", "12345678", "123456789", "12a4", " 1234", ""].map(isPin), [
      false,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
