import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SimulatedClock } from "../simulated-clock.ts";
import { wire } from "./bytes.ts";
import { devices } from "./device/index.ts";
import { SimulatedAir } from "./simulated-air.ts";
import { Stick } from "./znp/stick.ts";
import { Listener, RawHost, joinedDevice, rawWorld } from "./znp/test-host.ts";
import { status, subsystem } from "./znp/znp.ts";

const { af, zdo } = subsystem;
const timed = { isTimed: true } as const;
const wide = { ...timed, broadcasts: { entries: Infinity } } as const;
const asleep = { awakeAfterJoinMs: 0, awakeAfterSendMs: 0 };
const awake = { awakeAfterJoinMs: 600_000 };

describe("a timed air", () => {
  test("takes more time over each hop, and confirms a frame after the first", () => {
    const world = rawWorld({}, wide);
    const { host } = world;
    const [router, lamp] = [new Listener(1), new Listener(2)];
    joinedDevice(world, router);
    const nwk = joinedDevice(world, lamp, { parent: router.ieee });
    host.send(nwk, [1, 2, 3]);
    host.pass(2.5);
    assert.equal(host.confirmed(), undefined);
    let ms = 2.5;
    for (; lamp.heard.length === 0 && ms < 100; ms += 0.1) host.pass(0.1);
    assert.equal(host.confirmed(), 0);
    assert.ok(ms > 2 * 2.59 && ms < 2 * 4.84 + 0.2, `${ms} ms`);
  });

  test("gives an awake sleepy device its frames when it polls, every 100 ms", () => {
    const world = rawWorld({}, wide);
    const { host } = world;
    const device = new Listener(1, "sleepy");
    const nwk = joinedDevice(world, device, awake);
    const waits: number[] = [];
    for (let sent = 0; sent < 40; sent += 1) {
      host.send(nwk, [1]);
      let ms = 0;
      for (; device.heard.length === 0 && ms < 400; ms += 1) host.pass(1);
      assert.deepEqual([device.take(), host.confirmed()], [[[1]], 0]);
      waits.push(ms);
      host.pass(sent * 17);
    }
    assert.ok(Math.min(...waits) < 40 && Math.max(...waits) > 80, waits.join());
    assert.ok(Math.max(...waits) <= 100 + 12, waits.join());
  });

  test("lets an awake sleepy device poll again when its poll was lost", () => {
    const world = rawWorld({}, wide);
    const { host, air } = world;
    const device = new Listener(1, "sleepy");
    const nwk = joinedDevice(world, device, awake);
    host.pass(1000);
    air.lossPercent = 100;
    host.send(nwk, [1]);
    host.pass(1000);
    assert.deepEqual([device.take(), host.confirmed()], [[], undefined]);
    air.lossPercent = 0;
    host.pass(500);
    assert.deepEqual([device.take(), host.confirmed()], [[[1]], 0]);
  });

  test("tells a sleeping device's silence only after its parent has given up", () => {
    const world = rawWorld({}, wide);
    const device = new Listener(1, "sleepy");
    const nwk = joinedDevice(world, device, asleep);
    world.host.send(nwk, [1]);
    world.host.pass(7679);
    assert.equal(world.host.confirmed(), undefined);
    world.host.pass(2);
    assert.equal(world.host.confirmed(), status.transactionExpired);
  });

  test("spreads a group frame through routers, each of which passes it on", () => {
    const world = rawWorld({}, wide);
    const { host, air } = world;
    const lamps = [1, 2, 3].map((number) => new Listener(number));
    joinedDevice(world, lamps[0] as Listener);
    joinedDevice(world, lamps[1] as Listener, { parent: lamps[0]?.ieee ?? "0x" });
    joinedDevice(world, lamps[2] as Listener, { parent: lamps[1]?.ieee ?? "0x" });
    for (const lamp of lamps) lamp.groups.add(7);
    host.sendToGroup(7, [1]);
    host.pass(6);
    assert.deepEqual(
      lamps.map((lamp) => lamp.take().length),
      [1, 0, 0],
    );
    host.pass(200);
    assert.deepEqual(
      lamps.map((lamp) => lamp.take().length),
      [0, 1, 1],
    );
    assert.equal(air.log.count({ kind: "group", from: null }), 1);
  });

  test("repeats a group frame until its routers have passed it on", () => {
    const world = rawWorld({}, { ...wide, seed: 4 });
    const { host, air } = world;
    const lamps = Array.from({ length: 12 }, (_, number) => new Listener(number + 1));
    for (const lamp of lamps) joinedDevice(world, lamp);
    for (const lamp of lamps) lamp.groups.add(7);
    air.lossPercent = 30;
    let missed = 0;
    for (let turn = 0; turn < 20; turn += 1) {
      host.sendToGroup(7, [1]);
      host.pass(2000);
      for (const lamp of lamps) missed += 1 - lamp.take().length;
    }
    assert.equal(missed, 0);
  });

  test("has room for nine broadcasts in nine seconds; the stick refuses more", () => {
    const world = rawWorld({}, timed);
    const { host } = world;
    const device = new Listener(1);
    joinedDevice(world, device);
    device.groups.add(7);
    host.pass(9000);
    const answers = Array.from({ length: 20 }, () => {
      const answer = host.sendToGroup(7, [1]);
      host.pass(50);
      return answer;
    });
    assert.deepEqual(answers, [...Array(9).fill(0), ...Array(11).fill(status.bufferFull)]);
    assert.equal(device.take().length, 9);
    const search = wire().ieee(device.ieee).u8(0, 0);
    assert.equal(host.answer(zdo, 0x00, search)[0], status.bufferFull);
    host.pass(9000);
    assert.equal(host.sendToGroup(7, [1]), 0);
  });

  test("hears no broadcast of a device while the tables are full", () => {
    const world = rawWorld({}, timed);
    const { host, air } = world;
    const device = new Listener(1);
    joinedDevice(world, device);
    host.pass(9000);
    for (let sent = 0; sent < 9; sent += 1) host.sendToGroup(7, [1]);
    host.pass(100);
    host.told.length = 0;
    air.announce(device.ieee);
    host.pass(1000);
    assert.equal(host.take(zdo, 0xc1).length, 0);
    host.pass(9000);
    air.announce(device.ieee);
    host.pass(100);
    assert.equal(host.take(zdo, 0xc1).length, 1);
  });

  test("goes the same way twice for a seed", () => {
    const ends = [1, 2].map(() => {
      const world = rawWorld({}, { ...wide, seed: 9 });
      const lamps = Array.from({ length: 6 }, (_, number) => new Listener(number + 1));
      const addresses = lamps.map((lamp) => joinedDevice(world, lamp));
      for (const nwk of addresses) world.host.send(nwk, [1]);
      const times: number[] = [];
      for (let ms = 0; times.length < 6 && ms < 200; ms += 0.1) {
        world.host.pass(0.1);
        for (const confirm of world.host.take(af, 0x80)) times.push(ms + (confirm[0] ?? 0));
      }
      return times;
    });
    assert.equal(ends[0]?.length, 6);
    assert.deepEqual(ends[0], ends[1]);
  });
});

describe("a stick", () => {
  test("holds as many frames as it has buffers, and refuses more until one is sent", () => {
    const world = rawWorld({ buffers: 3 }, wide);
    const { host } = world;
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    const answers = [1, 2, 3, 4].map((number) => host.send(nwk, [number], number));
    assert.deepEqual(answers, [0, 0, 0, status.bufferFull]);
    host.pass(6);
    assert.equal(host.send(nwk, [5], 5), 0);
    host.pass(50);
    assert.deepEqual(device.take(), [[1], [2], [3], [5]]);
  });

  test("takes the time of its serial line for each byte", () => {
    const clock = new SimulatedClock();
    const host = new RawHost(new Stick({ air: new SimulatedAir({ clock }), baudRate: 115_200 }), clock);
    const answered = (): boolean => host.response !== null;
    assert.equal(host.ask(subsystem.sys, 0x01), null);
    // A ping has 5 bytes, its answer 7: 87 us each.
    host.pass(1);
    assert.equal(answered(), false);
    host.pass(0.1);
    assert.equal(answered(), true);
  });
});

describe("a remote that is bound to a lamp", () => {
  for (const air of [{}, wide]) {
    const title = "isTimed" in air ? "on a timed air" : "on an air without time";
    test(`switches the lamp itself; the stick hears only what is bound to it, ${title}`, () => {
      const world = rawWorld({}, air);
      const { host } = world;
      const lamp = devices.unknownLamp("0x000b57fffe0000a1");
      const remote = devices.remote("0x000b57fffe0000a2");
      for (const device of [lamp, remote]) {
        world.air.add(device);
        host.permit(60);
        host.pass(50);
        assert.equal(world.air.join(device.ieee), true);
        host.pass(50);
      }
      const nwk = world.air.nwkOf(remote.ieee) ?? 0;
      const bind = (ieee: `0x${string}`, cluster: number): void => {
        host.answer(zdo, 0x21, wire().u16(nwk).ieee(remote.ieee).u8(1).u16(cluster).u8(3).ieee(ieee).u8(1));
        host.pass(500);
      };
      bind(lamp.ieee, 6);
      host.told.length = 0;
      world.air.log.clear();
      remote.press("toggle");
      host.pass(50);
      assert.equal(lamp.isOn, true);
      assert.equal(host.take(af, 0x81).length, 0);
      assert.equal(world.air.log.count({ from: remote.ieee, to: lamp.ieee }), 1);
      bind(host.stick.ieee, 6);
      host.told.length = 0;
      remote.press("toggle");
      host.pass(50);
      assert.equal(lamp.isOn, false);
      assert.equal(host.take(af, 0x81).length, 1);
    });
  }
});
