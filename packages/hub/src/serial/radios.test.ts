import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Refused } from "@ledge/api";
import type { Alarm, Command } from "@ledge/model";
import { alarmId, alarmTexts, features, limits } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel, sticks as hardware, TestMachine } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { listPorts } from "@ledge/serial";
import { Notes } from "../notes/notes.ts";
import { NetworkSticks } from "./network-sticks.ts";
import { Radios } from "./radios.ts";
import { Sticks } from "./sticks.ts";

/** The radios of a hub in memory, on a machine whose files are in a folder. */
class Bench {
  readonly machine: TestMachine;
  readonly hub: TestKernel;
  readonly adapters: Record<string, unknown>;
  readonly network: NetworkSticks;
  readonly sticks: Sticks;
  readonly radios: Radios;
  readonly restarted: [protocol: string, settings: unknown][] = [];

  constructor(
    t: TestContext,
    adapters: Record<string, unknown>,
    hub = openTestKernel(),
    machine = new TestMachine(),
  ) {
    [this.hub, this.machine, this.adapters] = [hub, machine, adapters];
    const { kernel, clock } = hub;
    const logger = createLogger("silent");
    this.network = new NetworkSticks(clock);
    this.sticks = new Sticks({ kernel, adapters, systemRoot: machine.root, network: this.network });
    this.radios = new Radios({
      kernel,
      clock,
      logger,
      notes: new Notes(kernel, clock, logger),
      sticks: this.sticks,
      devices: { restart: async (protocol, settings) => void this.restarted.push([protocol, settings]) },
      systemRoot: machine.root,
      network: this.network,
    });
    this.radios.start();
    t.after(() => {
      this.radios.stop();
      machine.remove();
    });
  }

  alarm(protocol: string): Alarm | undefined {
    return this.hub.kernel.get("alarm", alarmId("STICK_FOUND", protocol));
  }

  /** Checks until something holds: the folders of the machine report their changes. */
  async until(what: string, holds: () => boolean): Promise<void> {
    for (let tries = 0; !holds(); tries++) {
      assert.ok(tries < 3000, `in vain: ${what}`);
      await sleep(10);
      await this.hub.clock.pass(limits.serialSettleMs);
    }
  }

  /** Lets the hub look twice. A look of our own begins later and takes as many steps. */
  async later(): Promise<void> {
    for (let looks = 0; looks < 2; looks++) {
      await this.hub.clock.pass(limits.serialRescanMs);
      await listPorts(this.machine.root);
    }
    await this.hub.clock.pass(0);
  }

  async take(wanted: Parameters<Sticks["taking"]>[0]): Promise<void> {
    const command = await this.sticks.taking(wanted);
    assert.ok(!(command instanceof Refused), JSON.stringify(command));
    await this.hub.accept(command as Command & Record<string, unknown>);
  }

  /** Stops the hub and starts it again. */
  restart(t: TestContext): Bench {
    this.radios.stop();
    return new Bench(t, this.adapters, this.hub.restart(), this.machine);
  }
}

test("proposes a stick that fits an adapter without a radio, until it is pulled out", async (t) => {
  const bench = new Bench(t, { zigbee: {}, modbus: {} });
  bench.machine.plug(hardware.dongleP);
  await bench.until("a proposal", () => bench.alarm("zigbee")?.closed === false);
  const { name, facts } = bench.alarm("zigbee") as Alarm;
  const port = bench.machine.portOf(hardware.dongleP);
  assert.deepEqual([name, facts], ["Sonoff ZBDongle-P", { protocol: "Zigbee", port }]);
  const { level, message } = alarmTexts("STICK_FOUND", { name, ...facts });
  assert.equal(level, "info");
  assert.match(message.en, /^Sonoff ZBDongle-P can be the radio for Zigbee/);
  bench.machine.unplug(hardware.dongleP);
  await bench.until("its end", () => bench.alarm("zigbee")?.closed === true);
  bench.machine.plug(hardware.dongleP);
  await bench.until("a new one", () => bench.alarm("zigbee")?.closed === false);
});

test("proposes nothing for unknown sticks, or for protocols with a radio or outside the profile", async (t) => {
  const bench = new Bench(t, {
    zigbee: { radio: { path: "tcp://10.0.0.7:6638", stick: "zstack" } },
    modbus: {},
  });
  for (const stick of [hardware.dongleP, hardware.zwave, hardware.adapter]) bench.machine.plug(stick);
  await bench.later();
  assert.equal(bench.hub.kernel.size("alarm"), 0);
});

test("does not propose a port that another adapter uses", async (t) => {
  const machine = new TestMachine();
  const transport = { type: "rtu", path: machine.path("dev/ttyUSB0") };
  machine.plug(hardware.dongleP);
  const hub = openTestKernel();
  const id = await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  await hub.accept({ type: "SET_FEATURES", id, features: [features.MODBUS] });
  const bench = new Bench(t, { modbus: { ports: [{ transport }] }, zigbee: {} }, hub, machine);
  machine.plug(hardware.conbee);
  await bench.until("a proposal", () => bench.alarm("zigbee") !== undefined);
  assert.equal(bench.alarm("zigbee")?.name, "ConBee II");
});

test("does not propose again what a user has closed, also after a restart", async (t) => {
  const bench = new Bench(t, { zigbee: {} });
  bench.machine.plug(hardware.dongleP);
  await bench.until("a proposal", () => bench.alarm("zigbee") !== undefined);
  await bench.hub.accept({ type: "CLOSE_ALARM", id: alarmId("STICK_FOUND", "zigbee") });
  await bench.later();
  assert.equal(bench.alarm("zigbee")?.closed, true);
  const again = bench.restart(t);
  await again.later();
  assert.equal(again.alarm("zigbee")?.closed, true);
  again.machine.plug(hardware.conbee);
  await again.until("another stick", () => again.alarm("zigbee")?.closed === false);
  assert.equal(again.alarm("zigbee")?.name, "Sonoff ZBDongle-P, ConBee II");
});

test("withdraws the proposal of a stick that was removed while the hub was down", async (t) => {
  const bench = new Bench(t, { zigbee: {} });
  bench.machine.plug(hardware.dongleP);
  await bench.until("a proposal", () => bench.alarm("zigbee") !== undefined);
  bench.machine.unplug(hardware.dongleP);
  const again = bench.restart(t);
  await again.until("its end", () => again.alarm("zigbee")?.closed === true);
});

test("choosing a stick closes the proposal, restarts the adapter, and survives a restart", async (t) => {
  const bench = new Bench(t, { zigbee: { channel: 15 } });
  bench.machine.plug(hardware.dongleP);
  await bench.until("a proposal", () => bench.alarm("zigbee") !== undefined);
  const path = bench.machine.portOf(hardware.dongleP);
  await bench.take({ port: path, protocol: "zigbee" });
  await bench.until("its end", () => bench.alarm("zigbee")?.closed === true);
  const settings = { channel: 15, radio: { path, stick: "zstack" } };
  assert.deepEqual(bench.restarted, [["zigbee", settings]]);
  const again = bench.restart(t);
  assert.deepEqual(again.sticks.settings(), { zigbee: settings });
  await again.hub.accept({ type: "GIVE_UP_STICK", id: "zigbee" });
  assert.deepEqual(again.restarted, [["zigbee", { channel: 15 }]]);
  await again.until("a new proposal", () => again.alarm("zigbee")?.closed === false);
});

test("a chosen stick takes precedence over the profile, and waits while the profile lacks the adapter", async (t) => {
  const bench = new Bench(t, { zigbee: { radio: { path: "/dev/ttyUSB9", stick: "ember" } } });
  await bench.take({ port: "tcp://10.0.0.7:6638", protocol: "zigbee", driver: "zstack" });
  const radio = { path: "tcp://10.0.0.7:6638", stick: "zstack" };
  assert.deepEqual(bench.restarted, [["zigbee", { radio }]]);
  const without = new Bench(t, {}, bench.hub.restart());
  assert.deepEqual(without.sticks.settings(), {});
  await without.hub.accept({ type: "GIVE_UP_STICK", id: "zigbee" });
  assert.deepEqual(without.restarted, []);
});

test("proposes a coordinator that announces itself on the network, until it has gone", async (t) => {
  const bench = new Bench(t, { zigbee: {} });
  const type = "_slzb-06._tcp.local";
  const name = `SLZB-06.${type}`;
  const data = { target: "c.local", port: 6638, priority: 0, weight: 0 };
  bench.network.heard([
    { type: "PTR", name: type, ttl: 120, data: name },
    { type: "SRV", name, ttl: 120, data },
    { type: "A", name: "c.local", ttl: 120, data: "192.168.1.20" },
  ]);
  await bench.until("a proposal", () => bench.alarm("zigbee")?.closed === false);
  assert.deepEqual(bench.alarm("zigbee")?.facts, { protocol: "Zigbee", port: "tcp://192.168.1.20:6638" });
  await bench.hub.clock.pass(120_000 + limits.mdnsAskMs);
  await bench.until("its end", () => bench.alarm("zigbee")?.closed === true);
});
