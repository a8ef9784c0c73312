import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SimulatedClock } from "../../simulated-clock.ts";
import { hexOf, wire } from "../bytes.ts";
import { SimulatedAir } from "../simulated-air.ts";
import { Stick } from "./stick.ts";
import { Listener, RawHost, joinedDevice, rawWorld, reading } from "./test-host.ts";
import { subsystem } from "./znp.ts";

const { sys, af, zdo, util, appConfig, rpc } = subsystem;

function freshHost(): RawHost {
  const clock = new SimulatedClock();
  return new RawHost(new Stick({ air: new SimulatedAir({ clock }) }), clock);
}

describe("the stick itself", () => {
  test("reports its version and address", () => {
    const host = freshHost();
    assert.equal(host.answer(sys, 0x01).length, 2);
    const version = reading(host.answer(sys, 0x02));
    assert.deepEqual([version.u8(), version.u8()], [2, 1]);
    assert.equal(reading(host.answer(sys, 0x04)).ieee(), "0x00124b0000000001");
  });

  test("answers an unknown or unreadable request with an error that names it", () => {
    const host = freshHost();
    const unknown = host.ask(sys, 0x7f);
    assert.deepEqual([unknown?.subsystem, [...(unknown?.data ?? [])]], [rpc, [2, 0x21, 0x7f]]);
    assert.deepEqual([...(host.ask(0x1e, 1)?.data ?? [])], [1, 0x3e, 1]);
    assert.deepEqual([...(host.ask(sys, 0x13, wire().u8(1))?.data ?? [])], [4, 0x21, 0x13]);
  });

  test("announces a reset with its reason, and power without a request", () => {
    const host = freshHost();
    assert.equal(host.ask(sys, 0x00, wire().u8(1)), null);
    host.stick.power(false);
    assert.equal(host.ask(sys, 0x01), null);
    host.stick.power(true);
    assert.deepEqual(
      host.take(sys, 0x80).map(([reason]) => reason),
      [2, 0],
    );
  });

  test("tunes its transmit power within its range", () => {
    const host = freshHost();
    host.answer(sys, 0x0f, wire().u8(0, 8));
    assert.equal(host.stick.txPower, 8);
    assert.deepEqual([...host.answer(sys, 0x0f, wire().u8(0, 120))], [20]);
    host.answer(sys, 0x0f, wire().u8(0, -3));
    assert.equal(host.stick.txPower, -3);
  });

  test("stops serving a host when another opens the port", () => {
    const host = freshHost();
    const other = host.stick.connect(() => {});
    assert.equal(host.ask(sys, 0x01), null);
    other.close();
    assert.equal(host.ask(sys, 0x01), null);
  });
});

describe("its memory", () => {
  test("creates items, writes them, reads them in parts, and deletes them by length", () => {
    const host = freshHost();
    const id = 0x0f00;
    assert.equal(reading(host.answer(sys, 0x13, wire().u16(id))).u16(), 0);
    assert.deepEqual([...host.answer(sys, 0x1c, wire().u16(id, 0))], [0x0a, 0]);
    assert.deepEqual([...host.answer(sys, 0x07, wire().u16(id, 300).u8(2, 7, 8))], [0x09]);
    assert.deepEqual([...host.answer(sys, 0x07, wire().u16(id, 300).u8(0))], [0]);
    assert.equal(reading(host.answer(sys, 0x13, wire().u16(id))).u16(), 300);
    assert.deepEqual([...host.answer(sys, 0x1d, wire().u16(id, 299, 1).u8(9))], [0]);
    assert.deepEqual([...host.answer(sys, 0x1d, wire().u16(id, 300, 1).u8(9))], [0x0a]);
    assert.deepEqual([...host.answer(sys, 0x1c, wire().u16(id, 298))], [0, 2, 0xff, 9]);
    assert.equal(host.answer(sys, 0x1c, wire().u16(id, 0)).length, 250);
    assert.deepEqual([...host.answer(sys, 0x12, wire().u16(id, 299))], [0x0c]);
    assert.deepEqual([...host.answer(sys, 0x12, wire().u16(id, 300))], [0]);
    assert.equal(reading(host.answer(sys, 0x13, wire().u16(id))).u16(), 0);
  });

  test("has one entry per sub-item in tables, up to its size", () => {
    const host = new RawHost(new Stick({ air: new SimulatedAir(), tableSize: 3 }), new SimulatedClock());
    const lengths = [0, 1, 2, 3].map((sub) =>
      reading(host.answer(sys, 0x32, wire().u8(1).u16(1, sub))).u32(),
    );
    assert.deepEqual(lengths, [12, 12, 12, 0]);
    const at = wire().u8(1).u16(1, 2, 0).u8(2, 3, 4);
    assert.deepEqual([...host.answer(sys, 0x34, at)], [0]);
    assert.deepEqual([...host.answer(sys, 0x33, wire().u8(1).u16(1, 2, 0).u8(2))], [0, 2, 3, 4]);
    assert.deepEqual([...host.answer(sys, 0x30, wire().u8(1).u16(9, 0).u32(5))], [0]);
    assert.equal(reading(host.answer(sys, 0x32, wire().u8(1).u16(9, 0))).u32(), 5);
    assert.deepEqual([...host.answer(sys, 0x31, wire().u8(1).u16(9, 0))], [0]);
    assert.deepEqual([...host.answer(sys, 0x31, wire().u8(1).u16(9, 0))], [0x0a]);
  });

  test("stores the network in ARM layout, and keeps it without power", () => {
    const { host, air } = rawWorld();
    const base = Buffer.from(host.answer(sys, 0x1c, wire().u16(0x21, 0)).slice(2));
    assert.deepEqual([base.length, base.readUInt16LE(36), base[24]], [116, 0x1a63, 15]);
    host.stick.power(false);
    assert.equal(host.stick.network?.panId, undefined);
    const again = new RawHost(new Stick({ air, nvram: host.stick.save() }), new SimulatedClock());
    assert.equal(again.stick.network?.panId, undefined);
    assert.deepEqual([...again.answer(zdo, 0x40, wire().u16(100))], [0]);
    assert.equal(again.stick.network?.panId, 0x1a63);
    assert.deepEqual(
      again.take(zdo, 0xc0).map(([state]) => state),
      [8, 9],
    );
  });

  test("starts no network when none is stored", () => {
    const host = freshHost();
    assert.deepEqual([...host.answer(zdo, 0x40, wire().u16(100))], [2]);
    const info = reading(host.answer(util, 0x00));
    assert.deepEqual(
      [info.u8(), info.ieee(), info.u16(), info.u8(), info.u8()],
      [0, "0x00124b0000000001", 0, 7, 0],
    );
  });

  test("clears network and settings at the reset after startup option 3, but keeps the address", () => {
    const { host } = rawWorld();
    host.answer(sys, 0x1d, wire().u16(0x03, 0, 1).u8(3));
    host.ask(sys, 0x00, wire().u8(1));
    assert.equal(reading(host.answer(sys, 0x13, wire().u16(0x21))).u16(), 0);
    assert.equal(reading(host.answer(sys, 0x13, wire().u16(0x83))).u16(), 0);
    assert.equal(reading(host.answer(sys, 0x04)).ieee(), "0x00124b0000000001");
  });
});

describe("a network", () => {
  test("is formed on the quietest allowed channel, even beside one with the same PAN id on another channel", () => {
    const { air } = rawWorld();
    air.energy.set(15, 200).set(20, 90);
    const host = new RawHost(new Stick({ air, ieee: "0x00124b0000000002" }), new SimulatedClock());
    host.answer(sys, 0x07, wire().u16(0x83, 2).u8(2).u16(0x1a63));
    const mask = (1 << 15) | (1 << 20) | (1 << 25);
    host.answer(appConfig, 0x08, wire().u8(1).u32(mask));
    host.answer(appConfig, 0x05, wire().u8(4));
    assert.deepEqual([host.stick.network?.channel, host.stick.network?.panId], [25, 0x1a63]);
  });

  test("takes the next PAN id when another network has it on the channel", () => {
    const { air } = rawWorld();
    const host = new RawHost(new Stick({ air, ieee: "0x00124b0000000002" }), new SimulatedClock());
    host.form();
    assert.equal(host.stick.network?.panId, 0x1a64);
    const info = reading(host.answer(zdo, 0x50));
    assert.deepEqual([info.u16(), info.u8(), info.u16()], [0, 9, 0x1a64]);
  });

  test("closes after its time and tells the host", () => {
    const { host, air } = rawWorld();
    const device = new Listener(1);
    air.add(device);
    host.permit(10);
    assert.equal(host.stick.isOpen, true);
    host.pass(10_000);
    assert.equal(host.stick.isOpen, false);
    assert.equal(air.join(device.ieee), false);
    assert.deepEqual(
      host.take(zdo, 0xcb).map(([seconds]) => seconds),
      [10, 0],
    );
  });

  test("is joined by a seeking device when it opens", () => {
    const { host, air } = rawWorld();
    const device = new Listener(1);
    air.add(device);
    air.seek(device.ieee);
    assert.equal(air.nwkOf(device.ieee), undefined);
    host.permit(10);
    host.pass();
    const [joined] = host.take(zdo, 0xca);
    const [announced] = host.take(zdo, 0xc1);
    const nwk = air.nwkOf(device.ieee);
    const [inJoin, inAnnouncement] = [reading(joined), reading(announced)];
    assert.deepEqual([inJoin.u16(), inJoin.ieee(), inJoin.u16()], [nwk, device.ieee, 0]);
    assert.deepEqual(
      [inAnnouncement.u16(), inAnnouncement.u16(), inAnnouncement.ieee(), inAnnouncement.u8()],
      [nwk, nwk, device.ieee, 0x8e],
    );
  });

  test("takes no further device when the stick's tables are full", () => {
    const world = rawWorld({ tableSize: 1 });
    joinedDevice(world, new Listener(1));
    const second = new Listener(2);
    world.air.add(second);
    world.host.permit(60);
    assert.equal(world.air.join(second.ieee), false);
    world.air.leave("0x000b57ff00000001");
    assert.equal(world.air.join(second.ieee), true);
  });

  test("changes the channel; sleepers follow at their next poll", () => {
    const world = rawWorld();
    const { host, air } = world;
    const [router, sleeper] = [new Listener(1), new Listener(2, "sleepy")];
    joinedDevice(world, router);
    joinedDevice(world, sleeper, { awakeAfterJoinMs: 0, awakeAfterSendMs: 0 });
    const request = wire()
      .u16(0xffff)
      .u8(15)
      .u32(1 << 20)
      .u8(0xfe, 0)
      .u16(0);
    host.answer(zdo, 0x37, request);
    host.pass(1000);
    assert.equal(host.stick.network?.channel, 20);
    assert.equal(air.node(router.ieee).place?.network.channel, 20);
    assert.equal(air.node(sleeper.ieee).place?.network.channel, 15);
    air.poll(sleeper.ieee);
    assert.equal(air.node(sleeper.ieee).place?.network.channel, 20);
    host.pass();
    assert.equal(host.take(zdo, 0xc1).length, 1);
    assert.equal(Buffer.from(host.answer(sys, 0x1c, wire().u16(0x21, 0)).slice(2))[24], 20);
  });

  test("measures energy on the requested channels", () => {
    const { host, air } = rawWorld();
    air.energy.set(11, 40).set(26, 250);
    const mask = (1 << 11) | (1 << 12) | (1 << 26);
    host.answer(zdo, 0x37, wire().u16(0).u8(2).u32(mask).u8(3, 1).u16(0));
    const [notify] = host.take(zdo, 0xb8);
    const scan = reading(notify);
    assert.deepEqual([scan.u16(), scan.u8(), scan.u32()], [0, 0, mask]);
    assert.deepEqual([scan.u16(), scan.u16(), hexOf(scan.rest())], [0, 0, "032800fa"]);
  });

  test("finds, counts and removes groups of the stick's endpoints", () => {
    const { host } = rawWorld();
    assert.deepEqual([...host.answer(zdo, 0x4a, wire().u8(242).u16(0x0b84))], [1, 0x84, 0x0b, 0]);
    host.answer(zdo, 0x4b, wire().u8(242).u16(0x0b84).u8(0));
    assert.deepEqual([...host.answer(zdo, 0x4a, wire().u8(242).u16(0x0b84))], [0, 0x84, 0x0b, 0]);
    assert.deepEqual([...host.answer(zdo, 0x49, wire().u8(242))], [1, 0x84, 0x0b]);
    assert.deepEqual([...host.answer(zdo, 0x4c)], [1]);
    assert.deepEqual([...host.answer(zdo, 0x47, wire().u8(242).u16(0x0b84))], [0]);
    assert.deepEqual([...host.answer(zdo, 0x47, wire().u8(242).u16(0x0b84))], [1]);
  });

  test("registers an endpoint only once", () => {
    const { host } = rawWorld();
    assert.deepEqual([...host.answer(af, 0x00, wire().u8(1).u16(0x0104, 5).u8(0, 0, 0, 0))], [1]);
    host.answer(zdo, 0x05, wire().u16(0, 0));
    assert.deepEqual(host.take(zdo, 0x85).map(hexOf), ["00000000000101"]);
    assert.deepEqual([...host.answer(af, 0x04, wire().u8(1))], [0]);
    assert.equal(host.send(1, [1]), 2);
  });
});
