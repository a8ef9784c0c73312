import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hexOf, wire, type ByteWriter } from "../bytes.ts";
import { devices } from "../device/index.ts";
import { failing } from "../interference.ts";
import { status as frameStatus } from "../frame-status.ts";
import { zdo } from "../zdo.ts";
import { Listener } from "../znp/test-host.ts";
import { resetCode } from "./ash-link.ts";
import { encodeAsh } from "./ash-frame.ts";
import {
  configId,
  counter,
  emberStatus,
  ezspStatus,
  frameId,
  incoming,
  keyType,
  noFrameCounterReset,
  slStatus,
  token,
  valueId,
} from "./ezsp.ts";
import { formedWorld, freshWorld, joinedDevice, networkParameters, RawHost } from "./test-host.ts";
import { EmberStick } from "./stick.ts";

describe("the ASH link of an ember stick", () => {
  test("answers a reset, and nothing before it", () => {
    const { host } = freshWorld();
    assert.equal(host.ask(frameId.nop), null);
    host.reset();
    assert.deepEqual(host.control, [{ type: "reset done", version: 2, code: resetCode.software }]);
    host.stick.power(false);
    host.reset();
    assert.equal(host.control.length, 1);
  });

  test("acknowledges a repeated frame again without carrying it out twice", () => {
    const { host } = freshWorld();
    host.start();
    host.control.length = 0;
    const set = wire().u8(9, 0, 1).u16(frameId.setManufacturerCode).u16(0x1234).done();
    host.send(set);
    host.send(set, true);
    assert.deepEqual(host.control, [{ type: "ack", ack: 2, isReady: true }]);
  });

  test("rejects a damaged frame once, and takes it when it is repeated", () => {
    const { host } = freshWorld();
    host.start();
    host.control.length = 0;
    const data = wire().u8(9, 0, 1).u16(frameId.getNodeId).done();
    const frame = encodeAsh({ type: "data", number: 1, ack: 1, isRepeated: false, data });
    host.writeBytes(frame.with(2, 0x55));
    host.writeBytes(frame.with(2, 0x55));
    assert.deepEqual(host.control, [{ type: "nak", ack: 1, isReady: true }]);
    assert.equal(host.answer(frameId.getNodeId).u16(), 0xfffe);
  });

  test("repeats what is not acknowledged, then fails until the next reset", () => {
    const { host } = freshWorld();
    host.start();
    host.control.length = 0;
    host.acknowledges = false;
    host.ask(frameId.nop);
    for (const _ of [1, 2, 3, 4]) host.pass(1600);
    assert.deepEqual(
      host.control.map(({ type }) => type),
      ["data", "data", "data", "data", "error"],
    );
    host.ask(frameId.nop);
    assert.deepEqual(host.control.at(-1), { type: "error", version: 2, code: resetCode.timeouts });
    host.acknowledges = true;
    host.start();
    assert.equal(host.answer(frameId.getNodeId).u16(), 0xfffe);
  });

  test("repeats frames that the host rejects", () => {
    const { host } = freshWorld();
    host.start();
    host.acknowledges = false;
    host.ask(frameId.nop);
    host.write({ type: "nak", ack: 1, isReady: true });
    const data = host.control.filter(({ type }) => type === "data");
    assert.equal(data.length, 2);
  });

  test("holds callbacks, but no responses, while the host is not ready", () => {
    const world = formedWorld();
    const { host } = world;
    const device = new Listener(1);
    joinedDevice(world, device);
    host.acknowledge(false);
    device.line?.send({
      endpoint: 1,
      peerEndpoint: 1,
      profile: 0x0104,
      cluster: 6,
      payload: Uint8Array.of(1),
    });
    host.pass();
    assert.equal(host.take(frameId.incomingMessageHandler).length, 0);
    assert.equal(host.answer(frameId.getNodeId).u16(), 0);
    host.acknowledge(true);
    assert.equal(host.take(frameId.incomingMessageHandler).length, 1);
  });

  test("tells the host when it restarts by itself, and waits for a reset", () => {
    const { host } = formedWorld();
    host.control.length = 0;
    host.stick.restart();
    assert.deepEqual(host.control, [{ type: "reset done", version: 2, code: resetCode.powerOn }]);
    assert.equal(host.stick.network, null);
    assert.equal(host.ask(frameId.nop), null);
  });
});

describe("the commands of an ember stick", () => {
  test("negotiates the version in both frame formats before anything else", () => {
    const { host } = freshWorld();
    host.reset();
    assert.deepEqual(host.ask(frameId.nop)?.parameters, Uint8Array.of(ezspStatus.versionNotSet));
    const old = host.ask(frameId.version, wire().u8(19), false);
    assert.deepEqual([old?.id, hexOf(old?.parameters ?? new Uint8Array())], [0, "0d024074"]);
    assert.deepEqual(host.ask(frameId.nop)?.parameters, Uint8Array.of(ezspStatus.versionNotSet));
    assert.equal(host.answer(frameId.version, wire().u8(13)).u8(), 13);
    assert.equal(host.answer(frameId.nop).left, 0);
    const info = host.answer(frameId.getValue, wire().u8(valueId.versionInfo));
    assert.deepEqual([info.u8(), info.u8(), hexOf(info.rest())], [0, 7, "2c0107040400aa"]);
  });

  test("answers unknown and short commands with what is wrong", () => {
    const { host } = freshWorld();
    host.start();
    const asked = (id: number): readonly number[] => {
      const told = host.ask(id);
      return [told?.id ?? -1, ...(told?.parameters ?? [])];
    };
    assert.deepEqual(asked(0x7777), [frameId.invalidCommand, ezspStatus.invalidFrameId]);
    assert.deepEqual(asked(frameId.formNetwork), [frameId.invalidCommand, ezspStatus.truncated]);
  });

  test("keeps settings until a reset, and refuses them while the network is up", () => {
    const { host } = freshWorld();
    host.start();
    const set = wire().u8(configId.multicastTableSize).u16(3);
    assert.equal(host.answer(frameId.setConfigurationValue, set).u8(), 0);
    const read = (): readonly number[] => {
      const told = host.answer(frameId.getConfigurationValue, wire().u8(configId.multicastTableSize));
      return [told.u8(), told.u16()];
    };
    assert.deepEqual(read(), [0, 3]);
    assert.equal(host.answer(frameId.getConfigurationValue, wire().u8(0x99)).u8(), ezspStatus.invalidId);
    host.start();
    assert.deepEqual(read(), [0, 16]);
    host.form();
    assert.equal(host.answer(frameId.setConfigurationValue, set).u8(), ezspStatus.invalidCall);
  });

  test("forms a network only with keys, and tells when it is up", () => {
    const { host } = freshWorld();
    host.start();
    assert.equal(host.answer(frameId.formNetwork, networkParameters()).u8(), emberStatus.securityStateNotSet);
    host.secure();
    assert.equal(host.answer(frameId.formNetwork, networkParameters(27)).u8(), emberStatus.badArgument);
    assert.equal(host.answer(frameId.formNetwork, networkParameters()).u8(), emberStatus.success);
    assert.deepEqual(
      host.take(frameId.stackStatusHandler).map((told) => told.u8()),
      [emberStatus.networkUp],
    );
    const key = "09".repeat(16);
    assert.deepEqual(host.stick.network, {
      panId: 0x1a63,
      extendedPanId: "0102030405060708",
      key,
      channel: 15,
    });
    assert.equal(host.stick.txPower, 8);
    assert.equal(host.answer(frameId.formNetwork, networkParameters()).u8(), emberStatus.invalidCall);
  });

  test("resumes its network after a power cycle, and leaves it for good", () => {
    const { host } = formedWorld();
    const { network } = host.stick;
    host.stick.power(false);
    host.stick.power(true);
    host.start();
    assert.equal(host.answer(frameId.getNetworkParameters).u8(), emberStatus.notJoined);
    assert.equal(host.answer(frameId.networkInit, wire().u16(0)).u8(), emberStatus.success);
    assert.deepEqual(host.stick.network, network);
    assert.equal(host.answer(frameId.leaveNetwork).u8(), emberStatus.success);
    assert.deepEqual(
      host.take(frameId.stackStatusHandler).map((told) => told.u8()),
      [emberStatus.networkUp, emberStatus.networkDown],
    );
    assert.equal(host.answer(frameId.networkInit, wire().u16(0)).u8(), emberStatus.notJoined);
    assert.equal(host.answer(frameId.leaveNetwork).u8(), emberStatus.invalidCall);
  });

  test("exports the keys and the counter of its network, and continues a given counter", () => {
    const { host } = freshWorld();
    host.start();
    host.answer(frameId.setValue, wire().u8(valueId.nwkFrameCounter, 4).u32(5000));
    host.secure(noFrameCounterReset);
    host.answer(frameId.formNetwork, networkParameters());
    const info = host.answer(frameId.getNetworkKeyInfo);
    assert.deepEqual([info.u32(), info.u8(), info.u8(), info.u16(), info.u32()], [0, 1, 0, 0, 5000]);
    for (const [type, byte] of [
      [keyType.network, "09"],
      [keyType.trustCenterLink, "07"],
    ] as const) {
      const key = host.answer(frameId.exportKey, wire().u8(type, 0).bytes(new Uint8Array(16)));
      assert.deepEqual([hexOf(key.bytes(16)), key.u32()], [byte.repeat(16), slStatus.ok]);
    }
    const refused = host.answer(frameId.setValue, wire().u8(valueId.nwkFrameCounter, 4).u32(1));
    assert.equal(refused.u8(), ezspStatus.invalidCall);
  });

  test("imports, exports and erases link keys", () => {
    const { host } = freshWorld();
    host.start();
    const link = wire().u8(3).ieee("0x000b57fffe000001").bytes(new Uint8Array(16).fill(5));
    assert.equal(host.answer(frameId.importLinkKey, link).u32(), slStatus.ok);
    const read = host.answer(frameId.exportLinkKeyByIndex, wire().u8(3));
    assert.deepEqual([read.ieee(), hexOf(read.bytes(16))], ["0x000b57fffe000001", "05".repeat(16)]);
    assert.equal(host.answer(frameId.eraseKeyTableEntry, wire().u8(3)).u8(), emberStatus.success);
    assert.equal(host.answer(frameId.eraseKeyTableEntry, wire().u8(99)).u8(), emberStatus.indexOutOfRange);
    const none = host.answer(frameId.exportLinkKeyByIndex, wire().u8(3));
    none.bytes(8 + 16 + 12);
    assert.equal(none.u32(), slStatus.notFound);
  });

  test("copies all tokens to another stick, which takes over network and address at its next start", () => {
    const { host, air, clock } = formedWorld();
    const ieee = wire().u32(token.restoredEui64, 0, 8).ieee("0x00124b0000000001");
    assert.equal(host.answer(frameId.setTokenData, ieee).u8(), emberStatus.success);
    assert.notEqual(host.stick.ieee, "0x00124b0000000001");
    const count = host.answer(frameId.getTokenCount).u8();
    const other = new RawHost(new EmberStick({ air, ieee: "0x60a423fffe000002" }), clock);
    other.start();
    for (let index = 0; index < count; index += 1) {
      const info = host.answer(frameId.getTokenInfo, wire().u8(index));
      const [code, key, , size, entries] = [info.u8(), info.u32(), info.u16(), info.u8(), info.u8()];
      assert.equal(code, emberStatus.success);
      for (let entry = 0; entry < entries; entry += 1) {
        const data = host.answer(frameId.getTokenData, wire().u32(key, entry));
        assert.deepEqual([data.u8(), data.u32()], [emberStatus.success, size]);
        other.answer(frameId.setTokenData, wire().u32(key, entry, size).bytes(data.rest()));
      }
    }
    other.start();
    other.answer(frameId.networkInit, wire().u16(0));
    assert.deepEqual([other.stick.network, other.stick.ieee], [host.stick.network, "0x00124b0000000001"]);
    assert.equal(host.answer(frameId.getTokenInfo, wire().u8(count)).u8(), emberStatus.indexOutOfRange);
    assert.equal(
      host.answer(frameId.setTokenData, wire().u32(token.keys, 0, 1).u8(1)).u8(),
      emberStatus.badArgument,
    );
  });
});

describe("the network of an ember stick", () => {
  test("admits a device only while open, with a policy and a key for it", () => {
    const { host, air } = formedWorld();
    const device = new Listener(1);
    air.add(device);
    host.answer(frameId.permitJoining, wire().u8(10));
    assert.equal(air.join(device.ieee), false);
    const [denied] = host.take(frameId.trustCenterJoinHandler);
    denied?.bytes(11);
    assert.equal(denied?.u8(), 2);
    host.permit(10);
    assert.equal(air.join(device.ieee), true);
    host.pass(10_000);
    assert.deepEqual(
      host.take(frameId.stackStatusHandler).map((told) => told.u8()),
      [emberStatus.networkOpened, emberStatus.networkOpened, emberStatus.networkClosed],
    );
    const [joined] = host.take(frameId.trustCenterJoinHandler);
    assert.deepEqual(
      [joined?.u16(), joined?.ieee(), joined?.u8(), joined?.u8(), joined?.u16()],
      [air.nwkOf(device.ieee), device.ieee, 1, 0, 0],
    );
    assert.equal(air.join("0x000b57ff00000001"), false);
  });

  test("sends unicasts, and tells whether they were delivered", () => {
    const world = formedWorld();
    const { host, air } = world;
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    assert.equal(host.unicast(nwk, [1, 2]), emberStatus.success);
    host.pass();
    assert.deepEqual([device.take(), host.sentStatus()], [[[1, 2]], emberStatus.success]);
    air.interference = failing(frameStatus.noAck, 1);
    host.unicast(nwk, [3]);
    host.pass();
    assert.equal(host.sentStatus(), emberStatus.deliveryFailed);
    assert.equal(
      host.unicast(
        nwk,
        Array.from({ length: 83 }, () => 0),
      ),
      emberStatus.messageTooLong,
    );
    const counters = host.answer(frameId.readAndClearCounters);
    counters.bytes(2 * counter.apsTxUnicastSuccess);
    assert.deepEqual([counters.u16(), counters.u16(), counters.u16()], [1, 0, 1]);
    assert.ok([...host.answer(frameId.readCounters).rest()].every((value) => value === 0));
  });

  test("has a limited number of unicasts on their way", () => {
    const world = formedWorld({ delayMs: 10 });
    const nwk = joinedDevice(world, new Listener(1));
    const sent = Array.from({ length: 33 }, () => world.host.unicast(nwk, [1]));
    assert.deepEqual(new Set(sent.slice(0, 32)), new Set([0]));
    assert.equal(sent[32], emberStatus.maxMessageLimitReached);
    world.host.pass(10);
    assert.equal(world.host.unicast(nwk, [1]), 0);
  });

  test("sends to groups, and hears groups only when they are in its table", () => {
    const world = formedWorld();
    const { host } = world;
    const device = new Listener(1);
    joinedDevice(world, device);
    device.groups.add(7);
    const cast = wire().u16(0x0104, 6).u8(1, 0xff).u16(0, 7).u8(0).u8(12, 12, 1).u8(1, 5);
    assert.equal(host.answer(frameId.sendMulticast, cast).u8(), emberStatus.success);
    host.pass();
    assert.deepEqual(device.take(), [[5]]);
    assert.deepEqual(host.take(frameId.incomingMessageHandler), []);
    host.answer(frameId.setMulticastTableEntry, wire().u8(0).u16(7).u8(1, 0));
    host.answer(frameId.sendMulticast, cast);
    device.line?.sendToGroup(7, { endpoint: 1, profile: 0x0104, cluster: 6, payload: Uint8Array.of(9) });
    host.pass();
    assert.deepEqual(
      host.take(frameId.incomingMessageHandler).map((told) => told.u8()),
      [incoming.multicastLoopback, incoming.multicast],
    );
    const beyond = wire().u8(16).u16(7).u8(1, 0);
    assert.equal(host.answer(frameId.setMulticastTableEntry, beyond).u8(), emberStatus.indexOutOfRange);
  });

  test("answers ZDO requests to itself, but returns an energy scan to the host", () => {
    const { host } = formedWorld();
    const ask = (cluster: number, payload: readonly number[]): readonly number[] => {
      host.unicast(0, payload, { profile: 0, cluster, sourceEndpoint: 0, destinationEndpoint: 0 });
      const [told] = host.take(frameId.incomingMessageHandler);
      told?.bytes(3);
      return told === undefined ? [] : [told.u16(), ...told.rest().slice(14)];
    };
    assert.deepEqual(ask(zdo.activeEndpoints, [44, 0, 0]), [0x8005, 44, 0, 0, 0, 1, 1]);
    const [cluster] = ask(zdo.networkUpdate, [45, 0, 0xf8, 0xff, 7, 3, 1]);
    assert.equal(cluster, zdo.networkUpdate);
  });

  test("measures energy with a command of its own", () => {
    const { host, air } = formedWorld();
    air.energy.set(11, 255).set(12, 0);
    const scan = wire()
      .u8(0)
      .u32((1 << 11) | (1 << 12))
      .u8(3);
    assert.equal(host.answer(frameId.startScan, scan).u32(), slStatus.ok);
    const results = host.take(frameId.energyScanResultHandler).map((told) => [told.u8(), told.i8()]);
    assert.deepEqual(results, [
      [11, -20],
      [12, -100],
    ]);
    assert.equal(host.take(frameId.scanCompleteHandler).length, 1);
    const active = wire()
      .u8(1)
      .u32(1 << 11)
      .u8(3);
    assert.equal(host.answer(frameId.startScan, active).u32(), slStatus.invalidParameter);
  });

  test("moves to another channel with its own broadcast", () => {
    const { host } = formedWorld();
    const head = wire().u16(0xffff).u16(0, zdo.networkUpdate).u8(0, 0).u16(0, 0).u8(0).u8(30, 1);
    const update = wire()
      .u8(1)
      .u32(1 << 20)
      .u8(0xfe, 0)
      .u16(0)
      .done();
    host.answer(frameId.sendBroadcast, head.u8(update.length).bytes(update));
    host.pass(1000);
    assert.equal(host.stick.network?.channel, 20);
    const told = host.take(frameId.stackStatusHandler).map((one) => one.u8());
    assert.deepEqual(told, [emberStatus.channelChanged]);
  });

  test("lists children, neighbours and routes", () => {
    const world = formedWorld();
    const { host, air } = world;
    const [router, sleeper, far] = [new Listener(1), new Listener(2, "sleepy"), new Listener(3)];
    const [near, child] = [joinedDevice(world, router), joinedDevice(world, sleeper)];
    air.node(router.ieee).permit(60);
    const remote = joinedDevice(world, far, { parent: router.ieee });
    assert.equal(host.answer(frameId.neighborCount).u8(), 1);
    const neighbour = host.answer(frameId.getNeighbor, wire().u8(0));
    assert.deepEqual([neighbour.u8(), neighbour.u16()], [0, near]);
    const entry = host.answer(frameId.getChildData, wire().u8(0));
    assert.deepEqual([entry.u8(), entry.ieee(), entry.u8(), entry.u16()], [0, sleeper.ieee, 4, child]);
    const route = host.answer(frameId.getRouteTableEntry, wire().u8(0));
    assert.deepEqual([route.u8(), route.u16(), route.u16(), route.u8()], [0, remote, near, 0]);
    assert.equal(host.answer(frameId.lookupNodeIdByEui64, wire().ieee(far.ieee)).u16(), remote);
    const address = host.answer(frameId.lookupEui64ByNodeId, wire().u16(child));
    assert.deepEqual([address.u8(), address.ieee()], [0, sleeper.ieee]);
    assert.equal(host.answer(frameId.getNeighbor, wire().u8(1)).u8(), emberStatus.indexOutOfRange);
    air.leave(far.ieee);
    const [left] = host.take(frameId.trustCenterJoinHandler);
    assert.deepEqual([left?.u16(), left?.ieee(), left?.u8()], [remote, far.ieee, 2]);
  });
});

describe("an ember stick outside of its network", () => {
  const lamp = "0x00178801000000aa";
  const scan = [0x11, 0, 0x00, 1, 2, 3, 4, 4, 18];

  /** A raw MAC frame with a touchlink message. */
  const raw = (zcl: readonly number[], head: ByteWriter): ByteWriter => {
    const frame = head
      .bytes(new Uint8Array(10))
      .u16(0x000b)
      .u8(0x0b)
      .u16(0x1000, 0xc05e)
      .u8(...zcl)
      .done();
    return wire().u8(frame.length).bytes(frame).u8(0, 1);
  };

  test("finds a lamp in factory state on the channel to which it has moved", () => {
    const { host, air } = formedWorld();
    air.add(devices.lamp(lamp));
    const broadcast = wire().u16(0xc801).u8(0).u16(0xffff, 0xffff);
    for (const [channel, answers] of [
      [11, 1],
      [15, 0],
    ] as const) {
      assert.equal(
        host.answer(frameId.setLogicalAndRadioChannel, wire().u8(channel)).u8(),
        emberStatus.success,
      );
      host.answer(frameId.sendRawMessage, raw(scan, broadcast));
      host.pass();
      const found = host.take(frameId.macFilterMatchMessageHandler);
      assert.equal(found.length, answers);
      found[0]?.bytes(5);
      assert.equal(found[0]?.u16(), answers ? 0xcc01 : undefined);
    }
    const sent = host.take(frameId.rawTransmitCompleteHandler).map((told) => told.u8());
    assert.deepEqual(sent, [emberStatus.success, emberStatus.success]);
  });

  test("refuses raw frames that are no inter-PAN messages", () => {
    const { host } = formedWorld();
    const beacon = wire().u16(0x8000).u8(0).u16(0xffff, 0xffff);
    assert.equal(host.answer(frameId.sendRawMessage, raw([], beacon)).u8(), emberStatus.badArgument);
    const short = host.ask(frameId.sendRawMessage, wire().u8(3).u16(0xcc01).u8(0));
    assert.deepEqual(short?.parameters, Uint8Array.of(ezspStatus.truncated));
  });
});
