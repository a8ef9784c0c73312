import assert from "node:assert/strict";
import { setTimeout as passing } from "node:timers/promises";
import type {
  Adapter,
  AdapterErrorCode,
  AdapterHost,
  AdapterRequest,
  DeviceCommand,
  DeviceDescription,
  Report,
} from "@ledge/port";
import { AdapterError, answerRequest, systemClock } from "@ledge/port";
import { createAdapter } from "../index.ts";

export { passing };

/** The adapter, running, with all that it reported. */
export interface Rig {
  readonly adapter: Adapter;
  readonly reports: Report[];
  /** Native ids, in order. */
  readonly announced: string[];
  /** The newest that was said of each device. */
  readonly described: Map<string, DeviceDescription>;
  readonly found: string[];
  readonly ask: (request: AdapterRequest) => Promise<unknown>;
  readonly send: (native: string, command: DeviceCommand) => Promise<void>;
  readonly set: (native: string, attributes: Readonly<Record<string, unknown>>) => Promise<void>;
  /** The newest value reported of an attribute. */
  readonly latest: (native: string, attribute: string) => unknown;
  readonly until: (what: string, holds: () => boolean) => Promise<void>;
  /** Starts it again after a stop. */
  readonly restart: () => Promise<void>;
}

/** Starts an adapter with real time. The caller stops it. */
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
        assert.ok(performance.now() - start < 60_000, `waited in vain for ${what}`);
        await passing(10);
      }
    },
    restart: () => adapter.start(host),
  };
}

/** A relay as settings have it. */
export const pump = {
  id: "pump",
  address: 1,
  name: "Pump",
  deviceType: "RELAY",
  register: 3,
  registerType: "coil",
};

/** The code with which a command ended; undefined: it was carried out. */
export async function codeOf(outcome: Promise<void>): Promise<AdapterErrorCode | undefined> {
  try {
    await outcome;
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AdapterError, String(error));
    return error.code;
  }
}
