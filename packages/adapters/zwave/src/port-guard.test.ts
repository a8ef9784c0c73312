import assert from "node:assert/strict";
import { test } from "node:test";
import type { Driver } from "zwave-js";
import { guardPort } from "./port-guard.ts";

/** What the library has of a driver, as far as ports and resets go. */
class Library {
  wasDestroyed = false;
  opened = 0;
  async handleSerialPortClosedUnexpectedly(): Promise<void> {
    this.opened += 1;
  }
  mayRecoverUnresponsiveController(): boolean {
    return true;
  }
}

test("a driver whose port is gone ends, and resets its stick only before", async () => {
  const library = new Library();
  let ends = 0;
  guardPort(library as unknown as Driver, () => (ends += 1));
  assert.equal(library.mayRecoverUnresponsiveController(), true);
  await library.handleSerialPortClosedUnexpectedly();
  assert.deepEqual([ends, library.opened], [1, 0]);
  library.wasDestroyed = true;
  assert.equal(library.mayRecoverUnresponsiveController(), false);
});

test("refuses a library that handles ports or resets in another way", () => {
  const guard = (library: object) => () => guardPort(library as Driver, () => {});
  assert.throws(guard({}), /does not say any more that a port is gone/);
  assert.throws(guard({ handleSerialPortClosedUnexpectedly() {} }), /resets sticks in another way/);
});
