import Type from "typebox";
import type { Decider, Reader, World } from "./decider.ts";
import type { DomainEvent, EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";
import { limits } from "./limits.ts";
import type { TimerEvent } from "./timer.ts";

/**
 * How many messages a source may still send, as a token bucket: it holds `limits.messageBurst` messages and
 * gains one every `limits.messageRefillMs`. A source with a full bucket has no state.
 */
export interface Sender {
  /** The id of the source. */
  readonly id: string;
  /** When the bucket is full again (ms since the epoch) if the source sends nothing more. */
  readonly fullAt: number;
  /** Messages held back since the last report about it. */
  readonly heldBack: number;
}

declare module "./states.ts" {
  interface States {
    sender: Sender;
  }
}

/** Its timer has fired: reports what was held back, and forgets a full bucket. */
export type SenderCommand = { readonly type: "SETTLE_SENDER"; readonly id: string };

/** A source wanted to send a message. */
const SenderSpent = telemetry(
  defineEvent("SenderSpent", 1, { fullAt: Type.Integer(), heldBack: Type.Integer() }),
);
/** `heldBack` messages were held back since the last such event. */
const SenderSettled = telemetry(
  defineEvent("SenderSettled", 1, { fullAt: Type.Integer(), heldBack: Type.Integer() }),
);

export type SenderSettled = EventOf<typeof SenderSettled>;
export type SenderEvent = EventOf<typeof SenderSpent> | SenderSettled;

const timerPrefix = "sender:";

export const sender: Decider<Sender, SenderCommand, SenderEvent> = {
  kind: "sender",
  commands: ["SETTLE_SENDER"],
  events: [SenderSpent, SenderSettled],

  target: ({ id }) => id,

  decide({ id }, state, world) {
    if (state === undefined) return [];
    const { fullAt, heldBack } = state;
    const settled: SenderEvent = { type: "SenderSettled", id, fullAt, heldBack };
    if (fullAt <= world.now) return [settled];
    return heldBack === 0 ? [waiting(state, world)] : [settled, waiting(state, world)];
  },

  evolve(_state, event, timestamp) {
    const { id, fullAt, heldBack } = event;
    if (event.type === "SenderSpent") return { id, fullAt, heldBack };
    return fullAt <= timestamp ? undefined : { id, fullAt, heldBack: 0 };
  },
};

/**
 * Lets a source send a message now: returns whether it may, and the events that count it.
 * @param id of the source
 */
export function spend(
  id: string,
  world: World,
): { readonly isFree: boolean; readonly events: readonly DomainEvent[] } {
  const { fullAt: before = 0, heldBack = 0 } = world.get("sender", id) ?? {};
  const wanted = Math.max(before, world.now) + limits.messageRefillMs;
  const isFree = wanted - world.now <= limits.messageBurst * limits.messageRefillMs;
  const spent = isFree ? { fullAt: wanted, heldBack } : { fullAt: before, heldBack: heldBack + 1 };
  const event: SenderEvent = { type: "SenderSpent", id, ...spent };
  const isTimed = world.get("timer", timerPrefix + id) !== undefined;
  return { isFree, events: isTimed ? [event] : [event, waiting({ id, ...spent }, world)] };
}

function waiting({ id, fullAt }: Sender, { now }: World): TimerEvent {
  const timer = { id: timerPrefix + id, due: fullAt, durationMs: fullAt - now };
  return { type: "TimerSet", ...timer, late: "fire", lateMaxMs: 0 };
}

/** Returns the source whose bucket a timer settles; undefined for any other timer. */
export function senderOfTimer(timer: string): string | undefined {
  return timer.startsWith(timerPrefix) ? timer.slice(timerPrefix.length) : undefined;
}

/** Returns the name of a source of messages, and whether it is hidden from guests. */
export function sourceOf(id: string, read: Pick<Reader, "get">): { name: string; hidden: boolean } {
  const device = read.get("device", id);
  const name = device?.name ?? read.get("rule", id)?.config.name ?? read.get("scene", id)?.name ?? id;
  return { name, hidden: device?.visible === false };
}
