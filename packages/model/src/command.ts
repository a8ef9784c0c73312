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
}

declare module "./states.ts" {
  interface States {
    command: PendingCommand;
  }
}

export type CommandCommand =
  | { type: "NOTE_COMMAND_DONE"; id: string }
  | { type: "NOTE_COMMAND_FAILED"; id: string; code: string; message: string }
  | { type: "EXPIRE_COMMAND"; id: string };

const CommandSucceeded = telemetry(defineEvent("CommandSucceeded", 1, { device: Type.String() }));
const CommandFailed = telemetry(
  defineEvent("CommandFailed", 1, {
    device: Type.String(),
    code: Type.String(),
    message: Type.String(),
  }),
);
/** The hub was down for longer than the command was valid; whether the device got it is unknown. */
const CommandExpired = telemetry(defineEvent("CommandExpired", 1, { device: Type.String() }));

/** A command failed. */
export type CommandFailed = EventOf<typeof CommandFailed>;
export type CommandEvent =
  | CommandIssued
  | EventOf<typeof CommandSucceeded>
  | CommandFailed
  | EventOf<typeof CommandExpired>;

/** Device commands under way. Devices and groups issue them; here they end. */
export const command: Decider<PendingCommand, CommandCommand, CommandEvent> = {
  kind: "command",
  commands: ["NOTE_COMMAND_DONE", "NOTE_COMMAND_FAILED", "EXPIRE_COMMAND"],
  events: [CommandIssued, CommandSucceeded, CommandFailed, CommandExpired],

  target: ({ id }) => id,

  decide(order, state, world) {
    if (state === undefined) return [];
    const { id, device, scene } = state;
    switch (order.type) {
      case "NOTE_COMMAND_DONE":
        return [{ type: "CommandSucceeded", id, device } satisfies CommandEvent];
      case "NOTE_COMMAND_FAILED":
        return failed(state, order, world);
      case "EXPIRE_COMMAND": {
        const message = "the hub was down for longer than the command was good for";
        return [
          { type: "CommandExpired", id, device } satisfies CommandEvent,
          ...presetFailure(scene, { device, command: id, code: "expired", message }, world),
        ];
      }
    }
  },

  evolve(_state, event, timestamp) {
    if (event.type !== "CommandIssued") return undefined;
    const { id, device, attributes, absolute, group, scene, action } = event;
    const of = scene === undefined ? {} : { scene };
    const what = action === undefined ? {} : { action: action as DeviceAction };
    return { id, device, attributes, absolute, group, ...of, ...what, issuedAt: timestamp };
  },
};

function failed(
  { id, device, scene }: PendingCommand,
  { code, message }: { readonly code: string; readonly message: string },
  world: World,
): readonly DomainEvent[] {
  const event: CommandEvent = { type: "CommandFailed", id, device, code, message };
  return [event, ...presetFailure(scene, { device, command: id, code, message }, world)];
}
