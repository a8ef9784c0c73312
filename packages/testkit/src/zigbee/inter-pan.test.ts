import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wire } from "./bytes.ts";
import { devices } from "./device/index.ts";
import { Listener, joinedDevice, rawWorld, reading, type RawWorld } from "./znp/test-host.ts";
import { addressMode, status, subsystem } from "./znp/znp.ts";

const { af } = subsystem;
const lamp = "0x00178801000000aa";
const [ownEndpoint, interPanEndpoint, touchlink] = [12, 0xfe, 0x1000];
const scan = [0x11, 0, 0x00, 1, 2, 3, 4, 4, 18];

function control(world: RawWorld, operation: number, ...data: readonly number[]): number | undefined {
  return world.host.answer(af, 0x10, wire().u8(operation, ...data))[0];
}

/** Sends a ZCL frame on the tuned channel. Returns the status of the response. */
function send(world: RawWorld, zcl: readonly number[], to: string | null = null): number | undefined {
  const head = wire().u8(to === null ? addressMode.short : addressMode.ieee);
  if (to === null) head.u16(0xffff, 0, 0, 0);
  else head.ieee(to as `0x${string}`);
  head.u8(interPanEndpoint).u16(0xffff).u8(ownEndpoint).u16(touchlink).u8(7, 0, 30);
  return world.host.answer(af, 0x02, head.u16(zcl.length).u8(...zcl))[0];
}

/** The bytes of ZCL answers that the host got, and who sent them. */
function heard(world: RawWorld): { from: string; zcl: readonly number[] }[] {
  return world.host.take(af, 0x82).map((data) => {
    const incoming = reading(data);
    assert.deepEqual([incoming.u16(), incoming.u16(), incoming.u8()], [0, touchlink, addressMode.ieee]);
    const from = incoming.ieee();
    assert.deepEqual([incoming.u8(), incoming.u16(), incoming.u8()], [interPanEndpoint, 0xffff, ownEndpoint]);
    incoming.bytes(8);
    return { from, zcl: [...incoming.bytes(incoming.u16())] };
  });
}

function tuned(channel: number): RawWorld {
  const world = rawWorld();
  world.air.add(devices.lamp(lamp));
  assert.equal(control(world, 2, ownEndpoint), 0);
  assert.equal(control(world, 1, channel), 0);
  return world;
}

describe("inter-PAN frames", () => {
  test("find a lamp in factory state on the channel on which it listens, and on no other", () => {
    for (const [channel, answers] of [
      [11, 1],
      [15, 0],
    ] as const) {
      const world = tuned(channel);
      assert.equal(send(world, scan), 0);
      world.host.pass();
      assert.equal(world.host.confirmed(), 0);
      const found = heard(world);
      assert.equal(found.length, answers);
      assert.deepEqual(found[0]?.zcl.slice(0, 7), answers ? [0x19, 0, 0x01, 1, 2, 3, 4] : undefined);
      if (answers) assert.equal(found[0]?.from, lamp);
    }
  });

  test("find a lamp of the network on its channel, identify it and reset it", () => {
    const world = rawWorld();
    const { air, host } = world;
    const bulb = devices.lamp(lamp);
    air.add(bulb);
    host.permit(60);
    air.seek(lamp);
    host.pass();
    host.told.length = 0;
    control(world, 2, ownEndpoint);
    control(world, 1, 15);
    send(world, scan);
    host.pass();
    assert.equal(heard(world).length, 1);
    send(world, [0x11, 0, 0x06, 1, 2, 3, 4, 0xff, 0xff], lamp);
    host.pass();
    assert.equal(bulb.identify.isIdentifying, true);
    send(world, [0x11, 0, 0x07, 1, 2, 3, 4], lamp);
    host.pass();
    assert.equal(air.nwkOf(lamp), undefined);
    assert.equal(air.log.count({ kind: "inter-PAN", to: lamp }), 2);
  });

  test("do nothing in a transaction that the lamp does not know, that is over, or that ends too early", () => {
    const world = rawWorld();
    const { air, host } = world;
    air.add(devices.lamp(lamp));
    host.permit(60);
    air.seek(lamp);
    control(world, 2, ownEndpoint);
    control(world, 1, 15);
    send(world, scan);
    send(world, [0x11, 0, 0x07, 9, 9, 9, 9], lamp);
    send(world, [0x11, 0, 0x07, 1, 2], lamp);
    send(world, [0x11], lamp);
    host.pass(8001);
    send(world, [0x11, 0, 0x07, 1, 2, 3, 4], lamp);
    host.pass();
    assert.notEqual(air.nwkOf(lamp), undefined);
  });

  test("are not acknowledged by a lamp that is far away, off, or not there", () => {
    const world = tuned(11);
    world.air.add(devices.lamp("0x00178801000000bb"), { lqi: 100 });
    const confirms = [lamp, "0x00178801000000bb", "0x00178801000000cc"].map((to) => {
      send(world, scan, to);
      world.host.pass();
      return world.host.confirmed();
    });
    assert.deepEqual(confirms, [0, status.noAck, status.noAck]);
    world.air.power(lamp, false);
    send(world, scan, lamp);
    world.host.pass();
    assert.equal(world.host.confirmed(), status.noAck);
  });

  test("keep the radio away from its network until it is tuned back", () => {
    const world = rawWorld();
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    control(world, 1, 20);
    world.host.send(nwk, [1]);
    world.host.pass();
    assert.deepEqual([device.take(), world.host.confirmed()], [[], status.noAck]);
    control(world, 0);
    world.host.send(nwk, [1]);
    world.host.pass();
    assert.deepEqual([device.take(), world.host.confirmed()], [[[1]], 0]);
  });

  test("need a registered endpoint", () => {
    const world = rawWorld();
    assert.equal(control(world, 3, 0xff, 0xff, ownEndpoint), status.failure);
    assert.equal(send(world, scan), status.invalidParameter);
    control(world, 2, ownEndpoint);
    assert.equal(control(world, 3, 0xff, 0xff, ownEndpoint), 0);
    assert.equal(send(world, scan), 0);
  });
});
