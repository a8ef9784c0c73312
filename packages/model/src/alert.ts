import Type from "typebox";
import { accessMasks, guestRoles } from "./access.ts";
import type { Decider, Reader, World } from "./decider.ts";
import { reject } from "./decider.ts";
import type { DomainEvent, EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import type { TextId } from "./texts.ts";
import { isText, textOf } from "./texts.ts";
import type { TimerEvent } from "./timer.ts";

/** A USER_ALERT (hub-api 2.2) without its message, which depends on the reader's language. */
export interface Alert {
  readonly id: string;
  /** The id of its text. */
  readonly msg_id: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The device, scene or other object that it is about. */
  readonly sourceId: string;
  readonly realtime_ms: number;
  readonly error: boolean;
  /** The user that it is for, or null for all. */
  readonly userId: string | null;
  /** It names something that guests may not see. */
  readonly hidden?: true;
}

declare module "./states.ts" {
  interface States {
    alert: Alert;
  }
}

export type AlertCommand =
  | {
      type: "RAISE_ALERT";
      msg_id: TextId;
      parameters: Readonly<Record<string, string>>;
      sourceId: string;
      error: boolean;
      userId: string | null;
      hidden?: boolean;
    }
  | { type: "CLEAR_ALERT"; id: string };

const AlertRaised = defineEvent("AlertRaised", 1, {
  msg_id: Type.String(),
  parameters: Type.Record(Type.String(), Type.String()),
  sourceId: Type.String(),
  error: Type.Boolean(),
  userId: Type.Union([Type.String(), Type.Null()]),
  hidden: Type.Optional(Type.Boolean()),
});
const AlertCleared = defineEvent("AlertCleared", 1, {});

export type AlertEvent = EventOf<typeof AlertRaised> | EventOf<typeof AlertCleared>;

const timerPrefix = "alert:";

/** Alerts: each lasts until its cause ends or its timer clears it after a week. */
export const alert: Decider<Alert, AlertCommand, AlertEvent> = {
  kind: "alert",
  commands: ["RAISE_ALERT", "CLEAR_ALERT"],
  events: [AlertRaised, AlertCleared],
  delta: {
    type: "USER_ALERTS",
    localised: true,
    readMask: ({ hidden }) => (hidden ? accessMasks.GUEST & ~guestRoles : accessMasks.GUEST),
    reader: ({ userId }) => userId,
    render: (raised, { language, timestamp }) => {
      const { parameters, hidden: _, ...shown } = raised;
      const message = textOf(shown.msg_id, language, parameters);
      return { type: "USER_ALERT", ...shown, message, timestamp };
    },
  },

  target: (command) => (command.type === "CLEAR_ALERT" ? command.id : undefined),

  decide(command, state, world) {
    if (command.type === "RAISE_ALERT") return raise(command, world);
    if (state === undefined) return reject("not-found", `no alert ${command.id}`, "id");
    return cleared(state.id, world);
  },

  evolve(_state, event, timestamp) {
    if (event.type === "AlertCleared") return undefined;
    const { id, msg_id, parameters, sourceId, error, userId } = event;
    const shown = { id, msg_id, parameters, sourceId, realtime_ms: timestamp, error, userId };
    return event.hidden ? { ...shown, hidden: true } : shown;
  },
};

/** Raises an alert unless the same one exists; removes the oldest when there are too many. */
function raise(
  command: Extract<AlertCommand, { type: "RAISE_ALERT" }>,
  world: World,
): DomainEvent[] | ReturnType<typeof reject> {
  const { msg_id, parameters, sourceId, error, userId, hidden = false } = command;
  if (!isText(msg_id)) return reject("invalid", `no text ${msg_id}`, "msg_id");
  const same = alertsAbout(sourceId, world, msg_id).some((known) => known.userId === userId);
  if (same) return [];
  const id = world.newId();
  const timer: TimerEvent = {
    type: "TimerSet",
    id: timerPrefix + id,
    due: world.now + limits.alertMs,
    durationMs: limits.alertMs,
    late: "fire",
    lateMaxMs: 0,
  };
  const what = { msg_id, parameters, sourceId, error, userId, ...(hidden && { hidden }) };
  const raised: AlertEvent = { type: "AlertRaised", id, ...what };
  const [oldest] = world.size("alert") < limits.alerts ? [] : world.all("alert");
  return [...(oldest === undefined ? [] : cleared(oldest[0], world)), raised, timer];
}

function cleared(id: string, read: Pick<Reader, "get">): DomainEvent[] {
  const timer = timerPrefix + id;
  const event: AlertEvent = { type: "AlertCleared", id };
  const cancelled: TimerEvent = { type: "TimerCancelled", id: timer };
  return read.get("timer", timer) === undefined ? [event] : [event, cancelled];
}

/** Returns the alerts about an object: all, or those with a certain text. */
export function alertsAbout(sourceId: string, read: Pick<Reader, "all">, msg_id?: TextId): Alert[] {
  return [...read.all("alert")].flatMap(([, state]) => {
    const isMeant = state.sourceId === sourceId && (msg_id === undefined || state.msg_id === msg_id);
    return isMeant ? [state] : [];
  });
}

/** Returns the alert that a timer ends; undefined for any other timer. */
export function alertOfTimer(timer: string): string | undefined {
  return timer.startsWith(timerPrefix) ? timer.slice(timerPrefix.length) : undefined;
}
