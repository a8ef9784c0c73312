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
  hasCa: false,
  hasCertificate: false,
};

const secured: Broker = { ...broker, url: "mqtts://10.0.0.5:8883", hasCa: true, hasCertificate: true };
const tls = {
  ca: "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n",
  certificate: "-----BEGIN CERTIFICATE-----\nAQ==\n-----END CERTIFICATE-----\n",
  key: "-----BEGIN EC PRIVATE KEY-----\nAg==\n-----END EC PRIVATE KEY-----\n",
};

test("a form that nobody touches says what the broker is, without its secrets", () => {
  for (const each of [broker, secured]) {
    const { hasPassword: _, hasCa: __, hasCertificate, ...same } = each;
    const none = hasCertificate ? {} : { ca: null, certificate: null, key: null };
    assert.deepEqual(wantedOf(formOf(each)), { ...same, ...none });
    assert.deepEqual(flawsOf(formOf(each), each), {});
  }
});

test("texts in PEM keep their lines, and go when somebody says so", () => {
  const form = { ...formOf(secured), ...tls };
  assert.deepEqual(flawsOf(form, secured), {});
  const { ca, certificate, key } = wantedOf(form);
  assert.deepEqual({ ca, certificate, key }, tls);
  const dropped = wantedOf({ ...formOf(secured), dropsCa: true, dropsCertificate: true });
  assert.deepEqual([dropped.ca, dropped.certificate, dropped.key], [null, null, null]);
  const half = wantedOf({ ...formOf(secured), dropsCa: true });
  assert.deepEqual([half.ca, "certificate" in half, "key" in half], [null, false, false]);
});

test("a certificate and its key come together, in PEM, for a broker with TLS", () => {
  const form = formOf(secured);
  assert.deepEqual(flawsOf({ ...form, certificate: tls.certificate }, secured), { key: "login.missing" });
  assert.deepEqual(flawsOf({ ...form, key: tls.key }, secured), { certificate: "login.missing" });
  assert.deepEqual(flawsOf({ ...form, ca: "MIIB" }, secured), { ca: "broker.noPem" });
  assert.deepEqual(flawsOf({ ...formOf(broker), ca: tls.ca }, broker), { ca: "broker.noTls" });
  const open = wantedOf({ ...form, url: "mqtt://10.0.0.5" });
  assert.deepEqual([open.ca, open.certificate, open.key], [null, null, null]);
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
