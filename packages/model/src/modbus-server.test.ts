import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";
import { limits } from "./limits.ts";
import { modbusServerId } from "./modbus-server.ts";

const socket = {
  type: "DeviceAdded",
  id: "d1",
  name: "Pump",
  class: "POWER_SOCKET",
  capabilities: ["DEVICE", "ON_OFF", "MEASURE_POWER"],
  manufacturer: null,
  model: null,
  extras: {},
};
const extras = [
  { name: "boost", fieldType: "NUMBER", unit: "s", writable: true },
  { name: "muted", fieldType: "BOOL", unit: null, writable: false },
  { name: "word", fieldType: "TEXT", unit: null, writable: true },
];
const meter = {
  ...socket,
  id: "d2",
  name: "Meter",
  class: "MULTI_SENSOR",
  capabilities: ["DEVICE"],
  stateExtras: extras,
};
const home = given([socket, meter]);

const on = { deviceId: "d1", attribute: "isOn", registerType: 1, register: 0 };
const power = { deviceId: "d1", attribute: "activePower", registerType: 4, register: 0 };
const set = (...mappings: object[]): { type: "SET_MODBUS_TCP_MAPPINGS"; mappings: never } => ({
  type: "SET_MODBUS_TCP_MAPPINGS",
  mappings: mappings as never,
});
const whole = {
  type: "MODBUS_TCP_MAPPING",
  unit: null,
  dataType: "bool",
  scale: 1,
  wordOrder: "big",
  writable: true,
};
const mapped = (...mappings: object[]): { type: string; id: string; mappings: object[] } => ({
  type: "ModbusMappingsSet",
  id: modbusServerId,
  mappings,
});

test("the server is off until it is enabled, and open to nobody until networks are named", () => {
  const server = { type: "SET_MODBUS_TCP_SERVER" };
  const told = { type: "ModbusServerSet", id: modbusServerId };
  home.when({ ...server, enabled: true }).then({ rejected: "invalid", field: "allow" });
  const allow = ["10.0.0.0/24", "fd00::1", "192.168.1.7"];
  const after = home
    .when({ ...server, enabled: true, allow })
    .then([{ ...told, enabled: true, port: 502, allow }]);
  assert.equal(after.state("modbusServer", modbusServerId)?.enabled, true);
  const again = given([socket, { ...told, enabled: true, port: 502, allow }]);
  again.when({ ...server, enabled: true }).then([]);
  again.when({ ...server, port: 1502 }).then([{ ...told, enabled: true, port: 1502, allow }]);
  again.when({ ...server, enabled: false }).then([{ ...told, enabled: false, port: 502, allow }]);
  for (const wrong of [
    "10.0.0.256",
    "192.168.001.010",
    "10.0.0.1.",
    "10.0.0",
    "10.0.0.0/33",
    "fd00::1/129",
    "fd00:::1",
    "1::2::3",
    "::1/x",
    "host",
  ])
    home.when({ ...server, allow: ["10.0.0.1", wrong] }).then({ rejected: "invalid", field: "allow.1" });
});

test("mappings are completed with what follows from their attributes", () => {
  home
    .when(set(on, power))
    .then([mapped({ ...whole, ...on }, { ...whole, ...power, dataType: "f32", writable: false })]);
  home
    .when(set({ ...on, registerType: 2 }, { ...on, registerType: 3, writable: false }))
    .then([
      mapped(
        { ...whole, ...on, registerType: 2, writable: false },
        { ...whole, ...on, registerType: 3, writable: false },
      ),
    ]);
  home
    .when(
      set({
        deviceId: "d2",
        attribute: "extras.boost",
        registerType: 3,
        register: 9,
        dataType: "s16",
        scale: 0.1,
      }),
    )
    .then([
      mapped({
        ...whole,
        deviceId: "d2",
        attribute: "extras.boost",
        registerType: 3,
        register: 9,
        dataType: "s16",
        scale: 0.1,
      }),
    ]);
});

test("mappings that cannot be are refused, and name the field", () => {
  for (const [field, wrong] of [
    ["deviceId", { ...on, deviceId: "gone" }],
    ["attribute", { ...on, attribute: "flying" }],
    ["attribute", { ...on, attribute: "colorMode" }],
    ["attribute", { ...on, attribute: "extras.none" }],
    ["attribute", { ...on, deviceId: "d2", attribute: "extras.word" }],
    ["writable", { ...on, registerType: 2, writable: true }],
    ["writable", { ...power, registerType: 3, writable: true }],
    ["writable", { ...on, deviceId: "d2", attribute: "extras.muted", writable: true }],
    ["registerType", { ...power, registerType: 1 }],
    ["scale", { ...power, scale: 0 }],
    ["dataType", { ...on, dataType: "u16" }],
    ["dataType", { ...power, dataType: "bool" }],
    ["register", { ...power, register: 65_535 }],
    ["register", { ...power, register: 1 }],
  ] as const)
    home.when(set(power, { ...wrong, register: wrong.register === 0 ? 10 : wrong.register })).then({
      rejected: wrong.deviceId === "gone" ? "not-found" : "invalid",
      field: `mappings.1.${field}`,
    });
});

test("add puts mappings beside others, in the place of those that they overlap", () => {
  const first = mapped({ ...whole, ...on }, { ...whole, ...power, dataType: "f32", writable: false });
  const before = given([socket, meter, first as never]);
  before.when({ ...set(on), add: true }).then([]);
  before.when(set(on, power)).then([]);
  const other = { ...power, registerType: 3, register: 7 };
  before
    .when({ ...set({ ...on, registerType: 4, register: 1 }, other), add: true })
    .then([
      mapped(
        { ...whole, ...on },
        { ...whole, ...on, registerType: 4, register: 1, writable: false },
        { ...whole, ...other, dataType: "f32", writable: false },
      ),
    ]);
  before
    .when({ ...set({ ...on, unit: 7 }), add: true })
    .then([
      mapped(
        { ...whole, ...on },
        { ...whole, ...power, dataType: "f32", writable: false },
        { ...whole, ...on, unit: 7 },
      ),
    ]);
  before.when(set()).then([mapped()]);
  const many = Array.from({ length: limits.modbusMappings }, (_, index) => ({ ...on, register: index + 1 }));
  before.when({ ...set(...many), add: true }).then({ rejected: "invalid", field: "mappings" });
});
