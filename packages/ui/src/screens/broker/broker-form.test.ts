import assert from "node:assert/strict";
import { test } from "node:test";
import type { Broker } from "../../api/broker.ts";
import { flawsOf, formOf, wantedOf } from "./broker-form.ts";

const broker: Broker = {
  url: "mqtt://10.0.0.5:1883",
  username: "hub",
  expose: ["devices", "scenes"],
  commands: "none",
  zigbee2mqtt: ["zigbee2mqtt", "barn"],
  tasmota: null,
  homeAssistant: "homeassistant",
  user: "ann",
  hasPassword: true,
};

test("a form that nobody touches says what the broker is, without its password", () => {
  const { hasPassword: _, ...same } = broker;
  assert.deepEqual(wantedOf(formOf(broker)), same);
  assert.deepEqual(flawsOf(formOf(broker), broker), {});
});

test("asks for an address of a broker, and for a user where there is a password", () => {
  const form = formOf(null);
  assert.deepEqual(flawsOf(form, null), { url: "login.missing" });
  for (const url of ["10.0.0.5", "http://10.0.0.5", "mqtt://", "mqtt://a@b", "mqtt://a/b"])
    assert.deepEqual(flawsOf({ ...form, url }, null), { url: "broker.badUrl" }, url);
  const at = { ...form, url: " mqtts://broker.example:8883 " };
  assert.deepEqual(flawsOf(at, null), {});
  assert.deepEqual(flawsOf({ ...at, password: "secret" }, null), { username: "login.missing" });
});

test("a password stays with its broker and user, and goes with the user", () => {
  const form = formOf(broker);
  const again = { password: "broker.passwordAgain" };
  assert.deepEqual(flawsOf({ ...form, url: "mqtt://10.0.0.6" }, broker), again);
  assert.deepEqual(flawsOf({ ...form, username: "other" }, broker), again);
  assert.deepEqual(flawsOf({ ...form, username: "other", password: "new" }, broker), {});
  assert.deepEqual(flawsOf({ ...form, username: "" }, broker), {});
  assert.equal(wantedOf({ ...form, username: "" }).password, null);
  assert.equal("password" in wantedOf(form), false);
});

test("takes topics with commas between, each once", () => {
  assert.deepEqual(wantedOf({ ...formOf(broker), zigbee2mqtt: " barn, ,attic,barn " }).zigbee2mqtt, [
    "barn",
    "attic",
  ]);
});
