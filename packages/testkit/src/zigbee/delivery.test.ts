import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wire } from "./bytes.ts";
import { failing } from "./interference.ts";
import { Listener, joinedDevice, rawWorld, reading } from "./znp/test-host.ts";
import { status, subsystem } from "./znp/znp.ts";

const { af, zdo } = subsystem;
const asleep = { awakeAfterJoinMs: 0, awakeAfterSendMs: 0 };

describe("a frame to one device", () => {
  test("is confirmed when it has arrived", () => {
    const world = rawWorld();
    const { host, air } = world;
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    assert.equal(host.send(nwk, [1, 2, 3]), 0);
    assert.equal(host.confirmed(), undefined);
    host.pass();
    assert.equal(host.confirmed(), 0);
    assert.deepEqual(device.take(), [[1, 2, 3]]);
    assert.equal(air.log.count({ kind: "unicast", from: null, to: device.ieee, cluster: 6 }), 1);
  });

  test("takes the configured time", () => {
    const world = rawWorld({}, { delayMs: 30 });
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    world.host.send(nwk, [1]);
    world.host.pass(29);
    assert.deepEqual([device.take(), world.host.confirmed()], [[], undefined]);
    world.host.pass(1);
    assert.deepEqual([device.take(), world.host.confirmed()], [[[1]], 0]);
  });

  test("is not acknowledged without power or out of reach, and finds no route to an unknown address", () => {
    const world = rawWorld();
    const { host, air } = world;
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    air.power(device.ieee, false);
    host.send(nwk, [1]);
    host.pass();
    assert.equal(host.confirmed(), status.noAck);
    air.power(device.ieee, true);
    air.reach(device.ieee, false);
    host.send(nwk, [1]);
    host.pass();
    assert.equal(host.confirmed(), status.noAck);
    host.send(nwk ^ 1, [1]);
    host.pass();
    assert.equal(host.confirmed(), status.noRoute);
    assert.deepEqual(device.take(), []);
  });

  test("ends with the status that a test requests", () => {
    const world = rawWorld();
    const { host, air } = world;
    const [one, other] = [new Listener(1), new Listener(2)];
    const [first, second] = [joinedDevice(world, one), joinedDevice(world, other)];
    air.interference = failing(status.channelBusy, 1, one.ieee);
    const ends = [first, second, first].map((nwk) => {
      host.send(nwk, [1]);
      host.pass();
      return host.confirmed();
    });
    assert.deepEqual(ends, [status.channelBusy, 0, 0]);
    assert.deepEqual([one.take().length, other.take().length], [1, 1]);
  });

  test("arrives at a mute device, which does not answer", () => {
    const world = rawWorld();
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    world.air.mute(device.ieee, true);
    world.host.send(nwk, [1]);
    world.host.answer(zdo, 0x02, wire().u16(nwk, nwk));
    world.host.pass();
    assert.equal(world.host.confirmed(), 0);
    assert.deepEqual([device.take(), world.host.take(zdo, 0x82)], [[], []]);
    world.air.mute(device.ieee, false);
    world.host.answer(zdo, 0x02, wire().u16(nwk, nwk));
    world.host.pass();
    assert.equal(world.host.take(zdo, 0x82).length, 1);
  });

  test("to a device behind a router is confirmed by the router alone", () => {
    const world = rawWorld();
    const { host, air } = world;
    const [router, lamp] = [new Listener(1), new Listener(2)];
    joinedDevice(world, router);
    const nwk = joinedDevice(world, lamp, { parent: router.ieee });
    air.power(lamp.ieee, false);
    host.send(nwk, [1]);
    host.pass();
    assert.equal(host.confirmed(), 0);
    air.power(lamp.ieee, true);
    air.power(router.ieee, false);
    host.send(nwk, [1]);
    host.pass();
    assert.equal(host.confirmed(), status.noAck);
    assert.deepEqual(lamp.take(), []);
  });

  test("gets lost at the configured rate, reproducibly for a seed", () => {
    const lost = [1, 2].map(() => {
      const world = rawWorld();
      const device = new Listener(1);
      const nwk = joinedDevice(world, device);
      world.air.lossPercent = 30;
      return Array.from({ length: 200 }, () => {
        world.host.send(nwk, [1]);
        world.host.pass();
        return world.host.confirmed();
      });
    });
    const [first = []] = lost;
    const count = first.filter((code) => code === status.noAck).length;
    assert.ok(count > 30 && count < 90, `${count} of 200 lost`);
    assert.deepEqual(lost[0], lost[1]);
  });
});

describe("a sleeping device", () => {
  test("gets its frame at its next poll, which then confirms it", () => {
    const world = rawWorld();
    const device = new Listener(1, "sleepy");
    const nwk = joinedDevice(world, device, asleep);
    world.host.send(nwk, [1]);
    world.host.pass(7000);
    assert.deepEqual([device.take(), world.host.confirmed()], [[], undefined]);
    world.air.poll(device.ieee);
    assert.deepEqual([device.take(), world.host.confirmed()], [[[1]], 0]);
  });

  test("lets a frame expire when it does not poll", () => {
    const world = rawWorld();
    const device = new Listener(1, "sleepy");
    const nwk = joinedDevice(world, device, asleep);
    world.host.send(nwk, [1]);
    world.host.pass(7679);
    assert.equal(world.host.confirmed(), undefined);
    world.host.pass(1);
    assert.equal(world.host.confirmed(), status.transactionExpired);
    world.air.poll(device.ieee);
    assert.deepEqual(device.take(), []);
  });

  test("has at most three frames held for it", () => {
    const world = rawWorld();
    const device = new Listener(1, "sleepy");
    const nwk = joinedDevice(world, device, asleep);
    for (const number of [1, 2, 3, 4]) world.host.send(nwk, [number], number);
    world.host.pass();
    assert.equal(world.host.confirmed(), status.transactionOverflow);
    world.air.poll(device.ieee);
    assert.deepEqual(device.take(), [[1], [2], [3]]);
  });

  test("gets no frame that a stick held for it before a power cycle", () => {
    const world = rawWorld();
    const { host } = world;
    const device = new Listener(1, "sleepy");
    const nwk = joinedDevice(world, device, asleep);
    for (const number of [1, 2, 3]) host.send(nwk, [number], number);
    host.pass();
    host.stick.power(false);
    host.stick.power(true);
    host.answer(zdo, 0x40, wire().u16(100));
    host.register();
    host.send(nwk, [4], 4);
    host.pass(7000);
    world.air.poll(device.ieee);
    assert.deepEqual([device.take(), host.confirmed()], [[[4]], 0]);
    host.pass(7680);
    assert.equal(host.confirmed(), undefined);
  });

  test("polls after it has sent, and at its interval while frames wait", () => {
    const world = rawWorld();
    const { host } = world;
    const [sender, poller] = [new Listener(1, "sleepy"), new Listener(2, "sleepy")];
    const first = joinedDevice(world, sender, asleep);
    const second = joinedDevice(world, poller, { ...asleep, pollMs: 5000 });
    host.send(first, [1]);
    host.pass();
    sender.line?.send({
      endpoint: 1,
      peerEndpoint: 1,
      profile: 0x0104,
      cluster: 6,
      payload: Uint8Array.of(9),
    });
    host.pass();
    assert.deepEqual([sender.take(), host.confirmed()], [[[1]], 0]);
    host.send(second, [2]);
    host.pass(4999);
    assert.deepEqual(poller.take(), []);
    host.pass(2);
    assert.deepEqual(poller.take(), [[2]]);
  });
});

describe("a frame to several devices", () => {
  test("goes on the air once for a group, and reaches the endpoints in it", () => {
    const world = rawWorld();
    const { host, air } = world;
    const devices = [1, 2, 3].map((number) => new Listener(number));
    for (const device of devices) joinedDevice(world, device);
    const [member, stranger, away] = devices;
    member?.groups.add(7);
    away?.groups.add(7);
    air.power(away?.ieee ?? "0x", false);
    air.log.clear();
    host.sendToGroup(7, [1]);
    host.pass();
    assert.equal(host.confirmed(), 0);
    assert.deepEqual(member?.heard, [
      {
        endpoint: 1,
        peerEndpoint: 1,
        profile: 0x0104,
        cluster: 6,
        group: 7,
        isBroadcast: false,
        payload: Uint8Array.of(1),
      },
    ]);
    assert.deepEqual([stranger?.take(), away?.take()], [[], []]);
    assert.equal(air.log.frames.length, 1);
    assert.equal(air.log.count({ kind: "group", group: 7, from: null }), 1);
  });

  test("from a device reaches the other members of the group and the stick", () => {
    const world = rawWorld();
    const [remote, lamp] = [new Listener(1, "sleepy"), new Listener(2)];
    const nwk = joinedDevice(world, remote, asleep);
    joinedDevice(world, lamp);
    remote.groups.add(7);
    lamp.groups.add(7);
    remote.line?.sendToGroup(7, { endpoint: 1, profile: 0x0104, cluster: 6, payload: Uint8Array.of(5) });
    world.host.pass();
    assert.deepEqual([lamp.take(), remote.take()], [[[5]], []]);
    const incoming = reading(world.host.take(af, 0x81)[0]);
    assert.deepEqual([incoming.u16(), incoming.u16(), incoming.u16()], [7, 6, nwk]);
  });

  test("reaches sleeping devices only at the broadcast address that includes them", () => {
    const world = rawWorld();
    const { host } = world;
    const [lamp, sleeper] = [new Listener(1), new Listener(2, "sleepy")];
    joinedDevice(world, lamp);
    joinedDevice(world, sleeper, asleep);
    const send = (address: number): void => {
      const head = wire().u8(2).u16(address, 0, 0, 0).u8(1).u16(0).u8(1).u16(6).u8(1, 0, 30).u16(1).u8(1);
      host.answer(af, 0x02, head);
      host.pass();
      world.air.poll(sleeper.ieee);
    };
    send(0xfffd);
    assert.deepEqual([lamp.take(), sleeper.take()], [[[1]], []]);
    send(0xffff);
    assert.deepEqual([lamp.take(), sleeper.take()], [[[1]], [[1]]]);
    assert.equal(world.air.log.count({ kind: "broadcast" }), 2);
  });
});
