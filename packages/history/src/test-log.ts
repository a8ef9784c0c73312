import { type EventLog, type MemoryLog, memoryLog } from "@ledge/log";
import type { Commit, LoggedEvent } from "@ledge/model";
import { aggregates, indexIn, limits } from "@ledge/model";
import { attributesOf, isKept } from "./collect.ts";
import { type Progress, indexLog } from "./index-log.ts";
import type { Sample } from "./sample.ts";

/** Shared by the tests of the index: logs, and the expected content of an index. */

const envelope = { version: 1, origin: "device", depth: 0 } as const;

export function reported(id: string, attributes: Record<string, unknown>): LoggedEvent {
  const one = { ...envelope, type: "DeviceReported", id, attributes, at: 0 };
  return one;
}

export function added(id: string, cls = "SENSOR"): LoggedEvent {
  const one = { ...envelope, origin: "user:anna" as const, type: "DeviceAdded", id, class: cls, name: id };
  return one;
}

export function event(type: string, id: string): LoggedEvent {
  return { ...envelope, origin: "user:anna", type, id };
}

export async function logOf(commits: readonly Commit[]): Promise<MemoryLog> {
  const log = memoryLog();
  for (const commit of commits) await log.append(commit);
  return log;
}

/** Indexes as the hub does, with enough room. */
export function indexed(
  log: EventLog,
  folder: string,
  options: Partial<Parameters<typeof indexLog>[0]> = {},
): Promise<Progress> {
  return indexLog({
    log,
    folder,
    aggregates,
    quotaBytes: 2 ** 30,
    free: () => 2 * limits.reserveAgainBytes + 2 ** 30,
    verify: true,
    onRebuild: () => {},
    onProgress: () => {},
    ...options,
  });
}

/** Returns every sample and every reference of a log by series, as a scan of the log finds them. */
export function scanned(log: EventLog): { samples: Map<string, Sample[]>; events: Map<string, string[]> } {
  const samples = new Map<string, Sample[]>();
  const events = new Map<string, string[]>();
  const personal = new Set<string>();
  const kinds = new Map(
    aggregates.flatMap(({ kind, events: all }) =>
      all.map(({ type, telemetry }) => [type, { kind, isTelemetry: telemetry !== undefined }] as const),
    ),
  );
  for (const commit of log.read()) {
    for (const [place, one] of commit.events.entries()) {
      const { timestamp } = commit;
      const index = indexIn(commit, place);
      const { kind = "", isTelemetry } = kinds.get(one.type) ?? {};
      if ("class" in one && one.class === "UI_DEVICE") personal.add(one.id);
      if (isTelemetry === false) push(events, `${kind} ${one.id}`, `${timestamp}-${index}`);
      if (one.type !== "DeviceReported" || personal.has(one.id)) continue;
      for (const [attribute, value] of Object.entries(attributesOf(one)))
        if (isKept(value))
          push(samples, `${one.id} ${attribute}`, { timestamp, index, value, origin: one.origin });
    }
  }
  return { samples, events };
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [item]);
  else list.push(item);
}

/**
 * Compacts like the hub, as far as samples are concerned: keeps the newest of each series and everything that is
 * not telemetry.
 */
export async function compactedTo(log: MemoryLog, until: number): Promise<void> {
  const pause = (): Promise<void> => Promise.resolve();
  const horizon = await log.boundary(until, Number.MAX_SAFE_INTEGER, pause);
  if (horizon <= log.horizon) return;
  const newest = new Map<string, string>();
  for (const commit of log.read(0, horizon))
    for (const [place, one] of commit.events.entries())
      for (const attribute of Object.keys(attributesOf(one)))
        newest.set(`${one.id} ${attribute}`, `${commit.timestamp}-${indexIn(commit, place)}`);
  const stays = new Set(newest.values());
  await log.compact({
    horizon,
    keep: (timestamp, index, one) => one.type !== "DeviceReported" || stays.has(`${timestamp}-${index}`),
    base: { timestamp: horizon, format: "x", rows: [] },
    pause,
  });
}
