import type { Device } from "@ledge/model";

/**
 * Something that a guard has looked at: what a device shows (`state`), a value of the extras (`setting`), whether
 * time ranges of a field hold (`times`), an alarm (`alarm`), what came with the event (`change`), what the machine
 * has kept (`kept`), the time (`now`) or prices (`price`).
 */
export interface Read {
  readonly of: "state" | "setting" | "times" | "alarm" | "change" | "kept" | "now" | "price";
  /** The attribute, the name of what was kept, the kind of alarm; of `setting` and `times` the field. */
  readonly name: string;
  readonly value: unknown;
  /** The field that the device stands in. */
  readonly field?: string;
  readonly device?: Device;
}

/** What is looked at, each once; some of it may be shown as something else than it is. */
export class Reads {
  readonly #instead: ReadonlyMap<string, unknown>;
  readonly #found = new Map<string, Read>();

  /** @param instead what is shown, by `keyOf` */
  constructor(instead: ReadonlyMap<string, unknown> = new Map()) {
    this.#instead = instead;
  }

  /** Notes it. @returns what is to be shown */
  note(read: Read): unknown {
    const key = keyOf(read);
    const known = this.#found.get(key);
    // The same reading of a device by its field says more.
    if (known === undefined || (known.field === undefined && read.field !== undefined))
      this.#found.set(key, read);
    return this.#instead.has(key) ? this.#instead.get(key) : read.value;
  }

  /** In the order in which they were looked at first. */
  get all(): readonly Read[] {
    return [...this.#found.values()];
  }
}

export function keyOf({ of, name, device }: Read): string {
  return `${of}/${device?.id ?? ""}/${name}`;
}
