import assert from "node:assert/strict";
import { test } from "node:test";
import { knownSticks } from "./known-sticks.ts";
import type { SerialPort } from "./list.ts";
import { matchStick } from "./match.ts";
import { rulesSay } from "./testdata/udev.ts";
import { examples } from "./testdata/examples.ts";

const nothing: SerialPort = {
  path: "/dev/ttyUSB0",
  node: "/dev/ttyUSB0",
  byId: null,
  byPath: null,
  vendorId: null,
  productId: null,
  manufacturer: null,
  product: null,
  serialNumber: null,
  interfaceNumber: null,
  driver: null,
};

function port(usb: string, byId: string | null, more: Partial<SerialPort> = {}): SerialPort {
  const [vendorId = "", productId = ""] = usb.split(":");
  const [, number] = /-if([0-9a-f]{2})/.exec(byId ?? "") ?? [];
  const interfaceNumber = number === undefined ? null : Number.parseInt(number, 16);
  return { ...nothing, vendorId, productId, byId, interfaceNumber, ...more };
}

const matched = (of: SerialPort): unknown => {
  const match = matchStick(of);
  return match && [match.stick.id, match.certainty];
};

test("every known stick has an example for each of its ids", () => {
  const shown = new Set(examples.map(({ id, usb }) => `${id} ${usb}`));
  const missing = knownSticks
    .flatMap(({ id, usb }) => usb.map((ids) => `${id} ${ids}`))
    .filter((row) => !shown.has(row));
  assert.deepEqual(missing, []);
});

for (const { id, usb, byId, manufacturer, certainty = "sure" } of examples) {
  const stick = knownSticks.find((known) => known.id === id);
  test(`recognises ${usb} ${byId} as ${certainty === "sure" ? "" : `${certainty} `}${stick?.name}`, () => {
    assert.deepEqual(matched(port(usb, byId, { manufacturer })), [id, certainty]);
  });

  test(`udev's rules and the hub agree on ${byId}`, () => {
    assert.equal(rulesSay(port(usb, byId, { manufacturer })), stick?.unconfirmed === true ? undefined : id);
  });
}

test("recognises a stick in a container, without by-id, by what it reports", () => {
  const said = {
    manufacturer: "Silicon Labs",
    product: "Sonoff Zigbee 3.0 USB Dongle Plus",
    serialNumber: "b8b4",
  };
  assert.deepEqual(matched(port("10c4:ea60", null, said)), ["zbdongle-p", "likely"]);
  assert.deepEqual(matched(port("10c4:ea60", null, { ...said, manufacturer: "ITEAD" })), [
    "zbdongle-p",
    "sure",
  ]);
});

test("a name alone makes a match likely; a manufacturer alone does not match", () => {
  const byId = "usb-Nabu_Casa_SkyConnect_v1.0_3abe54797c91ed118fc3cad13b20a111-if00-port0";
  assert.deepEqual(matched(port("10c4:ea60", byId)), ["skyconnect", "likely"]);
  assert.equal(
    matched(port("10c4:ea60", "usb-Other_Thing_1-if00-port0", { manufacturer: "Nabu Casa" })),
    undefined,
  );
});

const lookAlikes: readonly [what: string, port: SerialPort][] = [
  ["a bare CP2102 of another maker", port("10c4:ea60", "usb-Acme_CP2102_USB_to_UART_0001-if00-port0")],
  ["a CP2102 that reports nothing", port("10c4:ea60", null)],
  ["a CH9102 in a virtual machine", port("1a86:55d4", "usb-1a86_USB_Single_Serial_54DD002111-if00")],
  ["a bare CH340", port("1a86:7523", "usb-1a86_USB_Serial-if00-port0")],
  ["an FTDI chip of an RS-485 adapter", port("0403:6001", "usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0")],
  ["an FT-X chip", port("0403:6015", "usb-FTDI_FT230X_Basic_UART_D30A1B2C-if00-port0")],
  ["a PL2303 cable", port("067b:2303", "usb-Prolific_Technology_Inc._USB-Serial_Controller-if00-port0")],
  [
    "an ESP32 with TinyUSB",
    port("303a:4001", "usb-Espressif_ESP32-S3_123456-if00", { manufacturer: "Espressif" }),
  ],
  [
    "a sample of Zephyr",
    port("2fe3:0100", "usb-ZEPHYR_CDC_ACM_sample_1234-if00", { manufacturer: "ZEPHYR" }),
  ],
  ["the second port of a LaunchPad", port("0451:bef3", "usb-Texas_Instruments_XDS110_L1-if03")],
  [
    "the Zigbee port of the HUSBZB-1",
    port("10c4:8a2a", "usb-Silicon_Labs_HubZ_Smart_Home_Controller_C1-if01-port0"),
  ],
  ["the right name with the wrong ids", port("dead:beef", "usb-Nabu_Casa_ZBT-2_10B41DE58D6C-if00")],
  ["a UART of the board", nothing],
];

for (const [what, of] of lookAlikes) {
  test(`neither the hub nor udev's rules recognise ${what}`, () => {
    assert.equal(matched(of), undefined);
    assert.equal(rulesSay(of), undefined);
  });
}

test("matches very long names in reasonable time", () => {
  const byId = `usb-${"sonoff_plus_".repeat(20_000)}-if00-port0`;
  assert.equal(matched(port("10c4:ea60", byId)), undefined);
});
