import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";

const url = "mqtt://10.0.0.5:1883";
const set = (more: object = {}) => ({
  type: "MqttBrokerSet",
  id: "mqtt",
  url,
  username: null,
  password: null,
  expose: ["devices", "groups", "scenes", "rules"],
  commands: "comfort",
  zigbee2mqtt: [],
  tasmota: null,
  homeAssistant: null,
  user: null,
  ca: null,
  certificate: null,
  key: null,
  ...more,
});
const wish = (more: object) => ({ type: "SET_MQTT_BROKER", ...more });
const withPassword = set({ username: "hub", password: "secret" });

test("a broker is set with defaults, changed in part, and taken away", () => {
  given()
    .when(wish({ url, token: "of a field that nobody knows" }))
    .then([set()]);
  const changed = given([withPassword])
    .when(wish({ expose: ["scenes"] }))
    .then([{ ...withPassword, expose: ["scenes"] }]);
  assert.equal(changed.state("mqttBroker", "mqtt")?.password, "secret");
  const gone = given([set()])
    .when({ type: "REMOVE_MQTT_BROKER" })
    .then([{ type: "MqttBrokerRemoved", id: "mqtt" }]);
  assert.equal(gone.state("mqttBroker", "mqtt"), undefined);
  given().when({ type: "REMOVE_MQTT_BROKER" }).then({ rejected: "not-found" });
});

test("a password goes to the broker and user for which it was given", () => {
  const message = "must be given again for another broker or user";
  const refused = { rejected: "invalid", message, field: "password" } as const;
  given([withPassword])
    .when(wish({ url: "mqtt://10.0.0.6" }))
    .then(refused);
  given([withPassword])
    .when(wish({ username: "other" }))
    .then(refused);
  given([withPassword])
    .when(wish({ url: "mqtt://10.0.0.6", password: null }))
    .then([{ ...withPassword, url: "mqtt://10.0.0.6", password: null }]);
});

const tls = { ca: "-----BEGIN CA-----", certificate: "-----BEGIN C-----", key: "-----BEGIN K-----" };
const secure = { url: "mqtts://10.0.0.5" };

test("a certificate and its key are set and taken away together, for a broker with TLS", () => {
  const withTls = set({ ...secure, ...tls });
  const refused = (message: string, field: string) => ({ rejected: "invalid", message, field }) as const;
  given()
    .when(wish({ ...secure, ...tls }))
    .then([withTls]);
  const { ca, certificate, key } = tls;
  given()
    .when(wish({ ...secure, certificate }))
    .then(refused("is missing", "key"));
  given([withTls]).when(wish({ key })).then(refused("is missing", "certificate"));
  given([withTls])
    .when(wish({ certificate, key: null }))
    .then(refused("is missing", "key"));
  given([withTls])
    .when(wish({ expose: [] }))
    .then([{ ...withTls, expose: [] }]);
  given([withTls])
    .when(wish({ certificate: null }))
    .then([set({ ...secure, ca })]);
  given().when(wish({ url, ca })).then(refused("belongs to an mqtts: url", "ca"));
  given([withTls]).when(wish({ url })).then(refused("belongs to an mqtts: url", "ca"));
  given([withTls])
    .when(wish({ url, ca: null, certificate: null, key: null }))
    .then([set()]);
});

test("a broker that was set before certificates could be has none", () => {
  const { ca: _ca, certificate: _certificate, key: _key, ...before } = withPassword;
  const after = given([before])
    .when(wish({ expose: [] }))
    .then([{ ...withPassword, expose: [] }]);
  assert.equal(after.state("mqttBroker", "mqtt")?.certificate, null);
});

test("refuses what makes no broker, and names the field", () => {
  const refused = (message: string, field: string) => ({ rejected: "invalid", message, field }) as const;
  given().when(wish({})).then(refused("is missing", "url"));
  given()
    .when(wish({ url: "mqtt://" }))
    .then(refused("must be mqtt://host:port", "url"));
  given()
    .when(wish({ url, password: "secret" }))
    .then(refused("is missing", "username"));
  given()
    .when(wish({ url, user: "nobody" }))
    .then(refused("no user nobody", "user"));
});
