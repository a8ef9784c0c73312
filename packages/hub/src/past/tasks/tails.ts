import { attributesOf, isKept, type Sample } from "@ledge/history";
import type { EventLog } from "@ledge/log";
import type { LoggedEvent } from "@ledge/model";
import { indexIn } from "@ledge/model";
import type { Reader } from "../reader.ts";

/** The samples of a device in the log that are not yet in the index. */
export interface Tail {
  /** Samples by attribute, oldest first. */
  readonly tails: ReadonlyMap<string, readonly Sample[]>;
  readonly removedAt: number | undefined;
  readonly isPersonal: boolean;
}

export const noTail: Tail = { tails: new Map(), removedAt: undefined, isPersonal: false };

interface Growing {
  readonly tails: Map<string, Sample[]>;
  removedAt: number | undefined;
  isPersonal: boolean;
}

/** Reads the tails of devices. Without an index they cover the whole span, with the values at its beginning. */
export function tailsOf(
  reader: Reader,
  devices: readonly string[],
  from: number,
  to: number,
): ReadonlyMap<string, Tail> {
  const { log, history: index } = reader;
  const isThere = from - 1 >= Math.max(log.horizon, firstOf(log));
  const then = index === undefined && isThere ? reader.kernelAt(from - 1) : undefined;
  const found = new Map<string, Growing>();
  for (const id of devices) {
    const held = then?.get("device", id);
    const isPersonal = index?.isPersonal(id) ?? held?.type === "UI_DEVICE";
    const tails = new Map<string, Sample[]>();
    for (const [attribute, value] of Object.entries(held?.state ?? {}))
      if (attribute !== "lastSeen" && isKept(value))
        tails.set(attribute, [{ timestamp: from - 1, index: 0, value, origin: "device" }]);
    found.set(id, { tails, removedAt: undefined, isPersonal });
  }
  for (const commit of log.readSealed(index?.mark.timestamp ?? from - 1, to)) {
    reader.spend();
    for (const [place, event] of commit.events.entries()) {
      const tail = found.get(event.id);
      if (tail === undefined) continue;
      const { type } = event;
      if (type === "DeviceRemoved") tail.removedAt = commit.timestamp;
      if (type === "DeviceAdded" || type === "DeviceDescribed")
        tail.isPersonal = classOf(event) === "UI_DEVICE";
      if (type !== "DeviceReported") continue;
      tail.removedAt = undefined;
      for (const [attribute, value] of Object.entries(attributesOf(event))) {
        if (!isKept(value)) continue;
        const { timestamp } = commit;
        const sample: Sample = { timestamp, index: indexIn(commit, place), value, origin: event.origin };
        const samples = tail.tails.get(attribute);
        if (samples === undefined) tail.tails.set(attribute, [sample]);
        else samples.push(sample);
      }
    }
  }
  return found;
}

function classOf(event: LoggedEvent): unknown {
  return "class" in event ? event.class : undefined;
}

/** Returns the time (ms) from which the data is complete. */
export function oldestOf({ log, history: index }: Reader): number {
  const pruned = Math.max(log.horizon, index?.prunedTo ?? 0);
  return pruned > 0 ? pruned + 1 : firstOf(log);
}

function firstOf(log: EventLog): number {
  return log.readSealed(0).next().value?.timestamp ?? 0;
}
