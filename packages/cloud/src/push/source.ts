import type { PushMessage } from "./pushes.ts";

/** What users can watch: a register of devices, a hub, a site, or an operation. */
export type ThingKind = "register" | "hub" | "site" | "operation";

export interface Thing {
  readonly kind: ThingKind;
  readonly id: string;
}

/** The current state of a part of a thing, such as a device of a register. */
export interface Item {
  readonly id: string;
  readonly message: PushMessage;
  /** Set for a part that some users may not see: what they get when they have seen it before. */
  readonly hidden?: PushMessage;
}

/** Says the current state of the things of a kind, and who may read them. */
export interface Source {
  /**
   * Calls back with the id of a part that has changed, one after the other.
   * @returns a function that unsubscribes
   */
  follow(id: string, changed: (item: string) => Promise<void>): () => void;

  /** Returns the current state of a part, also of one that is gone; undefined when nobody is told of that. */
  read(id: string, item: string): Promise<Item | undefined>;

  /** Yields the current state of all parts. */
  snapshot(id: string): AsyncIterable<Item>;

  /** Returns what follows the last part of a snapshot. */
  complete?(id: string, count: number): PushMessage;

  /** Returns whether a user may read the thing: `all`, or `visible` without its hidden parts. */
  reads(user: string, id: string): "all" | "visible" | undefined;

  /** Returns what tells a user that they may not read the thing any more. */
  released?(id: string, reason: string): PushMessage;
}

export type Sources = Readonly<Record<ThingKind, Source>>;

/** Returns a key for maps of things. */
export function thingKey({ kind, id }: Thing): string {
  return `${kind} ${id}`;
}
