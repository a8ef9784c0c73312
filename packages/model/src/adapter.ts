import Type from "typebox";
import type { AdapterFailure } from "./alarm-texts.ts";
import type { Decider } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";

/**
 * How a protocol's adapter fares. `dropped`: pulses lost since the first start because its queue was full.
 * `values`: what it keeps beyond its process, such as network keys.
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
  /** It has not run for a while. `spared`: devices that it was heard of since it last began to start. */
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
/** `failure`: an `AdapterFailure`; logs from before there were alarms have none. */
const AdapterFailed = defineEvent("AdapterFailed", 1, {
  reason: Type.String(),
  failure: Type.Optional(Type.String()),
});
/** The adapter failed too often in a short time and is left alone until somebody asks for it. */
const AdapterRested = defineEvent("AdapterRested", 1, {
  reason: Type.String(),
  failure: Type.Optional(Type.String()),
});
/** It does not run: its devices cannot be reached since `at` (ms), those in `spared` aside. */
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

export type AdapterFailed = EventOf<typeof AdapterFailed>;
export type AdapterRested = EventOf<typeof AdapterRested>;
export type AdapterAway = EventOf<typeof AdapterAway>;
export type ReportsDropped = EventOf<typeof ReportsDropped>;
export type AdapterEvent =
  | EventOf<typeof AdapterStarted>
  | EventOf<typeof AdapterStopped>
  | AdapterFailed
  | AdapterRested
  | AdapterAway
  | ReportsDropped
  | EventOf<typeof AdapterValueStored>;

/** One instance per protocol; the protocol's name is its id. */
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
        // One that was killed with the hub had no time to say that it stopped.
        return before.state === "running" ? { ...before, state: "stopped", timestamp } : before;
      case "ReportsDropped":
        return { ...before, dropped: before.dropped + event.dropped, timestamp };
      case "AdapterValueStored":
        return { ...before, values: { ...before.values, [event.key]: event.value }, timestamp };
    }
  },
};
