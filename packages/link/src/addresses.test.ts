import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressKey,
  isGlobalUnicast,
  isIn,
  isLocalAddress,
  networksIn,
  plainAddress,
  siteKey,
} from "./addresses.ts";

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

test("a host of the internet is global unicast, whatever form its address has", () => {
  for (const address of [
    "8.8.8.8",
    "223.255.255.254",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "::ffff:808:808",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
  ])
    assert.equal(isGlobalUnicast(address), true, address);
  for (const address of [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.168.1.1",
    "198.19.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b:1::808:808",
    "2002:7f00:1::1",
    "2002:c0a8:101::",
    "2001::1",
    "2001:db8::1",
    "3fff::1",
    "fc00::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "home.example",
    "",
  ])
    assert.equal(isGlobalUnicast(address), false, address);
});

for (const [address, plain] of [
  ["8.8.8.8", "8.8.8.8"],
  ["::ffff:8.8.8.8", "8.8.8.8"],
  ["::FFFF:808:808", "8.8.8.8"],
  ["64:ff9b::8.8.8.8", "8.8.8.8"],
  ["2002:808:808::1", "8.8.8.8"],
  ["2606:4700::1111", "2606:4700::1111"],
  ["fe80::1%eth0", "fe80::1"],
  ["home.example", "home.example"],
] as const) {
  test(`plainAddress takes ${address} for ${plain}`, () => assert.equal(plainAddress(address), plain));
}

test("networksIn reads hosts and networks, and refuses anything else", () => {
  const list = networksIn(["10.0.0.0/8", "192.0.2.7", "fd00::/8"]);
  for (const [address, expected] of [
    ["10.255.0.1", true],
    ["192.0.2.7", true],
    ["192.0.2.8", false],
    ["fd12::1", true],
    ["::ffff:10.0.0.1", true],
  ] as const)
    assert.equal(isIn(list, address), expected, address);
  for (const text of ["", "host", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/8/8x", "::/129"])
    assert.throws(() => networksIn([text]), /is not the address/, text);
});
