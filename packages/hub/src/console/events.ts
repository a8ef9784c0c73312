import type { Kernel } from "@ledge/kernel";
import type { LoggedEvent } from "@ledge/model";
import { eventIn, eventRef, indexIn, parseEventRef, withoutSecrets } from "@ledge/model";

/** An event with its place in the log. */
export interface PlacedEvent {
  readonly ref: string;
  readonly timestamp: number;
  readonly event: LoggedEvent;
}

/**
 * Returns the event at a reference (`<timestamp>-<index>`); undefined when it never existed or was compacted
 * away.
 */
export function eventAt(kernel: Pick<Kernel, "log">, ref: string): PlacedEvent | undefined {
  const place = parseEventRef(ref);
  if (place === undefined) return undefined;
  const { timestamp, index } = place;
  for (const commit of kernel.log.read(timestamp - 1, timestamp)) {
    const event = eventIn(commit, index);
    return event && { ref, timestamp, event: withoutSecrets(event) };
  }
  return undefined;
}

/** Returns the causes of an event, nearest first, as far as the log still holds them. */
export function causesOf(kernel: Pick<Kernel, "log">, { event }: PlacedEvent): PlacedEvent[] {
  const causes: PlacedEvent[] = [];
  let cause = event.cause;
  while (cause !== undefined) {
    const found = eventAt(kernel, cause);
    if (found === undefined) break;
    causes.push(found);
    cause = found.event.cause;
  }
  return causes;
}

/** Returns at most `count` durable events after a place in the log, oldest first. */
export function eventsAfter(
  kernel: Pick<Kernel, "log">,
  after: { readonly timestamp: number; readonly index: number },
  count: number,
): PlacedEvent[] {
  const found: PlacedEvent[] = [];
  for (const commit of kernel.log.read(after.timestamp - 1)) {
    const { timestamp } = commit;
    for (const [place, event] of commit.events.entries()) {
      const index = indexIn(commit, place);
      if (timestamp === after.timestamp && index <= after.index) continue;
      found.push({ ref: eventRef(timestamp, index), timestamp, event: withoutSecrets(event) });
      if (found.length === count) return found;
    }
  }
  return found;
}
