import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wire } from "./bytes.ts";
import { Listener, RawHost, joinedDevice, rawWorld, reading } from "./znp/test-host.ts";
import { Stick } from "./znp/stick.ts";
import { status, subsystem } from "./znp/znp.ts";

const { af, zdo } = subsystem;
const asleep = { awakeAfterJoinMs: 0, awakeAfterSendMs: 0 };

describe("a device", () => {
  test("is heard with its link quality, but not without power", () => {
    const world = rawWorld();
    const device = new Listener(1);
    const nwk = joinedDevice(world, device, { lqi: 77 });
    const frame = { endpoint: 2, peerEndpoint: 1, profile: 0x0104, cluster: 6 };
    device.line?.send({ ...frame, payload: Uint8Array.of(4, 5) });
    world.air.power(device.ieee, false);
    device.line?.send({ ...frame, payload: Uint8Array.of(6) });
    world.host.pass();
    assert.equal(world.host.take(af, 0x81).length, 0);
    world.air.power(device.ieee, true);
    device.line?.send({ ...frame, payload: Uint8Array.of(4, 5) });
    world.host.pass();
    const [message, ...others] = world.host.take(af, 0x81);
    assert.deepEqual(others, []);
    const incoming = reading(message);
    assert.deepEqual([incoming.u16(), incoming.u16(), incoming.u16()], [0, 6, nwk]);
    assert.deepEqual([incoming.u8(), incoming.u8(), incoming.u8(), incoming.u8()], [2, 1, 0, 77]);
  });

  test("rejoins with another address and keeps its bindings", () => {
    const world = rawWorld();
    const { host, air } = world;
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    const bind = wire().u16(nwk).ieee(device.ieee).u8(1).u16(6).u8(3).ieee(host.stick.ieee).u8(1);
    host.answer(zdo, 0x21, bind);
    host.pass();
    assert.deepEqual(
      host.take(zdo, 0xa1).map((data) => data[2]),
      [0],
    );
    air.rejoin(device.ieee);
    host.pass();
    const now = air.nwkOf(device.ieee);
    assert.notEqual(now, nwk);
    assert.equal(reading(host.take(zdo, 0xc1)[0]).u16(), now);
    const bindings = [{ endpoint: 1, cluster: 6, to: { ieee: host.stick.ieee, endpoint: 1 } }];
    assert.deepEqual([device.line?.nwk, device.line?.bindings], [now, bindings]);
    host.send(nwk, [1]);
    host.pass();
    assert.equal(host.confirmed(), status.noRoute);
    assert.equal(host.send(now ?? 0, [1]), 0);
  });

  test("answers a request to leave, then leaves", () => {
    const world = rawWorld();
    const { host, air } = world;
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    host.answer(zdo, 0x34, wire().u16(nwk).ieee(device.ieee).u8(0));
    host.pass();
    assert.equal(host.take(zdo, 0xb4).length, 1);
    assert.equal(reading(host.take(zdo, 0xc9)[0]).u16(), nwk);
    assert.deepEqual([air.nwkOf(device.ieee), device.line], [undefined, null]);
  });

  test("announces that it leaves if it can", () => {
    const world = rawWorld();
    const devices = [new Listener(1), new Listener(2)];
    for (const device of devices) joinedDevice(world, device);
    const [loud, silent] = devices;
    world.air.leave(loud?.ieee ?? "0x");
    world.air.power(silent?.ieee ?? "0x", false);
    world.air.leave(silent?.ieee ?? "0x");
    assert.equal(world.host.take(zdo, 0xc9).length, 1);
    assert.deepEqual([loud?.line, silent?.line], [null, null]);
  });

  test("is found by both its addresses, a sleeping one through its parent", () => {
    const world = rawWorld();
    const { host } = world;
    const [lamp, sleeper] = [new Listener(1), new Listener(2, "sleepy")];
    const nwk = joinedDevice(world, lamp);
    const sleeping = joinedDevice(world, sleeper, asleep);
    for (const { ieee } of [lamp, sleeper]) host.answer(zdo, 0x00, wire().ieee(ieee).u8(0, 0));
    host.pass();
    const found = host.take(zdo, 0x80).map((data) => {
      const answer = reading(data);
      return [answer.u8(), answer.ieee(), answer.u16(), answer.u8(), answer.u8()];
    });
    assert.deepEqual(
      found.toSorted((one, other) => Number(one[2]) - Number(other[2])),
      [
        [0, lamp.ieee, nwk, 0, 0],
        [0, sleeper.ieee, sleeping, 0, 0],
      ].toSorted((one, other) => Number(one[2]) - Number(other[2])),
    );
    host.answer(zdo, 0x01, wire().u16(nwk).u8(0, 0));
    host.pass();
    assert.equal(reading(host.take(zdo, 0x81)[0]?.slice(1)).ieee(), lamp.ieee);
  });

  test("has its router as a neighbour, and the stick has its children", () => {
    const world = rawWorld();
    const { host } = world;
    const [router, lamp] = [new Listener(1), new Listener(2)];
    const hop = joinedDevice(world, router, { lqi: 120 });
    const nwk = joinedDevice(world, lamp, { parent: router.ieee, lqi: 50 });
    const neighboursOf = (address: number): readonly (readonly unknown[])[] => {
      host.answer(zdo, 0x31, wire().u16(address).u8(0));
      host.pass();
      const table = reading(host.take(zdo, 0xb1)[0]);
      assert.deepEqual([table.u16(), table.u8()], [address, 0]);
      table.u16();
      return Array.from({ length: table.u8() }, () => {
        table.bytes(8);
        const [ieee, own, kind] = [table.ieee(), table.u16(), table.u8()];
        table.u16();
        return [ieee, own, kind & 3, table.u8()];
      });
    };
    assert.deepEqual(neighboursOf(0), [[router.ieee, hop, 1, 120]]);
    assert.deepEqual(neighboursOf(hop), [
      [host.stick.ieee, 0, 0, 120],
      [lamp.ieee, nwk, 1, 50],
    ]);
    assert.deepEqual(neighboursOf(nwk), [[router.ieee, hop, 1, 120]]);
    host.answer(zdo, 0x32, wire().u16(0).u8(0));
    const routes = reading(host.take(zdo, 0xb2)[0]);
    assert.deepEqual([routes.u16(), routes.u8(), routes.u8(), routes.u8(), routes.u8()], [0, 0, 1, 0, 1]);
    assert.deepEqual([routes.u16(), routes.u8(), routes.u16()], [nwk, 0, hop]);
  });

  test("reports a full binding table", () => {
    const world = rawWorld();
    const { host } = world;
    const device = new Listener(1);
    const nwk = joinedDevice(world, device, { bindingTableSize: 1 });
    const bind = (cluster: number): number | undefined => {
      const head = wire().u16(nwk).ieee(device.ieee).u8(1).u16(cluster).u8(1).u16(7, 0, 0, 0).u8(0);
      host.answer(zdo, 0x21, head);
      host.pass();
      return host.take(zdo, 0xa1)[0]?.[2];
    };
    assert.deepEqual([bind(6), bind(6), bind(8)], [0, 0, 0x8c]);
    assert.deepEqual(device.line?.bindings, [{ endpoint: 1, cluster: 6, to: { group: 7 } }]);
    const unbind = wire().u16(nwk).ieee(device.ieee).u8(1).u16(6).u8(1).u16(7, 0, 0, 0).u8(0);
    host.answer(zdo, 0x22, unbind);
    host.pass();
    assert.deepEqual([host.take(zdo, 0xa2)[0]?.[2], device.line?.bindings], [0, []]);
  });

  test("delays its timers until its power returns", () => {
    const world = rawWorld();
    const device = new Listener(1);
    joinedDevice(world, device);
    const ran: string[] = [];
    device.line?.after(10, () => ran.push("planned"));
    device.line?.after(10, () => ran.push("cancelled"))();
    world.air.power(device.ieee, false);
    world.host.pass(100);
    assert.deepEqual(ran, []);
    world.air.power(device.ieee, true);
    assert.deepEqual(ran, ["planned"]);
  });
});

describe("a stick that replaces another", () => {
  test("reaches the devices only if it has the same network", () => {
    const world = rawWorld();
    const { host, air, clock } = world;
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    const nvram = host.stick.save();
    host.stick.power(false);
    const stranger = new RawHost(new Stick({ air, ieee: "0x00124b0000000002", seed: 2 }), clock);
    stranger.form();
    stranger.send(nwk, [1]);
    host.pass();
    assert.equal(stranger.confirmed(), status.noRoute);
    stranger.stick.power(false);

    const twin = new RawHost(new Stick({ air, nvram }), clock);
    twin.answer(zdo, 0x40, wire().u16(100));
    twin.register();
    twin.send(nwk, [2]);
    host.pass();
    assert.deepEqual([device.take(), twin.confirmed()], [[[2]], 0]);
  });

  test("is ignored until its frame counter is above the old one", () => {
    const world = rawWorld();
    const { host, air, clock } = world;
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    const nvram = host.stick.save();
    for (let sent = 0; sent < 3; sent += 1) host.send(nwk, [1]);
    host.pass();
    device.take();
    host.stick.power(false);
    const old = new RawHost(new Stick({ air, nvram }), clock);
    old.answer(zdo, 0x40, wire().u16(100));
    old.register();
    const heard = [1, 2, 3, 4].map(() => {
      old.send(nwk, [2]);
      host.pass();
      return [old.confirmed(), device.take().length];
    });
    assert.deepEqual(heard, [
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 1],
    ]);
  });
});
