import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "./settings.ts";

const radio = { path: "/dev/serial/by-id/usb-x", stick: "zstack" };

test("accepts valid settings, also without a stick", () => {
  for (const settings of [
    {},
    { radio },
    { radio: { path: "tcp://127.0.0.1:7638", stick: "ember", baudRate: 460_800, rtscts: true } },
    { radio: { ...radio, path: "tcp://[::1]:6638" }, channel: 26, images: "/var/lib/images" },
    { channel: 11 },
  ])
    assert.deepEqual(readSettings(settings), settings);
});

const withRadio = (change: object): object => ({ radio: { ...radio, ...change } });
for (const [settings, message] of [
  [null, /^settings: /],
  [[], /^settings: /],
  [{ stick: "zstack" }, /^stick: is unknown$/],
  [{ radio: { stick: "zstack" } }, /^radio\.path: is missing$/],
  [{ radio: { path: "/dev/ttyUSB0" } }, /^radio\.stick: is missing$/],
  [withRadio({ stick: "zoh" }), /^radio\.stick: must be one of zstack, ember, deconz, zboss, zigate$/],
  [withRadio({ path: "ttyUSB0" }), /^radio\.path: must be a serial port/],
  [withRadio({ path: "" }), /^radio\.path: /],
  [withRadio({ path: "/dev/\0" }), /^radio\.path: /],
  [withRadio({ path: `/${"x".repeat(4096)}` }), /^radio\.path: /],
  [withRadio({ path: "tcp://127.0.0.1" }), /^radio\.path: /],
  [withRadio({ path: "tcp://127.0.0.1:0" }), /^radio\.path: /],
  [withRadio({ path: "tcp://:6638" }), /^radio\.path: /],
  [withRadio({ path: "tcp://me:secret@127.0.0.1:6638" }), /^radio\.path: /],
  [withRadio({ path: "tcp://127.0.0.1:6638/x" }), /^radio\.path: /],
  [withRadio({ path: "mdns://stick" }), /^radio\.path: /],
  [withRadio({ baudRate: 299 }), /^radio\.baudRate: /],
  [withRadio({ rtscts: 1 }), /^radio\.rtscts: /],
  [withRadio({ port: 1 }), /^radio\.port: is unknown$/],
  [{ channel: 10 }, /^channel: /],
  [{ channel: 27 }, /^channel: /],
  [{ channel: 15.5 }, /^channel: /],
  [{ images: "" }, /^images: /],
] as const)
  test(`refuses ${JSON.stringify(settings)?.slice(0, 80)} and names the field`, () => {
    assert.throws(() => readSettings(settings), { name: "AdapterError", code: "settings", message });
  });
