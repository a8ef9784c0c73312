import assert from "node:assert/strict";
import { test } from "node:test";
import { addressKey, isLocalAddress, siteKey } from "./addresses.ts";

test("isLocalAddress accepts addresses of private networks only", () => {
  const local = ["10.1.2.3", "172.31.0.1", "192.168.0.9", "169.254.1.1", "127.0.0.1", "::ffff:10.0.0.1"];
  for (const address of [...local, "fd00::1", "fe80::1", "::1"])
    assert.equal(isLocalAddress(address), true, address);
  for (const address of ["8.8.8.8", "172.32.0.1", "2001:db8::1", "::ffff:8.8.8.8", "home.example", ""])
    assert.equal(isLocalAddress(address), false, address);
});

for (const [address, key] of [
  ["192.168.1.5", "192.168.1.5"],
  ["::ffff:192.168.1.5", "192.168.1.5"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:0db8:0001:0002::1", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["::1", "0:0:0:0"],
  ["2001:db8:1:2::", "2001:db8:1:2"],
  ["unknown", "unknown"],
] as const) {
  test(`addressKey counts ${address} as ${key}`, () => assert.equal(addressKey(address), key));
}

test("siteKey counts an IPv6 /48 or an IPv4 address as one site", () => {
  assert.equal(siteKey("2001:db8:1:2::1"), siteKey("2001:db8:1:ffff::9"));
  assert.notEqual(siteKey("2001:db8:1::1"), siteKey("2001:db8:2::1"));
  assert.equal(siteKey("192.0.2.1"), "192.0.2.1");
});
