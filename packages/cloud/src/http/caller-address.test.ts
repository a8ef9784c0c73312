import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { isLoopback, placeIn, trustIn } from "./caller-address.ts";

function from(peer: string | undefined, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
}

for (const [what, trusted, peer, forwarded, expected] of [
  ["a direct peer", [], "203.0.113.1", undefined, "203.0.113.1"],
  ["a peer that is not a proxy", ["10.0.0.1"], "203.0.113.1", "198.51.100.1", "203.0.113.1"],
  ["a proxy", ["10.0.0.1"], "10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["a proxy without the header", ["10.0.0.1"], "10.0.0.1", undefined, "10.0.0.1"],
  ["a proxy with an IPv4-mapped address", ["10.0.0.0/8"], "::ffff:10.9.9.9", "198.51.100.1", "198.51.100.1"],
  ["addresses written by the caller", ["10.0.0.1"], "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
  ["two proxies", ["10.0.0.0/8"], "10.0.0.1", "1.1.1.1, 198.51.100.1 , 10.0.0.2", "198.51.100.1"],
  ["only proxies", ["10.0.0.0/8"], "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["an invalid address", ["10.0.0.1"], "10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
  ["an IPv6 proxy", ["fd00::/8"], "fd00::1", "2001:db8::1", "2001:db8::1"],
  ["an unknown peer", ["10.0.0.1"], undefined, "198.51.100.1", "unknown"],
] as const) {
  test(`takes ${expected} as the origin of ${what}`, () =>
    assert.equal(trustIn(trusted)(from(peer, forwarded)).address, expected));
}

test("finds the client of each request on one connection of a proxy", () => {
  const originOf = trustIn(["10.0.0.1"]);
  const { socket } = from("10.0.0.1");
  const addressOf = (forwarded: string): string =>
    originOf({ socket, headers: { "x-forwarded-for": forwarded } }).address;
  assert.deepEqual(["198.51.100.1", "198.51.100.2", "10.0.0.1"].map(addressOf), [
    "198.51.100.1",
    "198.51.100.2",
    "10.0.0.1",
  ]);
  assert.equal(originOf({ socket, headers: {} }).address, "10.0.0.1");
});

test("refuses a trusted proxy that is not an address", () => {
  for (const text of ["", "proxy.example", "10.0.0.0/33", "10.0.0.0/x", "fd00::/129", "10.0.0.0/"])
    assert.throws(() => trustIn([text]), /is not the address of a host or a network/, text);
});

for (const [what, peer, proto, isEncrypted, expected] of [
  ["a connection with TLS", "203.0.113.1", "http", true, "tls"],
  ["a plain connection over a network", "203.0.113.1", undefined, false, "plain"],
  ["a direct connection that only claims encryption", "203.0.113.1", "https", false, "plain"],
  ["a connection from this machine", "127.0.0.1", undefined, false, "local"],
  ["an IPv4-mapped connection from this machine", "::ffff:127.0.0.1", undefined, false, "local"],
  ["a proxy with a TLS client", "10.0.0.1", "HTTPS", false, "tls"],
  ["a proxy without the header", "10.0.0.1", undefined, false, "tls"],
  ["a proxy with a plain client", "10.0.0.1", "http", false, "plain"],
  ["a plain client of a proxy that claims TLS", "10.0.0.1", "https, http", false, "plain"],
  ["two proxies, the outer with a plain client", "10.0.0.1", "http, https", false, "plain"],
] as const) {
  test(`classifies ${what} as ${expected}`, () => {
    const headers = proto === undefined ? {} : { "x-forwarded-proto": proto };
    const socket = { remoteAddress: peer, ...(isEncrypted && { encrypted: true }) };
    const { way } = trustIn(["10.0.0.1"])({ socket, headers });
    assert.equal(way, expected);
  });
}

test("recognises loopback hosts by name and address", () => {
  for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "::1"]) assert.ok(isLoopback(host), host);
  for (const host of ["0.0.0.0", "::", "192.168.0.2", "cloud.example", ""])
    assert.ok(!isLoopback(host), host);
});

test("counts connections by address, of IPv6 by /64, and none of a trusted proxy", () => {
  const placeOf = placeIn(["10.0.0.0/8"]);
  assert.equal(placeOf("203.0.113.1"), "203.0.113.1");
  assert.equal(placeOf("2001:db8::1"), placeOf("2001:db8:0:0:9::2"));
  assert.notEqual(placeOf("2001:db8::1"), placeOf("2001:db8:0:1::1"));
  assert.deepEqual([placeOf("10.0.0.1"), placeOf("::ffff:10.0.0.1")], [undefined, undefined]);
});
