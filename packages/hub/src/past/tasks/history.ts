import { type PastHistory, Refused } from "@ledge/api";
import { attributesOf, isKept, overview, type Overview, type Sample } from "@ledge/history";
import type { EventLog } from "@ledge/log";
import type { LoggedEvent } from "@ledge/model";
import { indexIn, limits } from "@ledge/model";
import { HistoryPruned, type Reader } from "../reader.ts";
import type { Task } from "./task.ts";

/** Returns the reports of a device: from the index if there is one, and after its mark from the log. */
export const history: Task<"history"> = (reader, args) => {
  const { now } = reader;
  const { to = now, from = Math.max(0, Math.min(to, now) - limits.historySpanUsualMs) } = args;
  if (from > to) return new Refused(422, "from is behind to", [{ field: "from", message: "is behind to" }]);
  const oldest = oldestOf(reader);
  if (to < oldest) throw new HistoryPruned(oldest);
  const begin = Math.max(from, oldest);
  const found = tailOf(reader, args, begin, to);
  if (found.isPersonal) return new Refused(404, "no history is kept of what is a person's");
  const { deviceId, attribute, points } = args;
  const index = reader.history;
  const names = new Set([...found.tails.keys(), ...(index?.attributes(deviceId) ?? [])]);
  const isKnown = args.isKnown || names.size > 0 || hasEvents(reader, deviceId);
  if (!isKnown) return new Refused(404, `no device ${deviceId}`);
  if (attribute === undefined) return { deviceId, oldest, attributes: [...names].toSorted() };
  if (!names.has(attribute) && !args.hasAttribute)
    return new Refused(404, `nothing is known of ${attribute} of ${deviceId}`);
  const tail = found.tails.get(attribute) ?? [];
  const before =
    tail.findLast(({ timestamp }) => timestamp < begin) ?? index?.before(deviceId, attribute, begin);
  const removedAt = found.removedAt ?? index?.removedAt(deviceId, attribute) ?? Infinity;
  const series = {
    before: removedAt < begin ? undefined : before,
    chunks: index?.chunks(deviceId, attribute, begin, to) ?? [],
    tail: tail.filter(({ timestamp }) => timestamp >= begin),
  };
  const span = { from: begin, to, until: Math.max(begin, Math.min(to, now, removedAt)), points };
  const summed: Overview = overview(series, span, () => reader.spend());
  const held = series.before && { value: series.before.value };
  return { deviceId, attribute, from: begin, to, oldest, before: held ?? null, ...summed };
};

/** Returns the time (ms) from which the data is complete. */
function oldestOf({ log, history: index }: Reader): number {
  const pruned = Math.max(log.horizon, index?.prunedTo ?? 0);
  return pruned > 0 ? pruned + 1 : firstOf(log);
}

function firstOf(log: EventLog): number {
  return log.readSealed(0).next().value?.timestamp ?? 0;
}

function hasEvents({ history: index }: Reader, device: string): boolean {
  return index?.objectEvents("device", device, { limit: 1 }).next().done === false;
}

/** The samples in the log that are not yet in the index. */
interface Tail {
  /** Samples by attribute, oldest first. */
  readonly tails: ReadonlyMap<string, readonly Sample[]>;
  readonly removedAt: number | undefined;
  readonly isPersonal: boolean;
}

/** Reads the tail. Without an index it covers the whole span, with the values at its beginning. */
function tailOf(reader: Reader, { deviceId }: PastHistory, from: number, to: number): Tail {
  const { log, history: index } = reader;
  const tails = new Map<string, Sample[]>();
  let isPersonal = index?.isPersonal(deviceId) ?? false;
  let removedAt: number | undefined;
  if (index === undefined) {
    const isThere = from - 1 >= Math.max(log.horizon, firstOf(log));
    const held = isThere ? reader.kernelAt(from - 1).get("device", deviceId) : undefined;
    isPersonal = held?.type === "UI_DEVICE";
    for (const [attribute, value] of Object.entries(held?.state ?? {}))
      if (attribute !== "lastSeen" && isKept(value))
        tails.set(attribute, [{ timestamp: from - 1, index: 0, value, origin: "device" }]);
  }
  for (const commit of log.readSealed(index?.mark.timestamp ?? from - 1, to)) {
    reader.spend();
    for (const [place, event] of commit.events.entries()) {
      if (event.id !== deviceId) continue;
      const { type } = event;
      if (type === "DeviceRemoved") removedAt = commit.timestamp;
      if (type === "DeviceAdded" || type === "DeviceDescribed") isPersonal = classOf(event) === "UI_DEVICE";
      if (type !== "DeviceReported") continue;
      removedAt = undefined;
      for (const [attribute, value] of Object.entries(attributesOf(event))) {
        if (!isKept(value)) continue;
        const { timestamp } = commit;
        const sample: Sample = { timestamp, index: indexIn(commit, place), value, origin: event.origin };
        const samples = tails.get(attribute);
        if (samples === undefined) tails.set(attribute, [sample]);
        else samples.push(sample);
      }
    }
  }
  return { tails, removedAt, isPersonal };
}

function classOf(event: LoggedEvent): unknown {
  return "class" in event ? event.class : undefined;
}
