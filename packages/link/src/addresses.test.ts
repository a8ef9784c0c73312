import assert from "node:assert/strict";
import { test } from "node:test";
import { isLocalAddress } from "./addresses.ts";

test("addresses that mean something within one network are local, all others and what is none are not", () => {
  const local = ["10.1.2.3", "172.31.0.1", "192.168.0.9", "169.254.1.1", "127.0.0.1", "::ffff:10.0.0.1"];
  for (const address of [...local, "fd00::1", "fe80::1", "::1"])
    assert.equal(isLocalAddress(address), true, address);
  for (const address of ["8.8.8.8", "172.32.0.1", "2001:db8::1", "::ffff:8.8.8.8", "home.example", ""])
    assert.equal(isLocalAddress(address), false, address);
});
