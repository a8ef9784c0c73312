import assert from "node:assert/strict";
import { test } from "node:test";
import type { HubHealth } from "@ledge/model";
import { reportOf, unnamed } from "./report.ts";

const health: HubHealth = {
  type: "HUB_HEALTH",
  at: 0,
  release: "0.2.0",
  version: "1.14.15.1",
  profile: "sim",
  upMs: 120_000,
  state: "serving",
  reason: null,
  adapters: [{ protocol: "zigbee", state: "resting", failures: 5, reason: "10.0.0.7:6638 refuses" }],
  radios: [{ port: "/dev/serial/by-id/usb-S3R1AL-if00", model: null, protocol: "zigbee", isThere: false }],
  log: {
    fileBytes: 2_097_152,
    usedBytes: 1_048_576,
    quotaBytes: null,
    quotaExceeded: false,
    bytesPerDay: 0,
    wholeSince: null,
    journalMode: "direct",
  },
  history: { state: "off", reason: null, upTo: null, usedBytes: 0, quotaBytes: null },
  disk: null,
  memory: { processBytes: 1_048_576, availableBytes: 2_097_152, totalBytes: 4_194_304 },
  clock: { trusted: true },
  cloud: { url: "https://cloud.ann.example.org", connected: false, clone: null },
  https: {
    served: false,
    problem: `cannot read ${["", "home", "ann", "cert.pem"].join("/")}`,
    until: null,
    expiry: null,
  },
  lost: [],
  counts: { device: 3 },
  troubles: [
    {
      code: "RADIO_GONE",
      level: "error",
      of: "zigbee",
      text: "Der Stick fehlt.",
      remedy: "Einstecken.",
      reason: "/dev/serial/by-id/usb-S3R1AL-if00",
    },
  ],
};

test("a report says in English what fares how, without names and addresses", () => {
  assert.equal(
    reportOf(health),
    `Ledge 0.2.0, API 1.14.15.1, profile sim
at 1970-01-01T00:00:00.000Z, up 2 min
state serving
adapter zigbee: resting, 5 failures (<address> refuses)
radio zigbee: unknown, gone
log 2 MiB, used 1 MiB of any, journal direct
history off
disk unknown
memory 1 MiB, free 2 MiB of 4 MiB
clock trusted
cloud not connected
https not served (cannot read /home/<user>/cert.pem)
3 device
trouble RADIO_GONE zigbee (<stick>)`,
  );
});

for (const [text, without] of [
  ["ann.lee+x@mail.example.org wrote", "<mail> wrote"],
  ["https://hub.example.org/a?b=c, then", "<address>, then"],
  ["tcp://10.0.0.7:6638 is away", "<address> is away"],
  ["no route to 192.168.1.9", "no route to <address>"],
  ["radio 0x00124b0024c1f1e2 left", "radio <serial> left"],
  ["radio 00:12:4b:00:24:c1:f1:e2", "radio <serial>"],
  ["ledge-0a1b2c.local has it", "<address> has it"],
  ["release 1.14.15.1234 of 2 adapters", "release 1.14.15.1234 of 2 adapters"],
] as const)
  test(`${text} is told as ${without}`, () => assert.equal(unnamed(text), without));
