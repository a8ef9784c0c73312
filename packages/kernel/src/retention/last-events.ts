import type { EventRef } from "@ledge/model";

/** The key for the object itself: its newest event. */
const object = "";

/** A row of a base: the newest events of one object, by attribute. */
export interface LastEventsRow {
  readonly kind: string;
  readonly id: string;
  readonly events: readonly (readonly [attribute: string, ref: EventRef])[];
}

/** The event that last wrote each attribute of each existing object. */
export class LastEvents {
  readonly #kinds = new Map<string, Map<string, Map<string, EventRef>>>();

  /** Notes an event that wrote attributes of an object and is its newest event. */
  note(kind: string, id: string, attributes: Iterable<string>, ref: EventRef): void {
    let objects = this.#kinds.get(kind);
    if (objects === undefined) this.#kinds.set(kind, (objects = new Map()));
    let events = objects.get(id);
    if (events === undefined) objects.set(id, (events = new Map()));
    events.set(object, ref);
    for (const attribute of attributes) events.set(attribute, ref);
  }

  /**
   * Returns the event that last wrote an attribute. With an empty attribute, returns the newest event of the
   * object.
   */
  get(kind: string, id: string, attribute: string): EventRef | undefined {
    return this.#kinds.get(kind)?.get(id)?.get(attribute);
  }

  /** Removes an object that no longer exists. */
  drop(kind: string, id: string): void {
    this.#kinds.get(kind)?.delete(id);
  }

  *refs(): Generator<EventRef> {
    for (const { events } of this.rows()) for (const [, ref] of events) yield ref;
  }

  get size(): number {
    return [...this.#kinds.values()].reduce((sum, { size }) => sum + size, 0);
  }

  *rows(): Generator<LastEventsRow> {
    for (const [kind, objects] of this.#kinds) {
      for (const [id, events] of objects) yield { kind, id, events: [...events] };
    }
  }

  restore({ kind, id, events }: LastEventsRow): void {
    for (const [attribute, ref] of events) if (attribute === object) this.note(kind, id, [], ref);
    for (const [attribute, ref] of events) this.#kinds.get(kind)?.get(id)?.set(attribute, ref);
  }
}
