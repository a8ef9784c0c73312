import type { ConfigurationRequested, LoggedEvent, UpgradeRequested } from "@ledge/model";
import { eventRef, limits } from "@ledge/model";
import type { Confirmed } from "./intake.ts";

/** Remembers the causes of commands, so that the reports of devices can name them. */
export class CommandChains {
  readonly #byId = new Map<string, Confirmed>();

  /**
   * Remembers the requests to devices among the events at index `firstIndex` and on of the commit at
   * `timestamp`.
   */
  follow(timestamp: number, firstIndex: number, events: readonly LoggedEvent[]): void {
    for (const [index, event] of events.entries()) {
      const id = requestOf(event);
      if (id === undefined) continue;
      const { origin, root, cause, depth } = event;
      const ref = eventRef(timestamp, firstIndex + index);
      this.#byId.set(id, { origin, cause: ref, root: root ?? cause ?? ref, depth: depth + 1 });
      this.#forgetOldest();
    }
  }

  /** Returns the chain that follows from a command; undefined when the command is not remembered. */
  get(id: string): Confirmed | undefined {
    return this.#byId.get(id);
  }

  #forgetOldest(): void {
    if (this.#byId.size <= limits.commandChains) return;
    for (const oldest of this.#byId.keys()) {
      this.#byId.delete(oldest);
      return;
    }
  }
}

/** Returns the id by which an event's outcome will name it; undefined when the event is no request to a device. */
function requestOf(event: LoggedEvent): string | undefined {
  if (event.type === "CommandIssued") return event.id;
  const { type, request } = event as LoggedEvent<ConfigurationRequested | UpgradeRequested>;
  return type === "ConfigurationRequested" || type === "UpgradeRequested" ? request : undefined;
}
