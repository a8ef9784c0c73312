import assert from "node:assert/strict";
import { test } from "node:test";
import { type NetworkService, networkStick, stickServices } from "./network-sticks.ts";

const service: NetworkService = {
  type: "_slzb-06._tcp.local",
  instance: "SLZB-06M",
  port: 6638,
  addresses: ["192.168.1.20", "fe80::1"],
  text: new Map([["radio_type", "znp"]]),
};

test("recognises a coordinator by the service that it announces", () => {
  assert.deepEqual(networkStick(service), {
    name: "SMLIGHT SLZB-06 (SLZB-06M)",
    port: "tcp://192.168.1.20:6638",
    protocol: "zigbee",
    driver: "zstack",
  });
});

test("takes the driver from what the coordinator says of its radio", () => {
  const driverOf = (radio?: string, type = service.type): unknown =>
    networkStick({ ...service, type, text: new Map(radio === undefined ? [] : [["radio_type", radio]]) })
      ?.driver;
  assert.equal(driverOf("ezsp"), "ember");
  assert.equal(driverOf("EZSP"), "ember");
  assert.equal(driverOf(), "zstack");
  assert.equal(driverOf("something new"), undefined);
  assert.equal(driverOf(undefined, "_zigbee-coordinator._tcp.local"), undefined);
  assert.equal(driverOf("constructor"), undefined);
});

test("writes an IPv6 address in brackets", () => {
  assert.equal(networkStick({ ...service, addresses: ["fd00::20"] })?.port, "tcp://[fd00::20]:6638");
});

test("recognises nothing without an address or a port, and no other service", () => {
  assert.equal(networkStick({ ...service, addresses: [] }), undefined);
  for (const port of [0, 65_536]) assert.equal(networkStick({ ...service, port }), undefined);
  assert.equal(networkStick({ ...service, type: "_ledge._tcp.local" }), undefined);
  assert.equal(stickServices.includes("_ledge._tcp.local"), false);
});
