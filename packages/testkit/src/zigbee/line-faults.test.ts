import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { hexOf, wire } from "./bytes.ts";
import { serveStick } from "../serial/serve.ts";
import { SimulatedAir } from "./simulated-air.ts";
import { Stick } from "./znp/stick.ts";
import { Listener, joinedDevice, rawWorld } from "./znp/test-host.ts";
import { encodeFrame, frameType } from "./znp/unpi.ts";
import { status, subsystem } from "./znp/znp.ts";

const { sys, af, zdo } = subsystem;
const ping = encodeFrame({ type: frameType.sreq, subsystem: sys, id: 1, data: new Uint8Array() });

test("a silent stick ignores requests and sends nothing until the faults are cleared", () => {
  const world = rawWorld();
  const device = new Listener(1);
  const nwk = joinedDevice(world, device);
  const { host } = world;
  const { faults } = host.stick;
  faults.isSilent = true;
  assert.equal(host.ask(sys, 1), null);
  assert.throws(() => host.send(nwk, [1]));
  device.line?.send({ endpoint: 1, peerEndpoint: 1, profile: 0x0104, cluster: 6, payload: Uint8Array.of(1) });
  host.pass();
  assert.deepEqual([device.take(), host.told], [[], []]);
  faults.clear();
  assert.equal(host.answer(sys, 1).length, 2);
});

test("a slow stick answers late and in order, even when it becomes fast meanwhile", () => {
  const { host } = rawWorld();
  const { faults } = host.stick;
  const got: string[] = [];
  const line = host.stick.connect((bytes) => got.push(hexOf(bytes.slice(2, 4))));
  const length = encodeFrame({ type: frameType.sreq, subsystem: sys, id: 0x13, data: Uint8Array.of(0, 0) });
  faults.delayMs = 300;
  line.receive(ping);
  host.pass(299);
  assert.deepEqual(got, []);
  faults.delayMs = 0;
  line.receive(length);
  host.pass(1);
  assert.deepEqual(got, ["6101", "6113"]);
});

test("garbled frames, halved frames and noise affect the line, not the stick", () => {
  const { host } = rawWorld();
  const { faults } = host.stick;
  faults.garble(2);
  assert.equal(host.ask(sys, 1), null);
  assert.equal(host.ask(sys, 1), null);
  assert.equal(host.answer(sys, 1).length, 2);
  let cuts = 0;
  faults.cut(() => (cuts += 1));
  assert.equal(host.ask(sys, 0x04), null);
  assert.equal(cuts, 1);
  faults.clear();
  faults.noise = Uint8Array.from({ length: 40 }, (_, index) => index);
  faults.pieces = (bytes) => [...bytes].map((byte) => Uint8Array.of(byte));
  host.ask(sys, 0x04);
  assert.equal(host.answer(sys, 1).length, 2);
});

test("frames of the stick and pieces of the host can be lost or garbled", () => {
  const { host } = rawWorld();
  const { faults } = host.stick;
  faults.lose(2);
  assert.deepEqual([host.ask(sys, 1), host.ask(sys, 1)], [null, null]);
  assert.equal(host.answer(sys, 1).length, 2);
  for (const fault of ["garbled", "lost"] as const) {
    faults.disturbHost(fault);
    assert.equal(host.ask(sys, 4), null);
    assert.equal(host.answer(sys, 4).length, 8);
  }
  faults.lose();
  faults.disturbHost("lost");
  faults.clear();
  assert.equal(host.answer(sys, 1).length, 2);
});

test("refuses requests as often as a test wants", () => {
  const world = rawWorld();
  const nwk = joinedDevice(world, new Listener(1));
  const { faults } = world.host.stick;
  faults.refuse(af, 0x01, status.bufferFull, 2);
  faults.refuse(zdo, 0x31, status.tableFull);
  assert.deepEqual(
    [1, 2, 3].map(() => world.host.send(nwk, [1])),
    [status.bufferFull, status.bufferFull, 0],
  );
  for (const _ of [1, 2, 3]) {
    assert.deepEqual([...world.host.answer(zdo, 0x31, wire().u16(0).u8(0))], [status.tableFull]);
  }
  world.host.pass();
  assert.equal(world.host.confirmed(), 0);
});

async function opened(port: number): Promise<{ socket: Socket; read: () => string }> {
  const socket = connect(port, "127.0.0.1");
  let got = Buffer.alloc(0);
  socket.on("data", (chunk) => (got = Buffer.concat([got, chunk])));
  await once(socket, "connect");
  return { socket, read: () => hexOf(got) };
}

test("a served stick can be pulled out in the middle of a frame and replaced", async (t) => {
  const air = new SimulatedAir();
  const served = await serveStick(new Stick({ air }));
  t.after(() => served.close());
  const { socket, read } = await opened(served.port);
  const isOut = served.unplugMidFrame();
  socket.write(ping);
  await once(socket, "close");
  assert.equal(read(), "fe0261");
  await isOut;
  const refused = connect(served.port, "127.0.0.1");
  const [error] = (await once(refused, "error")) as [NodeJS.ErrnoException];
  assert.equal(error.code, "ECONNREFUSED");

  await served.plug(new Stick({ air, ieee: "0x00124b0000000002" }));
  await assert.rejects(served.plug(), /a stick is already plugged in/);
  const again = await opened(served.port);
  again.socket.write(encodeFrame({ type: frameType.sreq, subsystem: sys, id: 4, data: new Uint8Array() }));
  await once(again.socket, "data");
  assert.match(again.read(), /^fe086104020000/);
});
