import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@ledge/model";
import { type Coded, codedFrom, descriptionOf, heardBy, restOf } from "./device.ts";
import { type Kind, likelyKind } from "./kinds.ts";
import { orderFor } from "./orders.ts";
import { readRflink } from "./rflink.ts";
import type { Signal } from "./signal.ts";

function signalOf(text: string): Signal {
  const line = readRflink(`20;00;${text};`);
  assert.ok(line?.type === "signal", text);
  return line.signal;
}
const coded = (text: string, kind: Kind): Coded => codedFrom(signalOf(text), kind);

test("guesses a kind by what was heard and whether the hub can send it", () => {
  for (const [text, sending, hearing] of [
    ["NewKaku;ID=1;SWITCH=1;CMD=ON", "socket", "remote"],
    ["RTS;ID=1a602a;SWITCH=01;CMD=DOWN", "remote", "remote"],
    ["EV1527;ID=1;SWITCH=1;CMD=ON", "remote", "remote"],
    ["Cresta;ID=1;TEMP=00b0", "sensor", "sensor"],
    ["Alecto V1;ID=1;RAIN=02ac", "sensor", "sensor"],
    ["Byron SX;ID=1;CHIME=09", "doorbell", "doorbell"],
    ["Pir;ID=1;PIR=ON", "motion", "motion"],
    ["SmokeAlert;ID=1;SMOKEALERT=ON", "smoke", "smoke"],
    ["Other;ID=1", undefined, undefined],
  ] as const) {
    assert.equal(likelyKind(signalOf(text), true), sending, text);
    assert.equal(likelyKind(signalOf(text), false), hearing, text);
  }
});

test("the longest words that a code may have make a name within its bounds; longer ones are no code", () => {
  const of = (length: number): string =>
    `${"p".repeat(length)};ID=${"1".repeat(length)};SWITCH=${"2".repeat(length)};PIR=ON`;
  const { name } = coded(of(32), "motion");
  assert.ok(name.length <= limits.nameChars, name);
  assert.equal(readRflink(`20;00;${of(33)};`), undefined);
});

test("a socket follows its remote, and no other unit", () => {
  const socket = coded("NewKaku;ID=0cac142;SWITCH=3;CMD=ON", "socket");
  assert.deepEqual([socket.id, socket.name], ["NewKaku.0cac142.3", "Socket NewKaku 0cac142/3"]);
  const values = (text: string): unknown => heardBy(socket, signalOf(text))?.values;
  assert.deepEqual(values("NewKaku;ID=0cac142;SWITCH=3;CMD=OFF"), { isOn: false });
  assert.deepEqual(values("NewKaku;ID=cac142;SWITCH=03;CMD=ON"), { isOn: true }, "zeros in front");
  assert.deepEqual(values("NewKaku;ID=cac142;SWITCH=1;CMD=ALLOFF"), { isOn: false });
  assert.equal(values("NewKaku;ID=cac142;SWITCH=1;CMD=OFF"), undefined);
  assert.equal(values("NewKaku;ID=cac143;SWITCH=3;CMD=OFF"), undefined);
  assert.equal(values("Kaku;ID=cac142;SWITCH=3;CMD=OFF"), undefined);
});

test("what only obeys says that its state is assumed; what measures does not", () => {
  const socket = descriptionOf("hall", coded("NewKaku;ID=1;SWITCH=3;CMD=ON", "socket"));
  assert.deepEqual(
    [socket.native, socket.radio, socket.class, socket.capabilities, socket.extras, socket.model],
    [
      "hall/NewKaku.1.3",
      "hall",
      "POWER_SOCKET",
      ["DEVICE", "ON_OFF", "CONTROL_POWER"],
      { assumedState: true },
      "NewKaku",
    ],
  );
  const sensor = coded("Cresta;ID=1;TEMP=00b0", "sensor");
  assert.equal(descriptionOf("hall", sensor).extras, undefined);
});

test("a sensor is what it has said so far", () => {
  let sensor = coded("Cresta;ID=8001;RAIN=001c", "sensor");
  for (const text of ["Cresta;ID=8001;RAIN=001c;BAT=OK", "Cresta;ID=8001;TEMP=00b0;HUM=50"])
    sensor = heardBy(sensor, signalOf(text))?.device ?? sensor;
  const { class: of, capabilities, stateExtras } = descriptionOf("hall", sensor);
  assert.equal(of, "MULTI_SENSOR");
  assert.deepEqual(capabilities, ["DEVICE", "BATTERY_U", "TEMPERATURE", "HUMIDITY"]);
  assert.deepEqual(
    stateExtras?.map(({ name, unit }) => [name, unit]),
    [["rain", "mm"]],
  );
  const again = heardBy(sensor, signalOf("Cresta;ID=8001;TEMP=00b1"));
  assert.equal(again?.device, sensor, "nothing new");
});

test("a remote has the keys that were heard, in their order, up to a limit", () => {
  let remote = coded("NewKaku;ID=5;SWITCH=2;CMD=ON", "remote");
  const press = (text: string): number | undefined => {
    const heard = heardBy(remote, signalOf(text));
    remote = heard?.device ?? remote;
    return heard?.button;
  };
  assert.equal(press("NewKaku;ID=5;SWITCH=2;CMD=ON"), 1);
  assert.equal(press("NewKaku;ID=5;SWITCH=2;CMD=OFF"), 2);
  assert.equal(press("NewKaku;ID=5;SWITCH=2;CMD=ON"), 1);
  assert.deepEqual(descriptionOf("hall", remote).extras?.["buttons"], [
    { type: "RC_BUTTON", id: 1, label: "2 ON" },
    { type: "RC_BUTTON", id: 2, label: "2 OFF" },
  ]);
  for (let unit = 3; unit < 40; unit += 1) press(`NewKaku;ID=5;SWITCH=${unit};CMD=ON`);
  assert.equal(remote.keys?.length, 32);
  assert.equal(press("NewKaku;ID=5;SWITCH=99;CMD=ON"), undefined);
  assert.equal(press("NewKaku;ID=5;SWITCH=2;CMD=OFF"), 2);
});

test("motion ends by itself until the detector says an end of its own", () => {
  const pir = coded("Pir;ID=1;PIR=ON", "motion");
  assert.deepEqual(heardBy(pir, signalOf("Pir;ID=1;PIR=ON"))?.values, { motion: true });
  assert.equal(restOf(pir, "motion"), 60_000);
  assert.equal(restOf(pir, "open"), undefined);
  const ended = heardBy(pir, signalOf("Pir;ID=1;PIR=OFF"))?.device ?? pir;
  assert.equal(restOf(ended, "motion"), undefined);
});

test("each kind makes its own of an order", () => {
  const shown = (kind: Kind, word: string): unknown =>
    heardBy(coded("X;ID=1;SWITCH=1;CMD=ON", kind), signalOf(`X;ID=1;SWITCH=1;CMD=${word}`))?.values;
  assert.deepEqual(shown("contact", "ON"), { open: true });
  assert.deepEqual(shown("leak", "OFF"), { moisture: false });
  assert.deepEqual(shown("smoke", "ON"), { alert: true });
  assert.deepEqual(shown("doorbell", "ON"), { alert: true });
  assert.deepEqual(shown("doorbell", "OFF"), {});
  assert.deepEqual(shown("cover", "DOWN"), { position: 0, liftPct: 0 });
  assert.deepEqual(shown("cover", "STOP"), {});
  assert.deepEqual(shown("dimmer", "SET_LEVEL=3"), { isOn: true, brightness: 0.2 });
  assert.deepEqual(shown("dimmer", "SET_LEVEL=0"), { isOn: false });
  assert.deepEqual(shown("socket", "SET_LEVEL=3"), {});
});

test("orders for attributes, and what they show", () => {
  const rows: readonly (readonly [Kind, object, unknown, object])[] = [
    ["socket", { isOn: true }, "on", { isOn: true }],
    ["lamp", { isOn: false }, "off", { isOn: false }],
    ["dimmer", { brightness: 0.5 }, { level: 0.5 }, { isOn: true, brightness: 0.5 }],
    ["dimmer", { isOn: true, brightness: 0.5 }, { level: 0.5 }, { isOn: true, brightness: 0.5 }],
    ["dimmer", { isOn: false, brightness: 0.5 }, "off", { isOn: false }],
    ["dimmer", { brightness: 0 }, "off", { isOn: false }],
    ["cover", { position: 1 }, "up", { position: 1, liftPct: 100 }],
    ["cover", { liftPct: 20 }, "down", { position: 0, liftPct: 0 }],
    ["cover", { stop: true }, "stop", {}],
  ];
  for (const [kind, wanted, order, shows] of rows)
    assert.deepEqual(orderFor(kind, wanted as Record<string, unknown>), { order, shows }, kind);
  for (const [kind, wanted] of [
    ["socket", { brightness: 1 }],
    ["cover", { isOn: true }],
    ["sensor", { isOn: true }],
    ["remote", { isOn: true }],
  ] as const)
    assert.throws(() => orderFor(kind, wanted), { code: "unsupported" }, kind);
});
