import type { AdapterStore } from "@ledge/port";
import { isMains } from "./node.ts";
import type { Node } from "./nodes.ts";
import { isThere } from "./nodes.ts";

const storeKey = "timeouts";
const minuteMs = 60_000;

/** How long devices may be silent, in minutes, by whatever a user set it for. */
interface Stored {
  /** Devices that are always awake: they are pinged then. */
  readonly active?: number;
  /** Devices that sleep: they are unreachable then. */
  readonly passive?: number;
  readonly classes?: Readonly<Record<string, number>>;
  readonly devices?: Readonly<Record<string, number>>;
}

/** The silence that users allow devices: for one device, else for its class, else for all that are awake or sleep. */
export class Timeouts {
  readonly #store: AdapterStore;
  /** Newer than the store, which changes only once a value is durable. */
  #kept: Stored;

  constructor(store: AdapterStore) {
    this.#store = store;
    const stored = store.get(storeKey);
    this.#kept = isThere(stored) ? (stored as Stored) : {};
  }

  get kept(): Stored {
    return this.#kept;
  }

  /** Returns the allowed silence of a node (ms); undefined when no user has set any. */
  silenceMsOf(node: Node): number | undefined {
    const { active, passive, classes = {}, devices = {} } = this.#kept;
    const ofClasses = node.keptUnits.flatMap(({ class: type }) =>
      Object.hasOwn(classes, type) ? (classes[type] ?? []) : [],
    );
    const own = Object.hasOwn(devices, node.ieee) ? devices[node.ieee] : undefined;
    const ofClass = ofClasses.length > 0 ? Math.min(...ofClasses) : undefined;
    const minutes = own ?? ofClass ?? (isMains(node.facts) ? active : passive);
    return minutes === undefined ? undefined : minutes * minuteMs;
  }

  /** @param minutes null: back to the default. */
  async set(of: { readonly kind: "active" | "passive" } | Subject, minutes: number | null): Promise<void> {
    const { [of.kind]: before, ...others } = this.#kept;
    let value: unknown = minutes;
    if ("name" in of) {
      const { [of.name]: _, ...rest } = (before ?? {}) as Record<string, number>;
      value = minutes === null ? rest : { ...rest, [of.name]: minutes };
    }
    this.#kept = value === null ? others : { ...others, [of.kind]: value };
    await this.#store.put(storeKey, this.#kept);
  }
}

/** A device class, or a device by its address. */
export interface Subject {
  readonly kind: "classes" | "devices";
  readonly name: string;
}
