import Type from "typebox";
import { presetFailure } from "./activator.ts";
import type { Decider, World } from "./decider.ts";
import type { DomainEvent, EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";
import { CommandIssued, type DeviceAction } from "./issue.ts";

/** A device command under way: issued, and neither carried out nor given up yet. */
export interface PendingCommand {
  readonly id: string;
  readonly device: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Whether it is idempotent; an impulse (a siren, an unlock) is sent once, after its commit. */
  readonly absolute: boolean;
  /** The group that it was sent to, or null. */
  readonly group: string | null;
  /** The scene whose presets it belongs to. */
  readonly scene?: string;
  /** The action; then there are no attributes. */
  readonly action?: DeviceAction;
  readonly issuedAt: number;
  /** Why it waits for its device, such as a device that sleeps. Absent while it is on its way. */
  readonly waits?: string;
}

declare module "./states.ts" {
  interface States {
    command: PendingCommand;
  }
}

export type CommandCommand =
  | { type: "NOTE_COMMAND_DONE"; id: string }
  | { type: "NOTE_COMMAND_FAILED"; id: string; code: string; message: string }
  /** The device sleeps: it gets the command when it wakes up. */
  | { type: "NOTE_COMMAND_DEFERRED"; id: string; message: string }
  | { type: "EXPIRE_COMMAND"; id: string };

const CommandSucceeded = telemetry(defineEvent("CommandSucceeded", 1, { device: Type.String() }));
const CommandFailed = telemetry(
  defineEvent("CommandFailed", 1, {
    device: Type.String(),
    code: Type.String(),
    message: Type.String(),
  }),
);
/** The command waits in the log until its device wakes up. */
const CommandDeferred = telemetry(
  defineEvent("CommandDeferred", 1, { device: Type.String(), message: Type.String() }),
);
/** The hub was down for longer than the command was valid; whether the device got it is unknown. */
const CommandExpired = telemetry(defineEvent("CommandExpired", 1, { device: Type.String() }));

/** A command failed. */
export type CommandFailed = EventOf<typeof CommandFailed>;
export type CommandEvent =
  | CommandIssued
  | EventOf<typeof CommandSucceeded>
  | CommandFailed
  | EventOf<typeof CommandDeferred>
  | EventOf<typeof CommandExpired>;

/** Device commands under way. Devices and groups issue them; here they end. */
export const command: Decider<PendingCommand, CommandCommand, CommandEvent> = {
  kind: "command",
  commands: ["NOTE_COMMAND_DONE", "NOTE_COMMAND_FAILED", "NOTE_COMMAND_DEFERRED", "EXPIRE_COMMAND"],
  events: [CommandIssued, CommandSucceeded, CommandFailed, CommandDeferred, CommandExpired],

  target: ({ id }) => id,

  decide(order, state, world) {
    if (state === undefined) return [];
    const { id, device, scene } = state;
    switch (order.type) {
      case "NOTE_COMMAND_DONE":
        return [{ type: "CommandSucceeded", id, device } satisfies CommandEvent];
      case "NOTE_COMMAND_FAILED":
        return failed(state, order, world);
      case "NOTE_COMMAND_DEFERRED":
        return deferred(state, order.message, world);
      case "EXPIRE_COMMAND": {
        const message = "the hub was down for longer than the command was good for";
        return [
          { type: "CommandExpired", id, device } satisfies CommandEvent,
          ...presetFailure(scene, { device, command: id, code: "expired", message }, world),
        ];
      }
    }
  },

  evolve(state, event, timestamp) {
    if (event.type === "CommandDeferred") return state && { ...state, waits: event.message };
    if (event.type !== "CommandIssued") return undefined;
    const { id, device, attributes, absolute, group, scene, action } = event;
    const of = scene === undefined ? {} : { scene };
    const what = action === undefined ? {} : { action: action as DeviceAction };
    return { id, device, attributes, absolute, group, ...of, ...what, issuedAt: timestamp };
  },
};

/** The newest command for each attribute waits; those before it have nothing left to do. */
function deferred(state: PendingCommand, message: string, world: World): readonly CommandEvent[] {
  const { id, device, attributes, issuedAt } = state;
  if (state.waits !== undefined) return [];
  const waiting = [...world.all("command")]
    .map(([, other]) => other)
    .filter((other) => other.device === device && other.id !== id && other.waits !== undefined);
  const isCovered = (older: PendingCommand, newer: PendingCommand): boolean =>
    older.issuedAt <= newer.issuedAt &&
    Object.keys(older.attributes).every((name) => name in newer.attributes);
  if (waiting.some((other) => other.issuedAt > issuedAt && isCovered(state, other)))
    return [{ type: "CommandSucceeded", id, device }];
  const over = waiting.filter((other) => isCovered(other, { ...state, attributes }));
  return [
    ...over.map((other): CommandEvent => ({ type: "CommandSucceeded", id: other.id, device })),
    { type: "CommandDeferred", id, device, message },
  ];
}

function failed(
  { id, device, scene }: PendingCommand,
  { code, message }: { readonly code: string; readonly message: string },
  world: World,
): readonly DomainEvent[] {
  const event: CommandEvent = { type: "CommandFailed", id, device, code, message };
  return [event, ...presetFailure(scene, { device, command: id, code, message }, world)];
}
