import { Refused } from "@ledge/api";
import { overview, type Overview } from "@ledge/history";
import { limits } from "@ledge/model";
import { HistoryPruned, type Reader } from "../reader.ts";
import { noTail, oldestOf, tailsOf } from "./tails.ts";
import type { Task } from "./task.ts";

/** Returns the reports of a device: from the index if there is one, and after its mark from the log. */
export const history: Task<"history"> = (reader, args) => {
  const { now } = reader;
  const { to = now, from = Math.max(0, Math.min(to, now) - limits.historySpanUsualMs) } = args;
  if (from > to) return new Refused(422, "from is behind to", [{ field: "from", message: "is behind to" }]);
  const oldest = oldestOf(reader);
  if (to < oldest) throw new HistoryPruned(oldest);
  const begin = Math.max(from, oldest);
  const found = tailsOf(reader, [args.deviceId], begin, to).get(args.deviceId) ?? noTail;
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

function hasEvents({ history: index }: Reader, device: string): boolean {
  return index?.objectEvents("device", device, { limit: 1 }).next().done === false;
}
