import assert from "node:assert/strict";
import { test } from "node:test";
import { AdapterError } from "@ledge/port";
import { mapDevice } from "./device-map.ts";
import { readSettings } from "./settings.ts";

const relay = {
  id: "pump",
  address: 1,
  name: "Pump",
  deviceType: "RELAY",
  register: 0,
  registerType: "coil",
};
const signal = { ...relay, deviceType: "SIGNAL", registerType: "discrete" };
const point = { attribute: "temperature", table: "input", register: 0, type: "s16", scale: 0.1 };
const sensor = { id: "s", address: 1, name: "S", deviceType: "MULTI_SENSOR", points: [point] };
const meter = { ...sensor, deviceType: "REGISTERS", class: "POWER_SOCKET" };
const setpoint = {
  attribute: "targetTemperature",
  table: "holding",
  register: 0,
  type: "s16",
  writable: true,
};
const tcp = { type: "tcp", host: "box" };
const rtu = { type: "rtu", path: "/dev/ttyUSB0" };
const port = { name: "line", transport: tcp, devices: [relay] };

/** Reads settings as the adapter does: by the schema, then device by device. */
function read(settings: unknown): ReturnType<typeof mapDevice>[] {
  return readSettings(settings).ports.flatMap((line, index) =>
    line.devices.flatMap((device, place) =>
      device.deviceType === "MODEL"
        ? []
        : [mapDevice(line.name, device, `ports[${index}].devices[${place}]`)],
    ),
  );
}

const wholes: readonly [field: string, settings: unknown][] = [
  ["settings", null],
  ["settings", []],
  ["ports", {}],
  ["extra", { ports: [], extra: 1 }],
  ["ports[0]", { ports: [5] }],
  ["ports[0].name", { ports: [{ ...port, name: "a/b" }] }],
  ["ports[0].transport", { ports: [{ name: "a", devices: [] }] }],
  ["ports[0].transport.type", { ports: [{ ...port, transport: {} }] }],
  ["ports[0].transport.host", { ports: [{ ...port, transport: { type: "tcp" } }] }],
  ["ports[0].transport.port", { ports: [{ ...port, transport: { ...tcp, port: 70_000 } }] }],
  ["ports[0].transport.path", { ports: [{ ...port, transport: { type: "rtu" } }] }],
  ["ports[0].transport.parity", { ports: [{ ...port, transport: { ...rtu, parity: "mark" } }] }],
  ["ports[0].transport.dataBits", { ports: [{ ...port, transport: { ...rtu, dataBits: 9 } }] }],
  ["ports[0].timeoutMs", { ports: [{ ...port, timeoutMs: 0 }] }],
  ["ports[0].betweenRequestsMs", { ports: [{ ...port, betweenRequestsMs: -1 }] }],
  ["ports[1].name", { ports: [port, port] }],
  ["ports[1].transport.path", { ports: ["a", "b"].map((name) => ({ ...port, name, transport: rtu })) }],
  ["ports[0].devices[1].id", { ports: [{ ...port, devices: [relay, { ...relay, register: 2 }] }] }],
];

const devices: readonly [field: string, device: object, transport?: object][] = [
  ["deviceType", { ...relay, deviceType: "LAMP" }],
  ["address", { ...relay, address: 248 }],
  ["address", { ...relay, address: 0 }, rtu],
  ["address", { ...relay, address: 255 }, rtu],
  ["register", { ...relay, register: 65_536 }],
  ["registerType", { ...relay, registerType: "input" }],
  ["points", { ...relay, points: [] }],
  ["pollMs", { ...relay, pollMs: 1 }],
  ["registerType", { ...signal, registerType: "holding" }],
  ["output", { ...signal, output: true }],
  ["points", { ...sensor, points: [] }],
  ["points[0].attribute", { ...sensor, points: [{ ...point, attribute: "avtData" }] }],
  ["points[0].attribute", { ...sensor, points: [{ ...point, attribute: "toString" }] }],
  ["points[1].attribute", { ...sensor, points: [point, { ...point, register: 9 }] }],
  ["points[0].table", { ...sensor, points: [{ ...point, table: "coil" }] }],
  ["points[0].type", { ...sensor, points: [{ ...point, type: "bool" }] }],
  ["points[0].type", { ...sensor, points: [{ attribute: "temperature", table: "input", register: 0 }] }],
  [
    "points[0].type",
    { ...sensor, points: [{ attribute: "open", table: "holding", register: 0, type: "u16" }] },
  ],
  ["points[0].register", { ...sensor, points: [{ ...point, type: "f32", register: 65_535 }] }],
  ["points[0].unit", { ...sensor, points: [{ ...point, unit: "bar" }] }],
  ["points[0].scale", { ...sensor, points: [{ ...point, scale: 0 }] }],
  ["points[0].bit", { ...sensor, points: [{ ...point, bit: 3 }] }],
  [
    "points[0].scale",
    { ...sensor, points: [{ attribute: "open", table: "discrete", register: 0, scale: 2 }] },
  ],
  ["points[0].bit", { ...sensor, points: [{ attribute: "open", table: "discrete", register: 0, bit: 2 }] }],
  ["points[0].writable", { ...sensor, points: [{ ...point, table: "holding", writable: true }] }],
  ["points[0].writable", { ...meter, points: [{ ...setpoint, table: "input" }] }],
  ["class", { ...meter, class: "TOASTER" }],
  ["capabilities", { ...meter, capabilities: ["DEVICE"], points: [setpoint] }],
  ["capabilities[1]", { ...meter, capabilities: ["DEVICE", "FLYING"] }],
];

const wrong = [
  ...wholes,
  ...devices.map(([field, device, transport = tcp]) => {
    return [`ports[0].devices[0].${field}`, { ports: [{ ...port, transport, devices: [device] }] }] as const;
  }),
];

for (const [index, [field, settings]] of wrong.entries()) {
  test(`refuses wrong settings ${index} and names ${field}`, () => {
    assert.throws(
      () => read(settings),
      (error) =>
        error instanceof AdapterError && error.code === "settings" && error.message.startsWith(`${field}: `),
    );
  });
}

test("fills in defaults", () => {
  const [tcpLine, rtuLine] = readSettings({
    ports: [port, { ...port, name: "b", transport: rtu }],
  }).ports;
  assert.deepEqual(tcpLine, {
    name: "line",
    transport: { type: "tcp", host: "box", port: 502 },
    timeoutMs: 1000,
    betweenRequestsMs: 0,
    unreachableAfter: 3,
    devices: [relay],
  });
  assert.deepEqual(rtuLine?.transport, { ...rtu, baudRate: 9600, dataBits: 8, stopBits: 1, parity: "none" });
});

test("over TCP the addresses 0 and 255 mean the server itself", () => {
  for (const address of [0, 255]) {
    assert.equal(read({ ports: [{ ...port, devices: [{ ...relay, address }] }] })[0]?.address, address);
  }
});

const announced: readonly [title: string, device: object, deviceClass: string, capabilities: string[]][] = [
  ["a relay", relay, "POWER_SOCKET", ["DEVICE", "ON_OFF", "CONTROL_POWER"]],
  ["an input", signal, "SIGNAL", ["DEVICE", "SIGNAL"]],
  ["a coil", { ...signal, registerType: "coil" }, "SIGNAL", ["DEVICE", "SIGNAL", "ON_OFF"]],
  ["a read-only coil", { ...signal, registerType: "coil", output: false }, "SIGNAL", ["DEVICE", "SIGNAL"]],
  ["a sensor", sensor, "MULTI_SENSOR", ["DEVICE", "TEMPERATURE"]],
  [
    "a thermostat",
    { ...meter, class: "THERMOSTAT", points: [point, setpoint] },
    "THERMOSTAT",
    ["DEVICE", "TEMPERATURE", "CONTROL_TEMPERATURE"],
  ],
  [
    "a read-only setpoint",
    { ...meter, class: "THERMOSTAT", points: [{ ...setpoint, writable: false }] },
    "THERMOSTAT",
    ["DEVICE"],
  ],
  [
    "given capabilities",
    { ...meter, capabilities: ["MEASURE_POWER"] },
    "POWER_SOCKET",
    ["DEVICE", "MEASURE_POWER"],
  ],
  [
    "a lamp",
    {
      ...meter,
      class: "LIGHT",
      points: [
        { attribute: "isOn", table: "coil", register: 0, writable: true },
        {
          attribute: "brightness",
          table: "holding",
          register: 0,
          type: "u16",
          scale: 1 / 254,
          writable: true,
        },
        { attribute: "temperature", table: "holding", register: 1, type: "u16", unit: "K", writable: true },
      ],
    },
    "LIGHT",
    ["DEVICE", "ON_OFF", "CONTROL_LIGHT", "BRIGHTNESS", "COLOR_TEMP"],
  ],
];

for (const [title, device, deviceClass, capabilities] of announced) {
  test(`announces ${title} as ${deviceClass} with ${capabilities.join(" ")}`, () => {
    const [map] = read({ ports: [{ ...port, devices: [{ ...device, manufacturer: "Acme" }] }] });
    assert.deepEqual(map?.description, {
      native: `line/${(device as { id: string }).id}`,
      radio: "line",
      class: deviceClass,
      capabilities,
      name: (device as { name: string }).name,
      manufacturer: "Acme",
      model: null,
    });
  });
}
