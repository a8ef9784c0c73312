import assert from "node:assert/strict";
import { setTimeout as passing } from "node:timers/promises";
import type {
  Adapter,
  AdapterHost,
  AdapterRequest,
  DeviceCommand,
  DeviceDescription,
  Report,
} from "@ledge/port";
import { answerRequest, systemClock } from "@ledge/port";
import { createAdapter } from "../index.ts";

export { codeOf } from "@ledge/port/testing";
export { passing };

/** A running adapter, with everything that it reported. */
export interface Rig {
  readonly adapter: Adapter;
  readonly reports: Report[];
  /** Native ids, in order. */
  readonly announced: string[];
  /** The latest description of each device. */
  readonly described: Map<string, DeviceDescription>;
  readonly found: string[];
  readonly ask: (request: AdapterRequest) => Promise<unknown>;
  readonly send: (native: string, command: DeviceCommand) => Promise<void>;
  readonly set: (native: string, attributes: Readonly<Record<string, unknown>>) => Promise<void>;
  /** The newest reported value of an attribute. */
  readonly latest: (native: string, attribute: string) => unknown;
  readonly until: (what: string, holds: () => boolean) => Promise<void>;
  /** Starts the adapter again after a stop. */
  readonly restart: () => Promise<void>;
}

/** Starts an adapter in real time. The caller stops it. */
export async function startRig(settings: unknown, stored = new Map<string, unknown>()): Promise<Rig> {
  const adapter = createAdapter(() => 0.5);
  const reports: Report[] = [];
  const announced: string[] = [];
  const described = new Map<string, DeviceDescription>();
  const found: string[] = [];
  const host: AdapterHost = {
    settings,
    folder: "/nowhere",
    clock: systemClock,
    store: {
      get: (key) => stored.get(key),
      put: async (key, value) => void stored.set(key, structuredClone(value)),
    },
    log: () => {},
    announce: (description) => {
      announced.push(description.native);
      described.set(description.native, description);
    },
    found: ({ native }) => void found.push(native),
    lost: () => {},
    trouble: () => {},
    report: (report) => void reports.push(report),
  };
  await adapter.start(host);
  const send = (native: string, command: DeviceCommand): Promise<void> =>
    adapter.send(native, command, new AbortController().signal);
  return {
    adapter,
    reports,
    announced,
    described,
    found,
    ask: (request) => answerRequest(adapter, request, new AbortController().signal),
    send,
    set: (native, attributes) => send(native, { type: "set", attributes }),
    latest: (native, name) =>
      reports.findLast((report) => report.native === native && name in report.attributes)?.attributes[name],
    until: async (what, holds) => {
      const start = performance.now();
      while (!holds()) {
        assert.ok(performance.now() - start < 60_000, `timed out waiting for ${what}`);
        await passing(10);
      }
    },
    restart: () => adapter.start(host),
  };
}

/** A relay as in settings. */
export const pump = {
  id: "pump",
  address: 1,
  name: "Pump",
  deviceType: "RELAY",
  register: 3,
  registerType: "coil",
};
