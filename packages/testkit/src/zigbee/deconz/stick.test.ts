import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hexOf, wire } from "../bytes.ts";
import { status as frameStatus } from "../frame-status.ts";
import { failing } from "../interference.ts";
import { zdo } from "../zdo.ts";
import { Listener } from "../znp/test-host.ts";
import {
  addressMode,
  command,
  commandStatus,
  confirmStatus,
  networkState,
  parameter,
  stateBit,
} from "./protocol.ts";
import { DeconzStick } from "./stick.ts";
import { formedWorld, freshWorld, joinedDevice, RawHost } from "./test-host.ts";

const idle = stateBit.freeSlots;

describe("the commands of a ConBee", () => {
  test("tell firmware and state", () => {
    const { host } = freshWorld();
    assert.equal(host.answer(command.firmwareVersion, wire().u32(0)).payload.u32(), 0x2678_0700);
    assert.equal(host.state, idle | networkState.offline);
  });

  test("are refused when they are unknown or too short, and ignored when they are damaged", () => {
    const { host } = freshWorld();
    assert.equal(host.answer(0x7f).status, commandStatus.unsupported);
    assert.equal(host.answer(command.readParameter).status, commandStatus.invalidValue);
    assert.equal(host.answer(command.apsRequest).status, commandStatus.invalidValue);
    assert.equal(host.answer(command.changeNetworkState, wire().u8(9)).status, commandStatus.invalidValue);
    host.stick.faults.disturbHost("garbled");
    assert.equal(host.ask(command.firmwareVersion, wire().u32(0)), null);
    host.stick.faults.refuse(0, command.firmwareVersion, commandStatus.busy, 1);
    assert.equal(host.answer(command.firmwareVersion).status, commandStatus.busy);
    host.stick.power(false);
    assert.equal(host.ask(command.firmwareVersion), null);
  });

  test("write and read parameters, and refuse wrong values", () => {
    const { host } = freshWorld();
    assert.equal(host.write(parameter.panId, wire().u16(0x1a63)), commandStatus.success);
    assert.equal(hexOf(host.read(parameter.panId)), "631a");
    assert.equal(host.write(parameter.panId, wire().u8(1)), commandStatus.invalidValue);
    assert.equal(host.write(parameter.currentChannel, wire().u8(20)), commandStatus.invalidValue);
    assert.equal(host.write(0x7f, wire().u8(1)), commandStatus.invalidValue);
    const unknown = host.answer(command.readParameter, wire().u16(1).u8(0x7f));
    assert.equal(unknown.status, commandStatus.unsupported);
    const endpoint = wire().u8(1, 242).u16(0xa1e0, 0x64).u8(1, 0, 1).u16(0x21);
    assert.equal(host.write(parameter.endpoint, endpoint), commandStatus.success);
    assert.equal(host.write(parameter.endpoint, wire().u8(1, 242)), commandStatus.invalidValue);
    assert.equal(hexOf(host.read(parameter.endpoint, 1)), hexOf(endpoint.done()));
    assert.equal(host.read(parameter.endpoint, 0)[1], 1);
  });
});

describe("the network of a ConBee", () => {
  test("needs its parameters, tells when it is connected, and returns by itself after a power cycle", () => {
    const { host } = freshWorld();
    const connect = (): number =>
      host.answer(command.changeNetworkState, wire().u8(networkState.connected)).status;
    assert.equal(connect(), commandStatus.error);
    host.form();
    const { network } = host.stick;
    const key = "09".repeat(16);
    assert.deepEqual(network, { panId: 0x1a63, extendedPanId: "0102030405060708", key, channel: 15 });
    assert.deepEqual(host.states, [idle | networkState.connected]);
    assert.equal(host.read(parameter.currentChannel)[0], 15);
    host.stick.power(false);
    assert.equal(host.stick.network, null);
    host.stick.power(true);
    assert.deepEqual(host.stick.network, network);
    host.answer(command.changeNetworkState, wire().u8(networkState.offline));
    assert.deepEqual([host.state & 3, host.stick.network], [networkState.offline, null]);
  });

  test("moves to another stick with its parameters", () => {
    const { host, air, clock } = formedWorld();
    const image = host.stick.save();
    host.stick.power(false);
    const other = new RawHost(new DeconzStick({ air, nvram: image, ieee: "0x00212effff000002" }), clock);
    assert.equal(other.stick.network?.panId, 0x1a63);
    assert.equal(other.stick.ieee, "0x00212effff000001");
    other.write(parameter.macAddress, wire().ieee("0x00212effff000003"));
    assert.equal(other.stick.ieee, "0x00212effff000003");
  });

  test("is open for joining for some seconds", () => {
    const { host, air } = formedWorld();
    const device = new Listener(1);
    air.add(device);
    assert.equal(air.join(device.ieee), false);
    host.write(parameter.permitJoin, wire().u8(10));
    assert.equal(host.stick.isOpen, true);
    assert.equal(air.join(device.ieee), true);
    host.pass();
    const announced = host.indicated();
    assert.deepEqual([announced?.cluster, announced?.from], [zdo.announce, air.nwkOf(device.ieee)]);
    host.pass(10_000);
    assert.equal(host.stick.isOpen, false);
  });

  test("restarts the stick unless the host keeps the watchdog quiet", () => {
    const { host } = formedWorld();
    host.write(parameter.watchdogTtl, wire().u32(600));
    host.pass(500_000);
    host.write(parameter.watchdogTtl, wire().u32(600));
    host.write(parameter.permitJoin, wire().u8(255));
    host.pass(500_000);
    assert.equal(host.stick.isOpen, true);
    host.pass(100_000);
    assert.equal(host.stick.isOpen, false, "it has restarted");
    assert.equal(host.stick.network?.channel, 15);
  });
});

describe("the messages of a ConBee", () => {
  test("wait with their results until the host reads them", () => {
    const world = formedWorld();
    const { host, air } = world;
    const device = new Listener(1);
    const nwk = joinedDevice(world, device);
    assert.equal(host.request(nwk, [1, 2], 7), commandStatus.success);
    host.pass();
    assert.deepEqual(device.take(), [[1, 2]]);
    assert.equal(host.state, idle | networkState.connected | stateBit.confirm);
    assert.deepEqual(host.confirmed(), [7, confirmStatus.success]);
    assert.equal(host.confirmed(), undefined);
    air.interference = failing(frameStatus.noAck, 1);
    host.request(nwk, [3], 8);
    host.pass();
    assert.deepEqual(host.confirmed(), [8, confirmStatus.noAck]);
    host.request(0x9999, [3], 9);
    host.pass();
    assert.deepEqual(host.confirmed(), [9, confirmStatus.routeDiscoveryFailed]);
  });

  test("need a free slot and a network", () => {
    const world = formedWorld();
    const { host } = world;
    const nwk = joinedDevice(world, new Listener(1));
    const sent = Array.from({ length: 9 }, (_, id) => host.request(nwk, [1], id));
    assert.deepEqual(sent, [0, 0, 0, 0, 0, 0, 0, 0, commandStatus.busy]);
    assert.equal(host.state & stateBit.freeSlots, 0);
    host.pass();
    host.confirmed();
    assert.equal(host.request(nwk, [1]), commandStatus.success);
    host.answer(command.changeNetworkState, wire().u8(networkState.offline));
    assert.equal(host.request(nwk, [1]), commandStatus.noNetwork);
  });

  test("arrive from devices and groups, and the stick tells that they wait", () => {
    const world = formedWorld();
    const { host } = world;
    const device = new Listener(1);
    const from = joinedDevice(world, device);
    host.states.length = 0;
    const frame = { endpoint: 1, profile: 0x0104, cluster: 6, payload: Uint8Array.of(1, 2, 3) };
    device.line?.send({ ...frame, peerEndpoint: 1 });
    host.pass();
    assert.deepEqual(host.states, [idle | networkState.connected | stateBit.indication]);
    assert.deepEqual(host.indicated(), { from, cluster: 6, group: null, payload: frame.payload });
    device.line?.sendToGroup(7, frame);
    host.pass();
    assert.equal(host.indicated()?.group, 7);
    assert.equal(host.indicated(), undefined);
    device.line?.send({ ...frame, peerEndpoint: 9 });
    host.pass();
    assert.equal(host.indicated(), undefined, "the stick has no endpoint 9");
  });

  test("go to groups, to everybody, and to a device by its IEEE address", () => {
    const world = formedWorld();
    const { host } = world;
    const device = new Listener(1);
    joinedDevice(world, device);
    device.groups.add(7);
    host.send(wire().u8(1, 0, addressMode.group).u16(7), 0x0104, 6, [1]);
    host.send(wire().u8(2, 0, addressMode.short).u16(0xffff).u8(1), 0x0104, 6, [2]);
    host.send(wire().u8(3, 0, addressMode.ieee).ieee(device.ieee).u8(1), 0x0104, 6, [3]);
    host.pass(100);
    assert.deepEqual(new Set(device.take().flat()), new Set([1, 2, 3]));
  });

  test("to the stick itself are answered like those to a device", () => {
    const { host, air } = formedWorld();
    air.energy.set(11, 40);
    const ask = (cluster: number, payload: readonly number[]): string => {
      host.send(wire().u8(1, 0, addressMode.short).u16(0).u8(0), 0, cluster, payload);
      host.pass();
      return hexOf(host.indicated()?.payload ?? new Uint8Array());
    };
    assert.equal(ask(zdo.activeEndpoints, [44, 0, 0]), "2c0000000101");
    assert.equal(ask(zdo.networkUpdate, [45, 0, 8, 0, 0, 3, 1]), "2d0000080000000000000128");
  });

  test("move the network to another channel", () => {
    const { host } = formedWorld();
    const update = [1, 0, 0, 0x10, 0, 0xfe, 1];
    host.send(wire().u8(1, 0, addressMode.short).u16(0xfffd).u8(0), 0, zdo.networkUpdate, update);
    host.pass(1000);
    assert.equal(host.stick.network?.channel, 20);
    assert.equal(host.read(parameter.currentChannel)[0], 20);
  });
});
