import assert from "node:assert/strict";
import type { NetworkInterfaceInfo } from "node:os";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { linksFor } from "./links.ts";

const own = (family: "IPv4" | "IPv6", cidr: string, internal = false): NetworkInterfaceInfo => {
  const [address = ""] = cidr.split("/");
  const shared = { address, cidr, internal, netmask: "", mac: "02:00:00:00:00:01" };
  return family === "IPv4" ? { ...shared, family } : { ...shared, family, scopeid: 2 };
};

const interfaces = {
  lo: [own("IPv4", "127.0.0.1/8", true), own("IPv6", "::1/128", true)],
  eth0: [own("IPv4", "192.0.2.7/24"), own("IPv6", "2001:db8::7/64"), own("IPv6", "fe80::7/64")],
  old0: [own("IPv4", "198.51.100.7/24")],
  new0: [own("IPv6", "fe80::8/64")],
};

const links = (host: string): string[] =>
  [...linksFor(host, interfaces).values()].map(
    (link) => `${link.interface} ${link.family}: ${link.served.join(" ")}`,
  );

test("announces a hub over each IP version of an interface, with the addresses where it listens", () => {
  const all = "192.0.2.7 2001:db8::7 fe80::7";
  assert.deepEqual(links("::"), [
    `eth0 IPv4: ${all}`,
    `eth0 IPv6: ${all}`,
    "old0 IPv4: 198.51.100.7",
    "new0 IPv6: fe80::8",
  ]);
  assert.deepEqual(links("0.0.0.0"), [
    "eth0 IPv4: 192.0.2.7",
    "eth0 IPv6: 192.0.2.7",
    "old0 IPv4: 198.51.100.7",
  ]);
  assert.deepEqual(links("::1"), ["lo IPv4: ::1", "lo IPv6: ::1"]);
  assert.deepEqual(links("127.0.0.1"), ["lo IPv4: 127.0.0.1", "lo IPv6: 127.0.0.1"]);
  assert.deepEqual(links("fe80::8%new0"), ["new0 IPv6: fe80::8"]);
  assert.deepEqual(links("203.0.113.1"), []);
});

test("takes addresses in the networks of the link's IP version as neighbours", () => {
  const networks = [...linksFor("::", interfaces).values()].map((link) => link.networks);
  assert.deepEqual(networks.slice(0, 2), [
    [["192.0.2.7", 24]],
    [
      ["2001:db8::7", 64],
      ["fe80::7", 64],
    ],
  ]);
});

test("announces at most the limit of addresses", () => {
  const many = Array.from({ length: limits.mdnsAddressesPerLink + 1 }, (_, n) =>
    own("IPv6", `2001:db8::${n + 1}/64`),
  );
  const [link] = linksFor("::", { eth0: many }).values();
  assert.equal(link?.served.length, limits.mdnsAddressesPerLink);
});
