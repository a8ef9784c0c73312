import type { LoggedEvent, Upcasters } from "@ledge/model";

type Upcast = (event: LoggedEvent) => LoggedEvent;

/** Upcasts the events of a commit. Returns the same array when there is nothing to do. */
export type UpcastEvents = (events: readonly LoggedEvent[]) => readonly LoggedEvent[];

/**
 * Makes one function of a table of upcasters. Each event goes through the entries for its type and version until
 * none matches.
 * @param table keyed `<type>@<version>`, the version that the entry reads
 * @throws Error when a key has another form
 */
export function upcastWith(table: Upcasters): UpcastEvents {
  const entries = Object.entries(table);
  if (entries.length === 0) return (events) => events;
  const byType = new Map<string, Map<number, Upcast>>();
  for (const [key, upcast] of entries) {
    const [, type, version] = /^(.+)@(\d+)$/.exec(key) ?? [];
    if (type === undefined) throw new Error(`upcaster "${key}" is not named <type>@<version>`);
    const versions = byType.get(type) ?? new Map<number, Upcast>();
    byType.set(type, versions.set(Number(version), upcast));
  }
  return (events) => {
    let changed: LoggedEvent[] | undefined;
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as LoggedEvent;
      const current = upToDate(event, byType);
      if (current === event) continue;
      changed ??= [...events];
      changed[i] = current;
    }
    return changed ?? events;
  };
}

function upToDate(event: LoggedEvent, byType: ReadonlyMap<string, ReadonlyMap<number, Upcast>>): LoggedEvent {
  let current = event;
  for (;;) {
    const upcast = byType.get(current.type)?.get(current.version);
    if (upcast === undefined) return current;
    const next = upcast(current);
    // Without this check a wrong entry would loop forever at the start.
    if (next.version <= current.version) {
      throw new Error(`upcaster "${current.type}@${current.version}" returns version ${next.version}`);
    }
    current = next;
  }
}
