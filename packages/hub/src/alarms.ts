import type { AlarmKind, Command, RaiseAlarm } from "@ledge/model";
import { alarmId } from "@ledge/model";
import type { Notes } from "./notes.ts";

/**
 * Tells the hub's users of something that is wrong with the hub. Adapters need not be told of here: their alarms
 * follow from their events. A hub that cannot write now tells of it once it can.
 */
export function raiseAlarm(notes: Notes, alarm: Omit<RaiseAlarm, "type">): Promise<void> {
  const command: RaiseAlarm = { type: "RAISE_ALARM", ...alarm };
  return notes.note(command);
}

/** It is over: closes the alarm, if there is one. */
export function closeAlarm(notes: Notes, kind: AlarmKind, sourceId: string): Promise<void> {
  return notes.note({ type: "CLOSE_ALARM", id: alarmId(kind, sourceId) } as Command);
}
