import assert from "node:assert/strict";
import type { NetworkInterfaceInfo } from "node:os";
import { test } from "node:test";
import { addressToOpen, lanAddresses } from "./lan-addresses.ts";

const common = { netmask: "", mac: "", cidr: null };
const interfaces = (): Record<string, NetworkInterfaceInfo[]> => ({
  lo: [{ ...common, address: "127.0.0.1", family: "IPv4", internal: true }],
  eth0: [
    { ...common, address: "192.0.2.7", family: "IPv4", internal: false },
    { ...common, address: "2001:db8::7", family: "IPv6", internal: false, scopeid: 0 },
    { ...common, address: "fe80::7", family: "IPv6", internal: false, scopeid: 2 },
  ],
});

test("lists the listening addresses, without loopback and link-local ones when it listens on all", () => {
  assert.deepEqual(lanAddresses(null, interfaces), []);
  assert.deepEqual(lanAddresses("http://127.0.0.1:8893", interfaces), ["127.0.0.1"]);
  assert.deepEqual(lanAddresses("http://[2001:db8::9]:8893", interfaces), ["2001:db8::9"]);
  assert.deepEqual(lanAddresses("http://0.0.0.0:8893", interfaces), ["192.0.2.7"]);
  assert.deepEqual(lanAddresses("http://[::]:8893", interfaces), ["192.0.2.7", "2001:db8::7"]);
});

const opened: readonly [address: string, name: string | undefined, open: string][] = [
  ["http://127.0.0.1:8893", "ledge-0a1b2c.local", "http://127.0.0.1:8893"],
  ["http://[2001:db8::9]:8893", undefined, "http://[2001:db8::9]:8893"],
  ["http://0.0.0.0:8893", "ledge-0a1b2c.local", "http://ledge-0a1b2c.local:8893"],
  ["http://[::]:80", "ledge-0a1b2c.local", "http://ledge-0a1b2c.local"],
  ["http://0.0.0.0:8893", undefined, "http://192.0.2.7:8893"],
];
for (const [address, name, open] of opened) {
  test(`people open ${open} of a hub at ${address} that is announced as ${name ?? "nothing"}`, () => {
    assert.equal(addressToOpen(address, name, interfaces), open);
  });
}

test("people open an address in brackets, or this machine without a network", () => {
  const [v6] = interfaces()["eth0"]?.filter(({ address }) => address === "2001:db8::7") ?? [];
  assert.ok(v6);
  assert.equal(
    addressToOpen("http://[::]:8893", undefined, () => ({ eth0: [v6] })),
    "http://[2001:db8::7]:8893",
  );
  assert.equal(
    addressToOpen("http://0.0.0.0:8893", undefined, () => ({})),
    "http://localhost:8893",
  );
});
