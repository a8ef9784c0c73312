import assert from "node:assert/strict";
import { test } from "node:test";
import { devices } from "../catalogue.ts";
import type { Lamp } from "../devices/lamp.ts";
import { octets, TestLine } from "../test-line.ts";
import { ByteReader } from "../zcl/bytes.ts";
import { status } from "../zcl/status.ts";
import { otaImage } from "./ota-image.ts";

const ota = 0x0019;
const firmware = { manufacturerCode: 0x1037, imageType: 0x0104, version: 0x0100_0002 };
const ids = octets([firmware.manufacturerCode, 2], [firmware.imageType, 2], [firmware.version, 4]);
const body = Uint8Array.from({ length: 333 }, (_, at) => at & 0xff);

/** A simple server for one image. It ends when the device sends nothing more. */
class Server {
  readonly lamp: Lamp = devices.unknownLamp("0x0017880100000004");
  readonly line = new TestLine(this.lamp);
  readonly image: Uint8Array;
  /** The requested offsets. */
  readonly offsets: number[] = [];
  /** The status of the upgrade end request. */
  ended: number | null = null;
  loses = 0;

  constructor(image: Uint8Array = otaImage(firmware, body)) {
    this.image = image;
  }

  notify(): void {
    this.#tell(0x00, octets([0, 1], [100, 1]));
    this.serve();
  }

  serve(): void {
    for (;;) {
      const asked = this.line
        .heard()
        .filter(({ cluster, header }) => cluster === ota && header.isClusterSpecific);
      if (asked.length === 0) return;
      for (const { header, payload } of asked) this.#answer(header.command, new ByteReader(payload));
    }
  }

  #answer(command: number, payload: ByteReader): void {
    if (command === 0x01) {
      this.#tell(0x02, Uint8Array.from([0, ...ids, ...octets([this.image.length, 4])]));
    } else if (command === 0x03) {
      payload.bytes(9);
      const [offset, size] = [payload.uint32(), payload.uint8()];
      this.offsets.push(offset);
      if (this.loses-- > 0) return;
      const data = this.image.subarray(offset, offset + size);
      this.#tell(0x05, Uint8Array.from([0, ...ids, ...octets([offset, 4], [data.length, 1]), ...data]));
    } else if (command === 0x06) {
      this.ended = payload.uint8();
      if (this.ended === status.success)
        this.#tell(0x07, Uint8Array.from([...ids, ...octets([0, 4], [5, 4])]));
    }
  }

  /** Puts the device's answers back into the line until they are served. */
  #tell(command: number, payload: Uint8Array): void {
    const heard = this.line.tell(ota, command, {
      payload,
      isFromServer: true,
      disablesDefaultResponse: true,
    });
    for (const one of heard) this.line.put(one);
  }
}

test("downloads new firmware block by block, checks it, and runs it after the given time", () => {
  const server = new Server();
  const upgraded: number[] = [];
  server.lamp.ota.onUpgraded = (version) => upgraded.push(version);
  server.notify();
  assert.equal(server.ended, status.success);
  assert.deepEqual(server.offsets.slice(0, 3), [0, 50, 100]);
  assert.equal(server.lamp.ota.version, 0x0100_0001);
  assert.equal(server.line.read(0x0000, 0x4000), "1.0.1");
  server.line.clock.advance(5000);
  assert.equal(server.lamp.ota.version, firmware.version);
  assert.equal(server.line.read(0x0000, 0x4000), "1.0.2");
  assert.deepEqual(upgraded, [firmware.version]);
});

const wrong: readonly [string, Uint8Array][] = [
  ["from another maker", otaImage({ ...firmware, manufacturerCode: 1 }, body)],
  ["of another type", otaImage({ ...firmware, imageType: 1 }, body)],
  ["of another version", otaImage({ ...firmware, version: 1 }, body)],
  ["cut off", otaImage(firmware, body).subarray(0, 200)],
  ["not a firmware file", Uint8Array.from({ length: 100 }, () => 7)],
  ["shorter than a header", Uint8Array.from([0x1e, 0xf1, 0xee, 0x0b])],
];
for (const [what, image] of wrong) {
  test(`refuses an image that is ${what}`, () => {
    const server = new Server(image);
    server.notify();
    assert.equal(server.ended, status.invalidImage);
    server.line.clock.advance(60_000);
    assert.equal(server.lamp.ota.version, 0x0100_0001);
  });
}

test("can refuse an update, fall silent, or give up", () => {
  const [refuses, stalls, aborts] = [new Server(), new Server(), new Server()];
  refuses.lamp.ota.fail({ refuses: true });
  stalls.lamp.ota.fail({ stallsAt: 100 });
  aborts.lamp.ota.fail({ abortsAt: 100 });
  for (const server of [refuses, stalls, aborts]) server.notify();
  assert.deepEqual([refuses.offsets, refuses.ended], [[], null]);
  assert.deepEqual([stalls.offsets, stalls.ended, stalls.lamp.ota.offset], [[0, 50], null, 100]);
  assert.deepEqual([aborts.offsets, aborts.ended], [[0, 50], status.abort]);
  aborts.lamp.ota.fail({});
  aborts.notify();
  assert.equal(aborts.ended, status.success, "the next update succeeds");
  stalls.lamp.ota.resume();
  stalls.serve();
  assert.deepEqual(stalls.offsets.slice(0, 3), [0, 50, 100], "it goes on where it fell silent");
  assert.equal(stalls.ended, status.success);
});

test("asks for a lost block again, a few times", () => {
  const server = new Server();
  server.loses = 1;
  server.notify();
  assert.deepEqual(server.offsets, [0]);
  server.line.clock.advance(5000);
  server.serve();
  assert.equal(server.ended, status.success);
  const deaf = new Server();
  deaf.loses = Infinity;
  deaf.notify();
  for (let count = 0; count < 20; count++) {
    deaf.line.clock.advance(5000);
    deaf.serve();
  }
  assert.deepEqual(deaf.offsets, [0, 0, 0, 0]);
  assert.equal(deaf.lamp.ota.isDownloading, false);
});

test("loses a download without power", () => {
  const server = new Server();
  server.lamp.ota.fail({ stallsAt: 100 });
  server.notify();
  server.lamp.power(false);
  server.lamp.power(true);
  assert.equal(server.lamp.ota.isDownloading, false);
});
