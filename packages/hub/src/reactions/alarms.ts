import type {
  AdapterEvent,
  AdapterFailed,
  AdapterRested,
  AlarmCommand,
  AlarmKind,
  HubEvent,
  Reaction,
  Reader,
} from "@ledge/model";
import { alarmId } from "@ledge/model";

/** Raises alarms about an adapter in the commit of the event, and closes them when the adapter runs again. */
export const adapterAlarms: Reaction = {
  name: "adapter alarms",
  on: ["AdapterFailed", "AdapterRested", "AdapterStarted", "ReportsDropped"],
  react(happened, read): readonly AlarmCommand[] {
    const event = happened as AdapterEvent;
    const { id } = event;
    switch (event.type) {
      case "AdapterFailed":
        return [{ ...about(id, "ADAPTER_FAILED"), facts: factsOf(event) }];
      case "AdapterRested":
        return [
          { ...about(id, "ADAPTER_RESTING"), facts: factsOf(event) },
          ...closing(read, id, "ADAPTER_FAILED"),
        ];
      case "AdapterStarted":
        return closing(read, id, "ADAPTER_FAILED", "ADAPTER_RESTING");
      case "ReportsDropped":
        return [{ ...about(id, "REPORTS_LOST"), count: event.dropped }];
      case "AdapterStopped":
      case "AdapterAway":
      case "AdapterValueStored":
        return [];
    }
  },
};

/** Raises an alarm for each key that is made at the hub itself, so that it cannot happen in secret. */
export const keyAlarm: Reaction = {
  name: "key alarm",
  on: ["KeyRecovered"],
  react({ id }, read): readonly AlarmCommand[] {
    const name = read.get("hub", id)?.name ?? id;
    return [{ type: "RAISE_ALARM", kind: "KEY_RECOVERED", sourceId: id, name }];
  },
};

/** Raises alarms about the hub's clock and log in the commit of the event. */
export const hubAlarms: Reaction = {
  name: "hub alarms",
  on: ["ClockJumped", "SpanLost"],
  react(happened, read): readonly AlarmCommand[] {
    const event = happened as Extract<HubEvent, { type: "ClockJumped" | "SpanLost" }>;
    const { id, from, to } = event;
    const name = read.get("hub", id)?.name ?? id;
    const span = `${instant(from)} – ${to === null ? "" : instant(to)}`;
    const detail = event.type === "SpanLost" ? `${span}: ${event.problem}` : span;
    const kind = event.type === "SpanLost" ? "LOG_DAMAGED" : "CLOCK_JUMP";
    return [{ type: "RAISE_ALARM", kind, sourceId: id, name, facts: { detail } }];
  },
};

/** Formats a time (ms since the epoch) in ISO 8601, also one out of the range of dates. */
function instant(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

function about<K extends AlarmKind>(protocol: string, kind: K) {
  return { type: "RAISE_ALARM", kind, sourceId: protocol, name: protocol } as const;
}

function factsOf({ reason, failure }: AdapterFailed | AdapterRested): Record<string, string> {
  return { detail: reason, failure: failure ?? "exit" };
}

/** Returns commands that close the open alarms of these kinds about a source. */
export function closing(read: Reader, sourceId: string, ...kinds: AlarmKind[]): AlarmCommand[] {
  return kinds
    .map((kind) => alarmId(kind, sourceId))
    .filter((id) => read.get("alarm", id)?.closed === false)
    .map((id) => ({ type: "CLOSE_ALARM", id }));
}
