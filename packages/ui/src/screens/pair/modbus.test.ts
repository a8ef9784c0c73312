import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failure } from "../../api/call.ts";
import type { ModbusKind } from "../../api/wired.ts";
import { commandOf, draftOf, flawsOf, refusedModbus, type Said } from "./modbus.ts";

const relay: ModbusKind = {
  type: "PAIR_MODBUS",
  deviceType: "RELAY",
  name: "Relay, coil",
  manufacturer: "Modbus",
  address: 1,
  readDeviceIdSupported: false,
  registerRequired: true,
  register: 0,
  registerType: 1,
  normallyOff: true,
};
const meter: ModbusKind = {
  ...relay,
  deviceType: "MULTI_SENSOR",
  registerRequired: false,
  registerType: 70_000,
  normallyOff: null,
  modelId: "meter",
};
const draft = { ...draftOf(relay, "Pump"), address: "3", register: "7" };

test("a form that is filled in is the command that the hub lists for its kind", () => {
  assert.deepEqual(commandOf(relay, draft), { ...relay, name: "Pump", address: 3, register: 7 });
  const chosen = { ...draft, port: "cellar", isInverted: true, isAsked: true };
  const more = { port: "cellar", normallyOff: false, readDeviceIdSupported: true };
  assert.deepEqual(commandOf(relay, chosen), { ...relay, name: "Pump", address: 3, register: 7, ...more });
  assert.equal((commandOf(meter, { ...draft, isInverted: true }) as ModbusKind).normallyOff, null);
});

for (const [typed, field] of [
  [{ name: " " }, "name"],
  [{ address: "0" }, "address"],
  [{ address: "248" }, "address"],
  [{ address: "" }, "address"],
  [{ address: "1.5" }, "address"],
  [{ register: "-1" }, "register"],
  [{ register: "65536" }, "register"],
] as const) {
  test(`${JSON.stringify(typed)} is wrong at ${field}`, () =>
    assert.deepEqual(
      flawsOf(relay, { ...draft, ...typed }).map((flaw) => flaw.field),
      [field],
    ));
}

test("the limits themselves are right, and a model without a register wants none", () => {
  for (const [address, register] of [
    ["1", "0"],
    ["247", "65535"],
  ] as const)
    assert.deepEqual(flawsOf(relay, { ...draft, address, register }), []);
  assert.deepEqual(flawsOf(meter, { ...draft, register: "" }), []);
});

function failure(status: number, field: string, message: string): Failure {
  const errors = field === "" ? [] : [{ field, message }];
  return { status, message: `${field}: ${message}`, retryAfterS: undefined, oldest: undefined, errors };
}

const refusals: readonly [Failure, Said | undefined][] = [
  [failure(504, "", "5 does not answer"), { field: "address", key: "modbus.silent" }],
  [failure(503, "", "the port is closed"), { field: "", key: "modbus.lineLost" }],
  [failure(422, "", "the hub has no Modbus line"), { field: "", key: "modbus.noLine" }],
  [failure(422, "address", "5 does not answer: exception 10"), { field: "address", key: "modbus.silent" }],
  [
    failure(422, "address", '5 says that it is "Acme P1", which is no meter'),
    { field: "address", key: "modbus.other", params: { said: "Acme P1" } },
  ],
  [failure(422, "register", "coil 9 of 5 cannot be read"), { field: "register", key: "modbus.noRegister" }],
  [
    failure(422, "register", 'is already used by "Pump"'),
    { field: "register", key: "modbus.taken", params: { name: "Pump" } },
  ],
  [
    failure(422, "readDeviceIdSupported", "5 has no identification"),
    { field: "readDeviceIdSupported", key: "modbus.nameless" },
  ],
  [failure(422, "port", "must be one of a, b: 5 answers on each"), { field: "port", key: "modbus.several" }],
  [failure(422, "modelId", '"x" is no model of this hub'), { field: "", key: "modbus.unknownKind" }],
  [failure(403, "", "administrators only"), undefined],
];
for (const [refused, said] of refusals) {
  test(`says of ${refused.status} ${refused.message}: ${said?.key ?? "the hub's words"}`, () =>
    assert.deepEqual(refusedModbus(refused), said));
}
