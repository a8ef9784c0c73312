import type { Alarm } from "../../store/wire.ts";

/** Alarms that have something in common, one at least. */
type Some = readonly [Alarm, ...Alarm[]];

/** What stands open about one source: a device, a rule, a user or a part of the hub. */
export interface AlarmsOfSource {
  readonly sourceId: string;
  /** What matters most first, and of that what was raised last. */
  readonly alarms: Some;
}

/** Open alarms of one kind: all say the same, each of another source. */
export interface AlarmsOfKind {
  readonly kind: string;
  readonly alarms: Some;
}

const importance: Readonly<Record<Alarm["level"], number>> = { info: 0, warn: 1, err: 2 };

/** Sorts what matters most first, and of that what was raised last. */
function byWorth(a: Alarm, b: Alarm): number {
  return importance[b.level] - importance[a.level] || b.timestamp - a.timestamp;
}

function grouped(
  alarms: readonly Alarm[],
  keyOf: (alarm: Alarm) => string,
): ReadonlyMap<string, [Alarm, ...Alarm[]]> {
  const groups = new Map<string, [Alarm, ...Alarm[]]>();
  for (const alarm of alarms) {
    const key = keyOf(alarm);
    const others = groups.get(key);
    if (others === undefined) groups.set(key, [alarm]);
    else others.push(alarm);
  }
  return groups;
}

/** Returns open alarms by source, in the order of the most important of each. */
export function bySource(open: readonly Alarm[]): readonly AlarmsOfSource[] {
  const groups = grouped(open.toSorted(byWorth), ({ sourceId }) => sourceId);
  return [...groups].map(([sourceId, alarms]) => ({ sourceId, alarms }));
}

/** Returns the kinds of which several alarms are open, the most important first. */
export function severalOfKind(open: readonly Alarm[]): readonly AlarmsOfKind[] {
  const groups = grouped(open.toSorted(byWorth), ({ kind }) => kind);
  return [...groups].flatMap(([kind, alarms]) => (alarms.length > 1 ? [{ kind, alarms }] : []));
}

/** Returns the first sources, with so many alarms at most. */
export function firstOf(sources: readonly AlarmsOfSource[], most: number): readonly AlarmsOfSource[] {
  let left = most;
  return sources.flatMap(({ sourceId, alarms }) => {
    const [first, ...others] = alarms.slice(0, Math.max(0, left));
    left -= alarms.length;
    return first === undefined ? [] : [{ sourceId, alarms: [first, ...others] as const }];
  });
}

/** Returns alarms that are closed, the last first. */
export function closedLast(all: readonly Alarm[]): readonly Alarm[] {
  return all.filter(({ closed }) => closed).toSorted((a, b) => b.timestamp - a.timestamp);
}
