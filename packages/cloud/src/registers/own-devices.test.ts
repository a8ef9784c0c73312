import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import type { RegisterStore } from "@ledge/fleet";
import { createLogger } from "@ledge/host/logger";
import { isRejection, limits } from "@ledge/model";
import { until } from "@ledge/testkit";
import { refusalOf } from "../model/submitting.ts";
import { TestRegisters } from "../push/test-registers.ts";
import { TestCloud } from "../testdata/open-cloud.ts";
import { ownSource } from "./own-source.ts";
import { Registers } from "./registers.ts";

const register = "meters-abc";
const place = { subscription: "sub", group: "homes", name: "Meters" };
const logger = createLogger("silent");

let cloud: TestCloud;
let registers: Registers;
beforeEach(async () => {
  cloud = await TestCloud.open();
  const command = { type: "CREATE_DEVICE_REGISTER", id: register, place, displayName: "Meters" };
  assert.equal(await refusalOf(cloud.cloud.kernel, "system", command), undefined);
  registers = open();
});
afterEach(async () => {
  registers.stop();
  await cloud.remove();
});

function open(store = cloud.cloud.registers, kernel = cloud.cloud.kernel): Registers {
  const { bus, tenancy } = cloud.cloud;
  return new Registers({
    kernel,
    store,
    bus,
    gateways: tenancy.gateways,
    clock: cloud.clock,
    logger,
    cursorKey: new Uint8Array(32),
  });
}

function adding(device: string) {
  const routing = { gatewayId: null, protocol: null };
  const about = { name: device, type: "METER", capabilities: [], routing };
  const texts = { nativeId: "", serialNumber: "", model: "", manufacturer: "", tags: {} };
  return {
    type: "ADD_REGISTER_DEVICE",
    register,
    device,
    by: "ada",
    about,
    metadata: { isActive: true, ...texts },
  };
}

function stored(): Promise<string[]> {
  return new TestRegisters(cloud.cloud).ids(register);
}

async function becomes(expected: readonly string[]): Promise<void> {
  await until(`the rows ${expected.join(" ")}`, async () => (await stored()).join() === expected.join());
}

test("a start writes the devices that the store has lost, and removes those that are gone", async () => {
  const { kernel, registers: store } = cloud.cloud;
  for (const id of ["one", "two"]) assert.equal(await registers.add(adding(id), "system"), undefined);
  registers.stop();
  await refusalOf(kernel, "system", { type: "FORGET_REGISTER_DEVICE", register, device: "two" });
  await refusalOf(kernel, "system", adding("three"));
  assert.deepEqual(await stored(), ["one", "two"]);
  registers = open();
  await becomes(["one", "three"]);
  registers.stop();
  await store.forget(ownSource(register));
  registers = open();
  await becomes(["one", "three"]);
});

test("a start writes nothing of a register that is as the log says", async () => {
  const { kernel, registers: store } = cloud.cloud;
  const other = { type: "CREATE_DEVICE_REGISTER", id: "pumps-abc", place, displayName: "Pumps" };
  assert.equal(await refusalOf(kernel, "system", other), undefined);
  assert.equal(await registers.add(adding("one"), "system"), undefined);
  registers.stop();
  const lost = { ...adding("two"), register: other.id };
  assert.equal(await refusalOf(kernel, "system", lost), undefined);
  const before = await store.cursorOf(ownSource(register));
  registers = open();
  // Registers are mended one after the other, this one last.
  await new TestRegisters(cloud.cloud).has(other.id, "two");
  assert.deepEqual(await store.cursorOf(ownSource(register)), before);
});

test("devices that the store does not take are written while the cloud runs, once it does", async () => {
  let failures = 0;
  const store = cloud.cloud.registers;
  const faulty = new Proxy(store, {
    get(target, name: keyof RegisterStore) {
      if (name === "apply" && failures > 0) {
        failures--;
        return () => Promise.reject(new Error("the disk is full"));
      }
      return target[name].bind(target);
    },
  });
  registers.stop();
  registers = open(faulty);
  failures = 3;
  assert.equal(await registers.add(adding("one"), "system"), undefined);
  assert.deepEqual(await stored(), []);
  assert.equal(failures, 2);
  await cloud.clock.pass(limits.retryMinMs);
  await until("a second try", () => failures === 1);
  await cloud.clock.pass(2 * limits.retryMinMs);
  await until("a third try", () => failures === 0);
  assert.deepEqual(await stored(), []);
  await cloud.clock.pass(4 * limits.retryMinMs);
  await becomes(["one"]);
});

test("what was said of a hub that has left is forgotten later, but not what its next owner says", async () => {
  const { kernel } = cloud.cloud;
  const { metadata } = adding("any");
  const saying = (device: string, by: string) => {
    return {
      type: "DESCRIBE_REGISTER_DEVICE",
      register: "hub",
      device,
      by,
      metadata: { ...metadata, model: by },
    };
  };
  const sayer = (device: string): string | undefined =>
    kernel.get("registerDevice", `hub/${device}`)?.modifiedBy;
  assert.equal(await refusalOf(kernel, "system", saying("lamp", "ada"), saying("plug", "ada")), undefined);
  let failures = 1;
  const faulty = new Proxy(kernel, {
    get(target, name) {
      if (name === "submit" && failures-- > 0) return () => Promise.reject(new Error("the disk is full"));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  registers.stop();
  registers = open(cloud.cloud.registers, faulty);
  assert.equal(await refusalOf(kernel, "system", saying("lamp", "bob")), undefined);
  assert.deepEqual(["lamp", "plug"].map(sayer), ["bob", "ada"]);
  await cloud.clock.pass(limits.retryMinMs);
  await until("what ada said is forgotten", () => sayer("plug") === undefined);
  assert.equal(sayer("lamp"), "bob");
});

test("devices survive a restart of the cloud", async () => {
  assert.equal(await registers.add(adding("one"), "system"), undefined);
  registers.stop();
  await cloud.stop();
  await cloud.start();
  registers = open();
  await becomes(["one"]);
  const row = await cloud.cloud.registers.get({ register, kind: "device", id: "one" });
  assert.equal(row?.kind === "device" && row.device.createdBy, "ada");
});

test("two who add one id at once do not both succeed", async () => {
  const both = await Promise.all(
    [adding("one"), adding("one")].map((command) => registers.add(command, "system")),
  );
  assert.deepEqual(both.map((refused) => refused?.field ?? "added").toSorted(), ["added", "device.id"]);
});

test("a register takes as many devices as its limit says, also from several at once", async () => {
  const { kernel } = cloud.cloud;
  const all = Array.from({ length: limits.registerDevices - 1 }, (_, at) => adding(`device-${at}`));
  for (let at = 0; at < all.length; at += limits.cascadeCommands)
    assert.equal(await refusalOf(kernel, "system", ...all.slice(at, at + limits.cascadeCommands)), undefined);
  const last = await Promise.all(
    [adding("last-1"), adding("last-2")].map((command) => registers.add(command, "system")),
  );
  assert.deepEqual(
    last.map((refused) => (refused !== undefined && isRejection(refused) ? refused.rejected : "added")),
    ["added", "limit"],
  );
});
