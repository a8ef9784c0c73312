import { createHash } from "node:crypto";
import type { OutboxEntry } from "@ledge/fleet";
import type { LoggedEvent } from "@ledge/model";
import { type DeviceBody, type OutboxBody, type WireEvent, wireEvent } from "./wire-event.ts";

/** Events for one request. */
export interface Batch {
  readonly batchId: string;
  /** The positions of the first and the last entry in the outbox that it covers. */
  readonly first: number;
  readonly last: number;
  /** How many events it has. */
  readonly events: number;
  /** As JSON, as the receiver gets it. */
  readonly body: string;
}

export interface BatchOptions {
  readonly siteId: string;
  readonly targetId: string;
  /** Only entries from then on are events for the target (ms since the epoch). */
  readonly since: number;
  readonly opened: (event: LoggedEvent) => LoggedEvent;
  /** Returns whether a change of a device may leave: who has bound the device can still read it. */
  readonly mayLeave: (body: DeviceBody) => Promise<boolean>;
}

/**
 * Returns the batch of entries from an outbox, oldest first; undefined without any. Its id follows from the entries, so
 * it is the same whenever the same batch is sent, and no other batch has it.
 */
export async function batchOf(
  entries: readonly OutboxEntry[],
  { siteId, targetId, since, opened, mayLeave }: BatchOptions,
): Promise<Batch | undefined> {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const events: WireEvent[] = [];
  const hash = createHash("sha256").update(JSON.stringify([siteId, targetId]));
  for (const { ref, body, position } of entries) {
    hash.update(JSON.stringify([position, ref]));
    const held = body as OutboxBody;
    if (held.at < since || ("by" in held && !(await mayLeave(held)))) continue;
    events.push(wireEvent(ref, held, opened));
  }
  const batchId = `msg_${hash.digest("hex").slice(0, 32)}`;
  const body = JSON.stringify({ siteId, targetId, batchId, events });
  return { batchId, first: first.position, last: last.position, events: events.length, body };
}
