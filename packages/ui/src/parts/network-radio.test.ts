import assert from "node:assert/strict";
import { test } from "node:test";
import { radioAt, radioFlaws, radioKinds } from "./network-radio.ts";

const wrong: readonly [host: string, port: string, flaws: object][] = [
  ["", "6638", { host: "login.missing" }],
  ["  ", "6638", { host: "login.missing" }],
  ["tcp://10.0.0.7", "6638", { host: "networkRadio.noHost" }],
  ["10.0.0.7", "", { port: "networkRadio.noPort" }],
  ["10.0.0.7", "0", { port: "networkRadio.noPort" }],
  ["10.0.0.7", "65536", { port: "networkRadio.noPort" }],
  ["10.0.0.7", "66e2", { port: "networkRadio.noPort" }],
  ["10.0.0.7", "65535", {}],
  ["slzb-06.local", "1", {}],
  ["fe80::1", "6638", {}],
];
for (const [host, port, flaws] of wrong) {
  test(`finds ${Object.keys(flaws).join(" and ") || "nothing"} wrong with "${host}" and "${port}"`, () => {
    assert.deepEqual(radioFlaws({ host, port }), flaws);
  });
}

test("names the radio as the hub does", () => {
  const [first] = radioKinds;
  const last = radioKinds.at(-1) ?? assert.fail("no kinds");
  assert.deepEqual(radioAt({ host: " 10.0.0.7 ", port: "6638" }, first), {
    port: "tcp://10.0.0.7:6638",
    protocol: "zigbee",
    driver: "zstack",
  });
  assert.equal(radioAt({ host: "fe80::1", port: "6053" }, last).port, "esphome://[fe80::1]:6053");
});
