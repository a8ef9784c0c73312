import { defineEvent, type EventOf, orNull, reject, telemetry } from "@ledge/model";
import Type from "typebox";
import type { CloudDecider } from "./states.ts";

export const operationStates = ["NotStarted", "Running", "Succeeded", "Failed", "Canceled"] as const;
export type OperationState = (typeof operationStates)[number];

/** Why an operation failed, as an error of Graph. */
const OperationError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.Record(Type.String(), Type.String())),
});
export type OperationError = Type.Static<typeof OperationError>;

/** Long work that an account has started (platform-api 1.2). */
export interface Operation {
  readonly id: string;
  /** The type of the message that started it. */
  readonly command: string;
  /** The account that started it, in the tenant of that account. */
  readonly owner: string;
  /** The ids of what it is about, by the names of the message's fields. */
  readonly target: Readonly<Record<string, string>>;
  /** What its work needs, also after a restart. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly correlationId: string | null;
  readonly state: OperationState;
  /** 0 to 100. */
  readonly percentComplete: number;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly timestamp: number;
  readonly result: unknown;
  readonly error: OperationError | null;
}

declare module "./states.ts" {
  interface CloudStates {
    operation: Operation;
  }
}

export type OperationCommand =
  | {
      type: "START_OPERATION";
      id: string;
      command: string;
      owner: string;
      target: Readonly<Record<string, string>>;
      input: Readonly<Record<string, unknown>>;
      correlationId: string | null;
    }
  /** Its work has begun, or has come further. */
  | { type: "NOTE_OPERATION_PROGRESS"; id: string; percent: number }
  | { type: "NOTE_OPERATION_DONE"; id: string; result: unknown }
  | { type: "NOTE_OPERATION_FAILED"; id: string; error: OperationError }
  | { type: "CANCEL_OPERATION"; id: string }
  /** Removes one that has ended; an open one stays. */
  | { type: "DROP_OPERATION"; id: string };

const Target = Type.Record(Type.String(), Type.String());
const OperationStarted = telemetry(
  defineEvent("OperationStarted", 1, {
    command: Type.String(),
    owner: Type.String(),
    target: Target,
    input: Type.Record(Type.String(), Type.Unknown()),
    correlationId: orNull(Type.String()),
  }),
  () => ["operation"],
);
const OperationProgressed = telemetry(
  defineEvent("OperationProgressed", 1, { percent: Type.Integer() }),
  () => ["state"],
);
const OperationSucceeded = telemetry(defineEvent("OperationSucceeded", 1, { result: Type.Unknown() }), () => [
  "state",
]);
const OperationFailed = telemetry(defineEvent("OperationFailed", 1, { error: OperationError }), () => [
  "state",
]);
const OperationCanceled = telemetry(defineEvent("OperationCanceled", 1, {}), () => ["state"]);
const OperationDropped = telemetry(defineEvent("OperationDropped", 1, {}), () => ["state"]);

export type OperationEvent =
  | EventOf<typeof OperationStarted>
  | EventOf<typeof OperationProgressed>
  | EventOf<typeof OperationSucceeded>
  | EventOf<typeof OperationFailed>
  | EventOf<typeof OperationCanceled>
  | EventOf<typeof OperationDropped>;

const events = [
  OperationStarted,
  OperationProgressed,
  OperationSucceeded,
  OperationFailed,
  OperationCanceled,
  OperationDropped,
] as const;

/** The types of the events of operations. */
export const operationEvents: ReadonlySet<string> = new Set(events.map(({ type }) => type));

/** Returns whether an operation has not ended. */
export function isOpen({ state }: Pick<Operation, "state">): boolean {
  return state === "NotStarted" || state === "Running";
}

export const operation: CloudDecider<Operation, OperationCommand, OperationEvent> = {
  kind: "operation",
  commands: [
    "START_OPERATION",
    "NOTE_OPERATION_PROGRESS",
    "NOTE_OPERATION_DONE",
    "NOTE_OPERATION_FAILED",
    "CANCEL_OPERATION",
    "DROP_OPERATION",
  ],
  events,

  target: (command) => command.id,

  decide(command, state) {
    const { id } = command;
    if (command.type === "START_OPERATION") {
      if (state !== undefined) return reject("wrong-state", `operation ${id} exists already`, "operationId");
      const { command: name, owner, target, input, correlationId } = command;
      return [{ type: "OperationStarted", id, command: name, owner, target, input, correlationId }];
    }
    if (state === undefined) return reject("not-found", `there is no operation ${id}`, "operationId");
    if (command.type === "DROP_OPERATION") return isOpen(state) ? [] : [{ type: "OperationDropped", id }];
    if (!isOpen(state)) {
      // What an operation comes to later changes nothing; a person who cancels learns that it is too late.
      if (command.type !== "CANCEL_OPERATION") return [];
      return reject("wrong-state", `operation ${id} has ended: ${state.state}`, "operationId");
    }
    switch (command.type) {
      case "NOTE_OPERATION_PROGRESS": {
        const { percent } = command;
        const isNews = state.state === "NotStarted" || percent > state.percentComplete;
        return isNews ? [{ type: "OperationProgressed", id, percent }] : [];
      }
      case "NOTE_OPERATION_DONE":
        return [{ type: "OperationSucceeded", id, result: command.result }];
      case "NOTE_OPERATION_FAILED":
        return [{ type: "OperationFailed", id, error: command.error }];
      case "CANCEL_OPERATION":
        return [{ type: "OperationCanceled", id }];
    }
  },

  evolve(state, event, timestamp) {
    if (event.type === "OperationStarted") {
      const { id, command, owner, target, input, correlationId } = event;
      const begun = { state: "NotStarted", percentComplete: 0, createdAt: timestamp, timestamp } as const;
      return { id, command, owner, target, input, correlationId, ...begun, result: null, error: null };
    }
    if (state === undefined) return undefined;
    switch (event.type) {
      case "OperationProgressed":
        return { ...state, state: "Running", percentComplete: event.percent, timestamp };
      case "OperationSucceeded":
        return { ...state, state: "Succeeded", percentComplete: 100, result: event.result, timestamp };
      case "OperationFailed":
        return { ...state, state: "Failed", error: event.error, timestamp };
      case "OperationCanceled":
        return { ...state, state: "Canceled", timestamp };
      case "OperationDropped":
        return undefined;
    }
  },
};
