import type { Alarm } from "../../store/wire.ts";

/** The open alarms of a kind: all say the same, each of another source. */
export interface AlarmsOfKind {
  readonly kind: string;
  /** The newest first. */
  readonly alarms: readonly [Alarm, ...Alarm[]];
}

const importance: Readonly<Record<Alarm["level"], number>> = { info: 0, warn: 1, err: 2 };

/** Returns alarms by kind: first what matters most, and of that what was raised last. */
export function byKind(open: readonly Alarm[]): readonly AlarmsOfKind[] {
  const newest = open.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
  const kinds = new Map<string, [Alarm, ...Alarm[]]>();
  for (const alarm of newest) {
    const others = kinds.get(alarm.kind);
    if (others === undefined) kinds.set(alarm.kind, [alarm]);
    else others.push(alarm);
  }
  return [...kinds]
    .map(([kind, alarms]) => ({ kind, alarms }))
    .toSorted(({ alarms: [a] }, { alarms: [b] }) => importance[b.level] - importance[a.level]);
}
