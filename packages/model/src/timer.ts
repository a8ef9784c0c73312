import Type from "typebox";
import type { Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";
import { limits } from "./limits.ts";

/**
 * What a timer does that came due while the hub was down: `fire` at once on start; `skip` when it is later
 * than `lateMaxMs`, or than `limits.timerGraceMs` if that is longer; `recheck` fires after the radios have
 * reported again, so that its owner can look first.
 */
export type LatePolicy = "fire" | "skip" | "recheck";

/**
 * A due time in the log. A relative timer (`durationMs` not null) runs on elapsed time, an absolute one on
 * the wall clock. `generation` is the timestamp at which it was set; a firing of an earlier generation is
 * dropped.
 */
export interface Timer {
  readonly id: string;
  readonly due: number;
  readonly durationMs: number | null;
  readonly late: LatePolicy;
  readonly lateMaxMs: number;
  readonly generation: number;
}

declare module "./states.ts" {
  interface States {
    timer: Timer;
  }
}

export type TimerCommand =
  | { type: "SET_TIMER"; id: string; durationMs: number; late: LatePolicy; lateMaxMs?: number }
  | { type: "SET_TIMER_AT"; id: string; due: number; late: LatePolicy; lateMaxMs?: number }
  | { type: "CANCEL_TIMER"; id: string }
  | { type: "FIRE_TIMER"; id: string; generation: number; lateMs: number };

const TimerSet = telemetry(
  defineEvent("TimerSet", 1, {
    due: Type.Integer(),
    durationMs: Type.Union([Type.Integer(), Type.Null()]),
    late: Type.Union([Type.Literal("fire"), Type.Literal("skip"), Type.Literal("recheck")]),
    lateMaxMs: Type.Integer(),
  }),
);
const TimerFired = telemetry(defineEvent("TimerFired", 1, { lateMs: Type.Integer() }));
const TimerSkipped = telemetry(defineEvent("TimerSkipped", 1, { lateMs: Type.Integer() }));
const TimerCancelled = telemetry(defineEvent("TimerCancelled", 1, {}));

export type TimerEvent =
  | EventOf<typeof TimerSet>
  | EventOf<typeof TimerFired>
  | EventOf<typeof TimerSkipped>
  | EventOf<typeof TimerCancelled>;

/** The id names the owner and the purpose, such as `rule:<id>/timeout`; setting an id again replaces its timer. */
export const timer: Decider<Timer, TimerCommand, TimerEvent> = {
  kind: "timer",
  commands: ["SET_TIMER", "SET_TIMER_AT", "CANCEL_TIMER", "FIRE_TIMER"],
  events: [TimerSet, TimerFired, TimerSkipped, TimerCancelled],

  target: (command) => command.id,

  decide(command, state, world) {
    const { id } = command;
    switch (command.type) {
      case "SET_TIMER":
      case "SET_TIMER_AT": {
        if (state === undefined && world.size("timer") >= limits.timers) {
          return reject("invalid", `at most ${limits.timers} timers`);
        }
        const durationMs = command.type === "SET_TIMER" ? command.durationMs : null;
        const due = command.type === "SET_TIMER" ? world.now + command.durationMs : command.due;
        if (!Number.isSafeInteger(due) || (durationMs ?? 0) < 0)
          return reject("invalid", "due is no time", "due");
        const lateMaxMs = command.lateMaxMs ?? 0;
        return [
          { type: "TimerSet", id, due, durationMs, late: command.late, lateMaxMs } satisfies TimerEvent,
        ];
      }
      case "CANCEL_TIMER":
        return state === undefined ? [] : [{ type: "TimerCancelled", id } satisfies TimerEvent];
      case "FIRE_TIMER": {
        if (state === undefined || state.generation !== command.generation) return [];
        const skipped =
          state.late === "skip" && command.lateMs > Math.max(state.lateMaxMs, limits.timerGraceMs);
        return [
          { type: skipped ? "TimerSkipped" : "TimerFired", id, lateMs: command.lateMs } satisfies TimerEvent,
        ];
      }
    }
  },

  evolve(_state, event, timestamp) {
    if (event.type !== "TimerSet") return undefined;
    const { id, due, durationMs, late, lateMaxMs } = event;
    return { id, due, durationMs, late, lateMaxMs, generation: timestamp };
  },
};
