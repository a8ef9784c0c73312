import assert from "node:assert/strict";
import { test } from "node:test";
import { AdapterError } from "@ledge/port";
import { readSettings } from "./settings.ts";

test("takes serial ports and addresses of serial servers", () => {
  for (const path of ["/dev/serial/by-id/usb-Zooz", "tcp://10.0.0.7:6638", "esphome://stick.local:6053"])
    assert.equal(readSettings({ radio: { path, stick: "zwave" } }).radio?.path, path);
  assert.deepEqual(readSettings({}), {});
  assert.equal(readSettings({ images: "/var/lib/images" }).images, "/var/lib/images");
});

const wrong: readonly (readonly [settings: unknown, message: RegExp])[] = [
  [null, /^settings: /],
  [7, /^settings: /],
  [[], /^settings: /],
  [{ radio: null }, /^radio: /],
  [{ radio: {} }, /^radio\.path: is missing/],
  [{ radio: { path: 7 } }, /^radio\.path: /],
  [{ radio: { path: "" } }, /^radio\.path: /],
  [{ radio: { path: "/".repeat(4097) } }, /^radio\.path: /],
  [{ radio: { path: "/dev/\0" } }, /^radio\.path: /],
  [{ radio: { path: "stick" } }, /^radio\.path: /],
  [{ radio: { path: "tcp://host" } }, /^radio\.path: /],
  [{ radio: { path: "tcp://host:0" } }, /^radio\.path: /],
  [{ radio: { path: "tcp://user@host:1" } }, /^radio\.path: /],
  [{ radio: { path: "http://host:1" } }, /^radio\.path: /],
  [{ radio: { path: "/dev/x", stick: "zstack" } }, /^radio\.stick: /],
  [{ radio: { path: "/dev/x", baud: 7 } }, /^radio\.baud: is unknown/],
  [{ radio: { path: "esphome://host:1", key: "short" } }, /^radio\.key: /],
  [{ radio: { path: "tcp://host:1", key: `${"a".repeat(43)}=` } }, /^radio\.key: belongs to/],
  [{ images: 7 }, /^images: /],
  [{ images: "" }, /^images: /],
  [{ channel: 7 }, /^channel: is unknown/],
];
for (const [settings, message] of wrong)
  test(`refuses ${(JSON.stringify(settings) ?? "").slice(0, 60)} and names the field`, () => {
    assert.throws(
      () => readSettings(settings),
      (error) => error instanceof AdapterError && error.code === "settings" && message.test(error.message),
    );
  });
