import Type from "typebox";
import type { AdapterFailure } from "./alarm-texts.ts";
import type { Decider } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";

/**
 * The state of a protocol's adapter. `dropped`: pulses lost since its first start because the queue was full.
 * `values`: what it keeps across restarts, such as network keys.
 */
export interface AdapterState {
  readonly id: string;
  readonly state: "running" | "failed" | "resting" | "stopped";
  readonly reason: string | null;
  readonly failures: number;
  readonly dropped: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface States {
    adapter: AdapterState;
  }
}

export type AdapterCommand =
  | {
      type: "NOTE_ADAPTER";
      id: string;
      state: AdapterState["state"];
      reason: string | null;
      failure?: AdapterFailure | null;
    }
  /**
   * The adapter has not been running for a while. `spared`: devices that it has reported since it began to
   * start.
   */
  | {
      type: "NOTE_ADAPTER_AWAY";
      id: string;
      reason: string | null;
      at: number;
      spared: readonly string[];
    }
  | { type: "NOTE_DROPPED"; id: string; dropped: number }
  | { type: "STORE_VALUE"; id: string; key: string; value: unknown };

const AdapterStarted = telemetry(defineEvent("AdapterStarted", 1, {}), () => ["state", "reason"]);
const AdapterStopped = telemetry(defineEvent("AdapterStopped", 1, {}), () => ["state", "reason"]);
/** `failure`: an `AdapterFailure`; older logs have none. */
const AdapterFailed = defineEvent("AdapterFailed", 1, {
  reason: Type.String(),
  failure: Type.Optional(Type.String()),
});
/** The adapter failed too often in a short time; it rests until somebody starts it. */
const AdapterRested = defineEvent("AdapterRested", 1, {
  reason: Type.String(),
  failure: Type.Optional(Type.String()),
});
/** The adapter is not running: its devices are unreachable since `at` (ms), except those in `spared`. */
const AdapterAway = telemetry(
  defineEvent("AdapterAway", 1, {
    reason: Type.Union([Type.String(), Type.Null()]),
    at: Type.Integer(),
    spared: Type.Array(Type.String()),
  }),
  () => ["state"],
);
const ReportsDropped = defineEvent("ReportsDropped", 1, { dropped: Type.Integer() });
const AdapterValueStored = telemetry(
  defineEvent(
    "AdapterValueStored",
    1,
    {
      key: Type.String(),
      value: Type.Unknown(),
    },
    ["value"],
  ),
  ({ key }) => [`values.${key}`],
);

/** The adapter failed. */
export type AdapterFailed = EventOf<typeof AdapterFailed>;
/** The adapter failed too often and rests. */
export type AdapterRested = EventOf<typeof AdapterRested>;
/** The adapter is not running. */
export type AdapterAway = EventOf<typeof AdapterAway>;
/** Pulses were lost because the adapter's queue was full. */
export type ReportsDropped = EventOf<typeof ReportsDropped>;
export type AdapterEvent =
  | EventOf<typeof AdapterStarted>
  | EventOf<typeof AdapterStopped>
  | AdapterFailed
  | AdapterRested
  | AdapterAway
  | ReportsDropped
  | EventOf<typeof AdapterValueStored>;

/** One instance per protocol; its id is the protocol's name. */
export const adapter: Decider<AdapterState, AdapterCommand, AdapterEvent> = {
  kind: "adapter",
  commands: ["NOTE_ADAPTER", "NOTE_ADAPTER_AWAY", "NOTE_DROPPED", "STORE_VALUE"],
  events: [
    AdapterStarted,
    AdapterStopped,
    AdapterFailed,
    AdapterRested,
    AdapterAway,
    ReportsDropped,
    AdapterValueStored,
  ],
  secrets: ["values"],

  target: (command) => command.id,

  decide(command, state) {
    const { id } = command;
    if (command.type === "NOTE_DROPPED") {
      return command.dropped > 0
        ? [{ type: "ReportsDropped", id, dropped: command.dropped } satisfies AdapterEvent]
        : [];
    }
    if (command.type === "NOTE_ADAPTER_AWAY") {
      const { reason, at, spared } = command;
      return [{ type: "AdapterAway", id, reason, at, spared: [...spared] } satisfies AdapterEvent];
    }
    if (command.type === "STORE_VALUE") {
      const { key, value = null } = command;
      return [{ type: "AdapterValueStored", id, key, value } satisfies AdapterEvent];
    }
    const reason = command.reason ?? "unknown";
    const failed = command.failure ? { reason, failure: command.failure } : { reason };
    switch (command.state) {
      case "running":
        return state?.state === "running" ? [] : [{ type: "AdapterStarted", id } satisfies AdapterEvent];
      case "stopped":
        return state?.state === "stopped" ? [] : [{ type: "AdapterStopped", id } satisfies AdapterEvent];
      case "failed":
        return [{ type: "AdapterFailed", id, ...failed } satisfies AdapterEvent];
      case "resting":
        return [{ type: "AdapterRested", id, ...failed } satisfies AdapterEvent];
    }
  },

  evolve(state, event, timestamp) {
    const { id } = event;
    const before = state ?? {
      id,
      state: "stopped",
      reason: null,
      failures: 0,
      dropped: 0,
      values: {},
      timestamp,
    };
    switch (event.type) {
      case "AdapterStarted":
        return { ...before, state: "running", reason: null, timestamp };
      case "AdapterStopped":
        return { ...before, state: "stopped", reason: null, timestamp };
      case "AdapterFailed":
        return { ...before, state: "failed", reason: event.reason, failures: before.failures + 1, timestamp };
      case "AdapterRested":
        return { ...before, state: "resting", reason: event.reason, timestamp };
      case "AdapterAway":
        // An adapter that was killed with the hub could not note its stop.
        return before.state === "running" ? { ...before, state: "stopped", timestamp } : before;
      case "ReportsDropped":
        return { ...before, dropped: before.dropped + event.dropped, timestamp };
      case "AdapterValueStored":
        return { ...before, values: { ...before.values, [event.key]: event.value }, timestamp };
    }
  },
};
