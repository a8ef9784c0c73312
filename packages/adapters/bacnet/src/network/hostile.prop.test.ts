import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { freePort, seededRandom } from "@ledge/testkit";
import { BacnetDevice } from "@ledge/testkit/bacnet";
import { startRig } from "../testdata/rig.ts";

/** Requests that the server understands, and messages and answers that the client does, as APDUs. */
const samples = [
  "00050b0c0c0200004d194b",
  "00050b0e0c0200004d1e09081f",
  "00050b0f0c0100000119553e91013f4908",
  "00050b0509051c010000012900393c",
  "00050b0109051c0200004d2c00000001390a4e09552e44419c00002f4f",
  "1008",
  "1000c40200004d2205c491032203e7",
  "10073d0500486f7573",
  "1006a47c0b1b05b40c000000",
  "100209051c0200004d2c00000001390a4e09552e44419c00002f4f",
  "30010c0c0000000119553e44419c00003f",
  "30010e0c000000011e29554e44419c00004f1f",
  "50010c91029120",
  "600109",
  "710104",
].map((hex) => Buffer.from(hex, "hex"));

/** Forwarded-NPDUs from nobody's BBMD: a sender at port 0, one on this host, and one cut off. */
const forwarded = [
  "810400100a00000100000104000501630a",
  "810400157f0000010009010400050b0c0c0200004d194b",
  "810400080a000001",
].map((hex) => {
  const frame = Buffer.from(hex, "hex");
  frame.writeUInt16BE(frame.length, 2);
  return frame;
});

const cases = Number(process.env["CASES"] ?? 2000);

const seed = Number(process.env["SEED"] ?? Date.now() % 100_000);

test(`a hub that gets malformed frames goes on answering, and its library is never surprised (SEED=${seed})`, async () => {
  const below = seededRandom(seed);
  const port = await freePort("udp");
  const rig = await startRig({ host: "127.0.0.1", port: 0, timeoutMs: 200, retries: 0 });
  const state = { reachable: true, temperature: 20, isOn: true };
  const lamp = { id: "l", name: "Lamp", class: "LIGHT", capabilities: ["ON_OFF"], state };
  const settings = {
    deviceId: 77,
    deviceName: "House",
    port,
    broadcast: false,
    timeZone: "UTC",
    version: "1",
  };
  await rig.ask({ type: "SERVE_HOME", full: true, devices: [["l", lamp]], bacnet: settings });
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const client = new BacnetDevice(9, []);
  await client.up();
  const memory = process.memoryUsage.rss();
  for (let number = 0; number < cases; number++) {
    const apdu = samples[below(samples.length)] as Buffer;
    const frame = below(20) === 0 ? (forwarded[below(forwarded.length)] as Buffer) : framed(apdu, below);
    socket.send(frame, port, "127.0.0.1");
    if (number % 50 !== 49) continue;
    let answer: Buffer | undefined;
    // UDP may drop a frame, and a loaded machine more of them.
    for (let attempt = 0; answer === undefined && attempt < 10; attempt++)
      answer = await client.ask(port, [0, 5, 1, 12, 0x0c, 2, 0, 0, 77, 0x19, 75]);
    assert.equal(answer?.[0], 0x30, `seed ${seed}, case ${number}: no answer`);
  }
  const surprises = rig.complaints.filter((each) => each.includes("library failed"));
  assert.deepEqual(surprises, [], `seed ${seed}`);
  const grown = (process.memoryUsage.rss() - memory) / 2 ** 20;
  assert.ok(grown < 200, `seed ${seed}: ${Math.round(grown)} MB more`);
  socket.close();
  await client.down();
  await rig.adapter.stop();
});

/** Returns a frame with up to three changes: bytes, a cut, a length of four octets, the rest of another. */
function framed(apdu: Buffer, below: (count: number) => number): Buffer {
  let bytes: Buffer = Buffer.from(apdu);
  for (let changes = below(4); changes > 0; changes--) {
    const at = below(bytes.length + 1);
    const kind = below(4);
    if (kind === 0 && at < bytes.length) bytes[at] = below(256);
    else if (kind === 1) bytes = bytes.subarray(0, at);
    else {
      const other = samples[below(samples.length)] as Buffer;
      const long = Buffer.from([
        below(2) === 0 ? 0x65 : below(16) * 16 + 5 + 8 * below(2),
        0xff,
        0x7f,
        0xff,
        0xff,
        0xff,
      ]);
      const more = kind === 2 ? long : other.subarray(below(other.length));
      bytes = Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
    }
  }
  const frame = Buffer.concat([Buffer.from([0x81, below(8) === 0 ? 0x0b : 0x0a, 0, 0, 1, 4]), bytes]);
  frame.writeUInt16BE(below(50) === 0 ? below(0xffff) : frame.length, 2);
  return frame;
}
