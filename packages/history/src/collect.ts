import type { AnyDecider, Commit, LoggedEvent } from "@ledge/model";
import { indexIn, limits } from "@ledge/model";
import type { SeriesName } from "./keys.ts";
import type { Sample } from "./sample.ts";

/** A sample that a commit adds to the index. */
export interface Found {
  readonly name: SeriesName;
  readonly sample: Sample;
}

/** Extracts from commits, in the order of the log, what goes into the index. It leaves out personal data. */
export class Collector {
  readonly #kinds = new Map<string, { readonly kind: string; readonly isTelemetry: boolean }>();
  readonly #personal: Set<string>;
  readonly #onRemoved: (device: string, timestamp: number) => void;

  /**
   * @param personal the devices of persons, as `personal` returned after the commit before
   * @param onRemoved called for each removed device
   */
  constructor(
    aggregates: readonly AnyDecider[],
    personal: Iterable<string>,
    onRemoved: (device: string, timestamp: number) => void,
  ) {
    this.#personal = new Set(personal);
    this.#onRemoved = onRemoved;
    for (const { kind, events } of aggregates)
      for (const { type, telemetry } of events)
        this.#kinds.set(type, { kind, isTelemetry: telemetry !== undefined });
  }

  get personal(): string[] {
    return [...this.#personal];
  }

  *of(commit: Commit): Generator<Found> {
    const { timestamp } = commit;
    for (const [place, event] of commit.events.entries()) {
      const { kind, isTelemetry } = this.#kinds.get(event.type) ?? {};
      if (kind === undefined) continue;
      const index = indexIn(commit, place);
      const { id, origin } = event;
      if (kind === "device") this.#noteDevice(event, timestamp);
      // The index keeps only the reference of such an event.
      if (isTelemetry !== true)
        yield { name: ["events", kind, id], sample: { timestamp, index, value: null, origin: "system" } };
      if (event.type !== "DeviceReported" || this.#personal.has(id)) continue;
      for (const [attribute, value] of Object.entries(attributesOf(event)))
        if (isKept(value))
          yield { name: ["samples", id, attribute], sample: { timestamp, index, value, origin } };
    }
  }

  #noteDevice(event: LoggedEvent, timestamp: number): void {
    const { type, id } = event;
    if ((type === "DeviceAdded" || type === "DeviceDescribed") && "class" in event) {
      if (event.class === "UI_DEVICE") this.#personal.add(id);
      else this.#personal.delete(id);
    }
    if (type !== "DeviceRemoved") return;
    this.#personal.delete(id);
    this.#onRemoved(id, timestamp);
  }
}

export function attributesOf(event: LoggedEvent): Readonly<Record<string, unknown>> {
  return "attributes" in event && typeof event.attributes === "object" ? { ...event.attributes } : {};
}

/** Whether a value is short enough to be kept. */
export function isKept(value: unknown): boolean {
  if (value === null || typeof value === "number" || typeof value === "boolean") return true;
  const text: string | undefined = JSON.stringify(value);
  return text !== undefined && text.length <= limits.historyValueChars;
}
