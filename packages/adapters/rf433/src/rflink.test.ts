import assert from "node:assert/strict";
import { test } from "node:test";
import { readRflink, writeRflink } from "./rflink.ts";
import type { Signal } from "./signal.ts";

/** The signal of what stands between the counter and the end of a line. */
function signalOf(text: string): Omit<Signal, "protocol"> | undefined {
  const line = readRflink(`20;2D;Model;${text};\r`);
  if (line?.type !== "signal") return undefined;
  const { protocol, ...rest } = line.signal;
  assert.equal(protocol, "Model");
  return rest;
}

const values: readonly (readonly [string, Signal["values"]])[] = [
  ["ID=0001;TEMP=00cf;HUM=16;BAT=OK", { temperature: 20.7, humidity: 16, batteryLow: false }],
  ["ID=0001;TEMP=80cf;BAT=LOW", { temperature: -20.7, batteryLow: true }],
  ["ID=2801;TEMP=7fff", {}],
  ["ID=5a6d;BARO=03d7", { pressure: 98_300 }],
  [
    "ID=1003;RAIN=0010;RAINTOT=0012;RAINRATE=8d",
    {
      "extras.rain": 1.6,
      "extras.rain_day": 1.8,
      "extras.rain_rate": 14.1,
    },
  ],
  [
    "ID=1002;WINSP=0168;WINGS=02d0;WINDIR=0004",
    {
      "extras.wind": 10,
      "extras.gust": 20,
      "extras.wind_direction": 90,
    },
  ],
  ["ID=ea7c;UV=0030;LUX=00ff", { "extras.uv": 4.8, lux: 255 }],
  ["ID=aa66;PIR=ON", { motion: true }],
  ["ID=aa66;SMOKEALERT=OFF", { alert: false }],
  ["ID=1;WATT=64;CO2=400;VOLT=230;CURRENT=3", { activePower: 100, co2Ppm: 400, voltage: 230, current: 3 }],
  // Nothing of an impossible value, and all of what stands beside it.
  ["ID=1;TEMP=xyz;HUM=101;WINDIR=0016;BAT=GOOD;LUX=;HUM=5", {}],
  ["ID=1;TEMP=0010;WHAT=ever;constructor=1;__proto__=2", { temperature: 1.6 }],
];
for (const [text, expected] of values)
  test(`reads the values of ${text}`, () => {
    assert.deepEqual(signalOf(text)?.values, expected);
  });

test("reads what keys say", () => {
  const orderOf = (text: string): unknown => {
    const { values: _, ...said } = signalOf(text) ?? { values: {} };
    return said;
  };
  const key = { address: "cac142", unit: "3" };
  for (const [word, order] of [
    ["ON", "on"],
    ["OFF", "off"],
    ["UP", "up"],
    ["DOWN", "down"],
    ["STOP", "stop"],
  ] as const)
    assert.deepEqual(orderOf(`ID=cac142;SWITCH=3;CMD=${word}`), { ...key, order, word });
  assert.deepEqual(orderOf("ID=cac142;SWITCH=3;CMD=ALLOFF"), {
    ...key,
    order: "off",
    isForAll: true,
    word: "ALLOFF",
  });
  assert.deepEqual(orderOf("ID=cac142;SWITCH=3;CMD=SET_LEVEL=6"), { ...key, order: { level: 0.4 } });
  assert.deepEqual(orderOf("ID=cac142;SWITCH=3;CMD=SET_LEVEL=16"), { ...key, word: "SET_LEVEL=16" });
  assert.deepEqual(orderOf("ID=cac142;SWITCH=3;CMD=UNKOWN"), { ...key, word: "UNKOWN" });
  assert.deepEqual(orderOf("ID=04d6bb97;SWITCH=1;CMD=ON;CHIME=01"), {
    address: "04d6bb97",
    unit: "1",
    order: "ring",
  });
});

test("tells a gateway's own lines from what it hears", () => {
  const types: Readonly<Record<string, string | undefined>> = {
    "20;00;Nodo RadioFrequencyLink - RFLink Gateway V1.1 - R46;": "hello",
    "20;01;VER=1.1;REV=37;BUILD=01;": "hello",
    "20;01;PONG;": "pong",
    "20;FF;OK;": "ok",
    "20;02;CMD UNKNOWN;": "unknown",
    "20;03;MySensors=OFF;NO NRF24L01;": "other",
    "20;02;STATUS;setRF433=ON;NodoNRF=OFF;": "other",
    "20;3B;NewKaku;ID=cac142;SWITCH=3;CMD=OFF;": "signal",
    // Halves, noise, what the hub itself sends, and what would not fit into a command.
    "20;3B;NewKaku;ID=cac142;SWITCH=3;CMD=OF": undefined,
    ";3B;NewKaku;ID=cac142;": undefined,
    "20;3B;": undefined,
    "20;3;OK;": undefined,
    "20;3B;;ID=1;": undefined,
    "10;PING;": undefined,
    "": undefined,
    "20;3B;NewKaku;ID=;": undefined,
    "20;3B;NewKaku;ID=\u00ff\u0001;": undefined,
    [`20;3B;NewKaku;ID=${"a".repeat(65)};`]: undefined,
    [`20;3B;NewKaku;ID=1;${"TEMP=1;".repeat(100)}`]: undefined,
  };
  for (const [line, type] of Object.entries(types)) assert.equal(readRflink(line)?.type, type, line);
});

test("writes orders for receivers", () => {
  const to = { protocol: "NewKaku", address: "0cac142", unit: "3" } as const;
  assert.equal(writeRflink({ ...to, order: "on" }), "10;NewKaku;0cac142;3;ON;");
  assert.equal(writeRflink({ ...to, order: { level: 1 } }), "10;NewKaku;0cac142;3;15;");
  assert.equal(writeRflink({ ...to, order: { level: 0.01 } }), "10;NewKaku;0cac142;3;1;");
  assert.equal(
    writeRflink({ protocol: "Conrad RSL2", address: "010002", unit: "03", order: "off" }),
    "10;Conrad;010002;03;OFF;",
  );
  assert.equal(
    writeRflink({ protocol: "RTS", address: "1a602a", unit: "01", order: "stop" }),
    "10;RTS;1a602a;0;STOP;",
  );
});
