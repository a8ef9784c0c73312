import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { Answer } from "dns-packet";
import { ServiceBrowser } from "./browser.ts";

const type = "_slzb-06._tcp.local";
const instance = `SLZB-06.${type}`;
const host = "slzb-06.local";

const pointer: Answer = { type: "PTR", name: type, ttl: 4500, data: instance };
const server: Answer = {
  type: "SRV",
  name: instance,
  ttl: 120,
  data: { target: host, port: 6638, priority: 0, weight: 0 },
};
const text: Answer = { type: "TXT", name: instance, ttl: 4500, data: ["radio_type=znp", "version=1", "x"] };
const address: Answer = { type: "A", name: host, ttl: 120, data: "192.168.1.20" };

function browser(): { clock: SimulatedClock; browser: ServiceBrowser } {
  const clock = new SimulatedClock();
  return { clock, browser: new ServiceBrowser([type], clock) };
}

const found = {
  type,
  instance: "SLZB-06",
  port: 6638,
  addresses: ["192.168.1.20"],
  text: new Map([
    ["radio_type", "znp"],
    ["version", "1"],
  ]),
};

test("knows a service from one packet, in any order of its records", () => {
  for (const records of [
    [pointer, server, text, address],
    [address, text, server, pointer],
  ]) {
    const { browser: one } = browser();
    assert.equal(one.heard(records), true);
    assert.deepEqual(one.services(), [found]);
  }
});

test("knows a service from several packets, once where it is has come", () => {
  const { browser: one } = browser();
  one.heard([address]);
  one.heard([pointer]);
  assert.deepEqual(one.services(), []);
  one.heard([server]);
  assert.deepEqual(one.services(), [{ ...found, text: new Map() }]);
  one.heard([text]);
  assert.deepEqual(one.services(), [found]);
});

test("forgets a service that has expired, and one that says goodbye", () => {
  const { clock, browser: one } = browser();
  one.heard([pointer, server, text, address]);
  clock.advance(119_999);
  assert.equal(one.services().length, 1);
  clock.advance(1);
  assert.deepEqual(one.services(), []);
  one.heard([server, address]);
  assert.equal(one.services().length, 1);
  assert.equal(one.heard([{ ...pointer, ttl: 0 }]), true);
  assert.deepEqual(one.services(), []);
});

test("ignores other types, and names that do not belong to their type", () => {
  const { browser: one } = browser();
  const other: Answer = { type: "PTR", name: "_http._tcp.local", ttl: 10, data: "web._http._tcp.local" };
  const stray: Answer = { type: "PTR", name: type, ttl: 10, data: "web._http._tcp.local" };
  const wrong = { type: "A", name: host, ttl: 10, data: "nonsense" } as Answer;
  assert.equal(one.heard([other, stray, server, text, wrong]), false);
  assert.deepEqual(one.services(), []);
});

test("keeps a bounded number of services, the newest", () => {
  const { browser: one } = browser();
  for (let count = 0; count < 10 * limits.mdnsServices; count++) {
    const name = `${count}.${type}`;
    const records = [
      { ...pointer, data: name },
      { ...server, name },
      { ...address, name: `${count}.local` },
    ];
    one.heard(records);
  }
  one.heard([pointer, server, address]);
  const services = one.services();
  assert.ok(services.length <= limits.mdnsServices);
  assert.equal(services.at(-1)?.instance, "SLZB-06");
});

test("shows a name without control characters, and not longer than a name may be", () => {
  const { browser: one } = browser();
  const name = `\u001b[31mred${"x".repeat(500)}.${type}`;
  one.heard([{ ...pointer, data: name }, { ...server, name }, address] as Answer[]);
  const [service] = one.services();
  assert.equal(service?.instance.length, limits.nameChars);
  assert.ok(service.instance.startsWith("[31mred"));
});
