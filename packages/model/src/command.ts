import Type from "typebox";
import type { Decider } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";

/** A device command on its way: issued, and neither carried out nor given up yet. */
export interface PendingCommand {
  readonly id: string;
  readonly device: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Sending it twice does no harm; an impulse (a siren, an unlock) is sent once, after its commit. */
  readonly absolute: boolean;
  /** The group that it was sent to, or null. */
  readonly group: string | null;
  readonly issuedAt: number;
}

export type CommandCommand =
  | { type: "NOTE_COMMAND_DONE"; id: string }
  | { type: "NOTE_COMMAND_FAILED"; id: string; code: string; message: string }
  | { type: "EXPIRE_COMMAND"; id: string };

const Attributes = Type.Record(Type.String(), Type.Unknown());

export const CommandIssued = telemetry(
  defineEvent("CommandIssued", 1, {
    device: Type.String(),
    attributes: Attributes,
    absolute: Type.Boolean(),
    group: Type.Union([Type.String(), Type.Null()]),
  }),
);
const CommandSucceeded = telemetry(defineEvent("CommandSucceeded", 1, { device: Type.String() }));
const CommandFailed = telemetry(
  defineEvent("CommandFailed", 1, {
    device: Type.String(),
    code: Type.String(),
    message: Type.String(),
  }),
);
/** The hub was down for longer than the command was good for; whether it went out is not known. */
const CommandExpired = telemetry(defineEvent("CommandExpired", 1, { device: Type.String() }));

export type CommandIssued = EventOf<typeof CommandIssued>;
export type CommandEvent =
  | CommandIssued
  | EventOf<typeof CommandSucceeded>
  | EventOf<typeof CommandFailed>
  | EventOf<typeof CommandExpired>;

/** Issued by devices and groups; here it ends, one way or another. */
export const command: Decider<PendingCommand, CommandCommand, CommandEvent> = {
  kind: "command",
  commands: ["NOTE_COMMAND_DONE", "NOTE_COMMAND_FAILED", "EXPIRE_COMMAND"],
  events: [CommandIssued, CommandSucceeded, CommandFailed, CommandExpired],

  target: ({ id }) => id,

  decide(order, state) {
    if (state === undefined) return [];
    const { id, device } = state;
    switch (order.type) {
      case "NOTE_COMMAND_DONE":
        return [{ type: "CommandSucceeded", id, device } satisfies CommandEvent];
      case "NOTE_COMMAND_FAILED":
        return [
          {
            type: "CommandFailed",
            id,
            device,
            code: order.code,
            message: order.message,
          } satisfies CommandEvent,
        ];
      case "EXPIRE_COMMAND":
        return [{ type: "CommandExpired", id, device } satisfies CommandEvent];
    }
  },

  evolve(_state, event, timestamp) {
    if (event.type !== "CommandIssued") return undefined;
    const { id, device, attributes, absolute, group } = event;
    return { id, device, attributes, absolute, group, issuedAt: timestamp };
  },
};
