import type { AlarmCommand, MessageDropped, Reaction, SenderCommand, SenderSettled } from "@ledge/model";
import { senderOfTimer, sourceOf } from "@ledge/model";

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
