import type { Device } from "@ledge/model";

/**
 * A value that a guard has read: what a device shows (`state`), a value of the extras (`setting`), whether
 * time ranges of a field hold (`times`), an alarm (`alarm`), a part of the event (`change`), a value of the
 * context (`kept`), the time (`now`) or prices (`price`).
 */
export interface Read {
  readonly of: "state" | "setting" | "times" | "alarm" | "change" | "kept" | "now" | "price";
  /** The attribute, the name in the context, or the kind of alarm; for `setting` and `times` the field. */
  readonly name: string;
  readonly value: unknown;
  /** The field that has the device. */
  readonly field?: string;
  readonly device?: Device;
}

/** Collects what is read, each value once; it can replace some values by others. */
export class Reads {
  readonly #instead: ReadonlyMap<string, unknown>;
  readonly #found = new Map<string, Read>();

  /** @param instead the replaced values, by `keyOf` */
  constructor(instead: ReadonlyMap<string, unknown> = new Map()) {
    this.#instead = instead;
  }

  /**
   * Notes a value that is read.
   * @returns the value to use
   */
  note(read: Read): unknown {
    const key = keyOf(read);
    const known = this.#found.get(key);
    // The same reading with its field says more.
    if (known === undefined || (known.field === undefined && read.field !== undefined))
      this.#found.set(key, read);
    return this.#instead.has(key) ? this.#instead.get(key) : read.value;
  }

  /** In the order of the first reading. */
  get all(): readonly Read[] {
    return [...this.#found.values()];
  }
}

/** Returns what identifies a read value. */
export function keyOf({ of, name, device }: Read): string {
  return `${of}/${device?.id ?? ""}/${name}`;
}
