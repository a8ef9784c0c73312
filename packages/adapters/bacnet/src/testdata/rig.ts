import assert from "node:assert/strict";
import type { Adapter, AdapterHost, AdapterRequest, DeviceDescription, Report } from "@ledge/port";
import { answerRequest, systemClock } from "@ledge/port";
import { complaintsIn } from "@ledge/port/testing";
import { until } from "@ledge/testkit";
import type { BacnetObject } from "@ledge/testkit/bacnet";
import { BacnetDevice, objectType } from "@ledge/testkit/bacnet";
import { createAdapter } from "../index.ts";

/** A running adapter, with everything that it reported. */
export interface Rig {
  readonly adapter: Adapter;
  readonly reports: Report[];
  /** The latest description of each device. */
  readonly described: Map<string, DeviceDescription>;
  readonly complaints: string[];
  readonly stored: Map<string, unknown>;
  readonly ask: (request: AdapterRequest) => Promise<unknown>;
  readonly set: (native: string, attributes: Readonly<Record<string, unknown>>) => Promise<void>;
  /** The newest reported value of an attribute. */
  readonly latest: (native: string, attribute: string) => unknown;
  readonly until: (what: string, holds: () => boolean) => Promise<void>;
  /** Pairs an object and returns its native id. */
  readonly pair: (type: string, instance: number, capability: string, more?: object) => Promise<string>;
}

/** Settings with which an adapter finds a device on the loopback interface, where nobody hears broadcasts. */
export function settingsFor(device: BacnetDevice, more: object = {}): object {
  const fast = { timeoutMs: 300, retries: 1, pollMs: 40, checkMs: 60_000, unreachableAfter: 1 };
  return { host: "127.0.0.1", port: 0, broadcast: device.address, ...fast, ...more };
}

/** Starts an adapter in real time. The caller stops it. */
export async function startRig(settings: unknown, stored = new Map<string, unknown>()): Promise<Rig> {
  const adapter = createAdapter(() => 0.5);
  const reports: Report[] = [];
  const described = new Map<string, DeviceDescription>();
  const complaints: string[] = [];
  const host: AdapterHost = {
    settings,
    folder: "/nowhere",
    clock: systemClock,
    store: {
      get: (key) => stored.get(key),
      put: async (key, value) => void stored.set(key, structuredClone(value)),
    },
    log: complaintsIn(complaints),
    announce: (description) => void described.set(description.native, description),
    found: () => {},
    lost: () => {},
    trouble: () => {},
    report: (report) => void reports.push(report),
  };
  await adapter.start(host);
  const ask = (request: AdapterRequest): Promise<unknown> =>
    answerRequest(adapter, request, new AbortController().signal);
  return {
    adapter,
    reports,
    described,
    complaints,
    stored,
    ask,
    set: (native, attributes) =>
      adapter.send(native, { type: "set", attributes }, new AbortController().signal),
    latest: (native, attribute) =>
      reports.findLast((report) => report.native === native && attribute in report.attributes)?.attributes[
        attribute
      ],
    async until(what, holds) {
      await until(what, holds);
    },
    async pair(type, instance, capability, more = {}) {
      const before = new Set(described.keys());
      const pairing = { deviceId: 1001, objectType: type, objectId: instance, capability, ...more };
      assert.equal(await ask({ type: "PAIR_BACNET_DEVICE", ...pairing }), true);
      const native = [...described.keys()].find((each) => !before.has(each));
      assert.ok(native !== undefined);
      return native;
    },
  };
}

const celsius = 62;
const percent = 98;

/** The objects of a small air handler. */
export function airHandler(): BacnetObject[] {
  return [
    {
      type: objectType.analogInput,
      instance: 1,
      name: "Supply air",
      value: { real: 21.5 },
      units: celsius,
    },
    {
      type: objectType.analogValue,
      instance: 1,
      name: "Setpoint",
      value: { real: 20 },
      units: celsius,
      priorities: new Map(),
    },
    {
      type: objectType.analogOutput,
      instance: 1,
      name: "Valve",
      value: { real: 0 },
      units: percent,
      priorities: new Map(),
    },
    { type: objectType.binaryInput, instance: 1, name: "Filter guard", value: { enumerated: 0 } },
    {
      type: objectType.binaryOutput,
      instance: 1,
      name: "Fan",
      value: { enumerated: 0 },
      priorities: new Map(),
    },
    {
      type: objectType.multiStateValue,
      instance: 1,
      name: "Mode",
      value: { unsigned: 2 },
      priorities: new Map(),
    },
  ];
}

/** Starts an air handler with the number 1001. The caller ends it. */
export async function startDevice(objects = airHandler(), id = 1001): Promise<BacnetDevice> {
  const device = new BacnetDevice(id, objects);
  await device.up();
  return device;
}
