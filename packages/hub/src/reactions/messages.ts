import type {
  AlarmCommand,
  MessageCommand,
  MessageDropped,
  MessageTargetCommand,
  Reaction,
  SenderCommand,
  SenderSettled,
} from "@ledge/model";
import { alarmLevel, alarmTextId, isAlarmKind, senderOfTimer, sourceOf, targetsOfAlarm } from "@ledge/model";

/** Refills the budget of a source of messages when its timer fires. */
export const senderTimers: Reaction = {
  name: "sender timers",
  on: ["TimerFired"],
  react({ id: timer }): readonly SenderCommand[] {
    const id = senderOfTimer(timer);
    return id === undefined ? [] : [{ type: "SETTLE_SENDER", id }];
  },
};

/** Raises alarms about unsent messages: from a source over its budget, and from a queue that was full. */
export const unsentMessages: Reaction = {
  name: "unsent messages",
  on: ["SenderSettled", "MessageDropped"],
  react(happened, read): readonly AlarmCommand[] {
    const event = happened as SenderSettled | MessageDropped;
    if (event.type === "SenderSettled") {
      const { id, heldBack: count } = event;
      if (count === 0) return [];
      const about = { sourceId: id, ...sourceOf(id, read) };
      return [{ type: "RAISE_ALARM", kind: "MESSAGES_HELD_BACK", count, ...about }];
    }
    return [...read.all("hub")].map(([id, { name }]): AlarmCommand => {
      return { type: "RAISE_ALARM", kind: "MESSAGES_LOST", sourceId: id, name };
    });
  },
};

/** Alarms about messages themselves: a message about each would lead to the next. */
const aboutMessages: ReadonlySet<string> = new Set(["MESSAGES_HELD_BACK", "MESSAGES_LOST"]);

/** Sends an alarm that opens to the users who want it on their phones. */
export const alarmMessages: Reaction = {
  name: "alarm messages",
  on: ["AlarmRaised"],
  react({ id }, read): readonly MessageCommand[] {
    const alarm = read.get("alarm", id);
    if (alarm === undefined || alarm.openedAtMs !== alarm.timestamp) return [];
    const { kind, name, count, facts, sourceId, hidden = false } = alarm;
    if (!isAlarmKind(kind) || aboutMessages.has(kind)) return [];
    const level = alarmLevel(kind);
    const targets = targetsOfAlarm(level, hidden, read).map((target) => target.id);
    if (targets.length === 0) return [];
    const text = { id: alarmTextId(kind), parameters: { ...facts, name, count } };
    return [{ type: "SEND_TO_TARGETS", targets, level, text, sourceId }];
  },
};

/** Removes the targets of a user who has lost access. */
export const targetsOfRevoked: Reaction = {
  name: "targets of revoked users",
  on: ["UserRevoked"],
  react({ id: user }, read): readonly MessageTargetCommand[] {
    return [...read.all("messageTarget")].flatMap(([id, target]) =>
      target.user === user ? [{ type: "REMOVE_MESSAGE_TARGET", id } as const] : [],
    );
  },
};
