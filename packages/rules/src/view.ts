import type { Capability, Device, Origin, StoredRange, RuleState, World } from "@ledge/model";
import { readingOf, seenId } from "@ledge/model";
import { Temporal } from "temporal-polyfill";
import type { DeviceField } from "./field.ts";
import type { Place, RangesState } from "./schedule/index.ts";
import { rangesAt } from "./schedule/index.ts";
import type { Template } from "./template.ts";

/** A device of a field shows something else. */
export interface Change {
  readonly field: string;
  readonly device: Device;
  readonly attribute: string;
  readonly value: unknown;
  /** What it showed before; undefined for what it had never shown. */
  readonly before: unknown;
  /**
   * False when it restores what is known after a start, or when the device can only be reached again, or no more:
   * no reason to do anything on an edge (convention C2).
   */
  readonly isNews: boolean;
  readonly origin: Origin;
}

/** What a device shows by one of its capabilities. */
export interface Measured {
  readonly device: Device;
  readonly capability: Capability;
  readonly value: unknown;
}

/** Local time at a moment. */
export interface LocalTime {
  /** Since midnight. */
  readonly minutes: number;
  /** ISO: 1 is Monday. */
  readonly weekday: number;
  /** `yyyy-mm-dd` */
  readonly date: string;
}

/**
 * What a machine may know when it steps: its rule, the devices of its fields and the time. Unreachable devices and
 * those that have never shown a value are left out of readings (convention C1).
 */
export class View {
  /** ms since the epoch. */
  readonly now: number;
  readonly rule: RuleState;
  /** The device whose machine it is, where each has one. */
  readonly each: Device | undefined;
  readonly change: Change | undefined;
  readonly place: Place;
  readonly #template: Template;
  readonly #world: World;
  #local: LocalTime | undefined;

  constructor(
    world: World,
    template: Template,
    rule: RuleState,
    place: Place,
    each?: Device,
    change?: Change,
  ) {
    this.now = world.now;
    this.rule = rule;
    this.each = each;
    this.change = change;
    this.place = place;
    this.#template = template;
    this.#world = world;
  }

  /** The devices of an input or output that exist, in the order in which they were given. */
  devices(field: string): readonly Device[] {
    const { inputs, outputs } = this.rule.config;
    const ids = (Object.hasOwn(inputs, field) ? inputs[field] : outputs[field]) ?? [];
    return ids.flatMap((id) => this.#world.get("device", id) ?? []);
  }

  device(id: string): Device | undefined {
    return this.#world.get("device", id);
  }

  /** The name of the room that a device is in, or an empty text. */
  roomOf({ room: [id] }: Device): string {
    return (id !== undefined && this.#world.get("room", id)?.name) || "";
  }

  /** Readings of a field that are numbers. */
  numbers(field: string): readonly number[] {
    return this.#readings(field).filter((value) => typeof value === "number");
  }

  /** Readings of a field that are yes or no. */
  truths(field: string): readonly boolean[] {
    return this.#readings(field).filter((value) => typeof value === "boolean");
  }

  /** Whether one of the devices of a field says yes; undefined when none says anything. */
  any(field: string): boolean | undefined {
    const truths = this.truths(field);
    return truths.length === 0 ? undefined : truths.includes(true);
  }

  /** Whether all devices of a field that say anything say yes; undefined when none does. */
  all(field: string): boolean | undefined {
    const truths = this.truths(field);
    return truths.length === 0 ? undefined : !truths.includes(false);
  }

  /** The mean of a field's numbers; undefined when there are none. */
  mean(field: string): number | undefined {
    const numbers = this.numbers(field);
    return numbers.length === 0 ? undefined : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  }

  /** The greatest of a field's numbers; undefined when there are none. */
  greatest(field: string): number | undefined {
    const numbers = this.numbers(field);
    return numbers.length === 0 ? undefined : Math.max(...numbers);
  }

  /** The least of a field's numbers; undefined when there are none. */
  least(field: string): number | undefined {
    const numbers = this.numbers(field);
    return numbers.length === 0 ? undefined : Math.min(...numbers);
  }

  /** What a device shows of a field; undefined when it cannot be reached or has not shown it. */
  reading(field: string, device: Device): unknown {
    const { inputs, outputs } = this.#template;
    const of = inputs[field] ?? outputs[field];
    const attribute = of && attributeOf(of, device);
    if (attribute === undefined) return undefined;
    if (attribute !== "reachable" && device.state["reachable"] === false) return undefined;
    return device.state[attribute] ?? undefined;
  }

  /** What the devices of a field show that can be reached, by each of the field's capabilities that they have. */
  measured(field: string): readonly Measured[] {
    const { inputs, outputs } = this.#template;
    const { capabilities = [] } = inputs[field] ?? outputs[field] ?? {};
    return this.devices(field).flatMap((device) =>
      capabilities.flatMap((capability) => {
        const attribute = readingOf(capability);
        const isThere =
          device.capabilities.values.includes(capability) && device.state["reachable"] !== false;
        const value = isThere && attribute !== undefined ? device.state[attribute] : undefined;
        return value === undefined || value === null ? [] : [{ device, capability, value }];
      }),
    );
  }

  /**
   * When a device was last heard of (ms since the epoch), 0 for never. What only repeats what is known is written down
   * every `limits.lastSeenLoggedMs`, so it may have been heard of since.
   */
  seenAt({ id, state }: Device): number {
    return Math.max(Number(state["lastSeen"] ?? 0), this.#world.get("seen", seenId)?.at[id] ?? 0);
  }

  /** What a field of the extras holds, or its standard; undefined where it has none. */
  value(field: string): unknown {
    const { standard, max } = this.#template.extras[field] ?? { standard: null, max: 1 };
    const given = this.rule.config.extras[field] ?? [];
    if (max > 1) {
      const values = given.map((value) =>
        isRange(value) ? value : (value as { readonly value?: unknown }).value,
      );
      return values.length === 0 ? standard : values;
    }
    const [first] = given;
    return (first === undefined ? standard : (first as { readonly value?: unknown }).value) ?? undefined;
  }

  /** A number of the extras that has a standard or must be given. */
  number(field: string): number {
    return Number(this.value(field));
  }

  /** A number of the extras that may be left out. */
  numberIfAny(field: string): number | undefined {
    const value = this.value(field);
    return typeof value === "number" ? value : undefined;
  }

  flag(field: string): boolean {
    return this.value(field) === true;
  }

  text(field: string): string {
    const value = this.value(field);
    return typeof value === "string" ? value : "";
  }

  /** Several texts, such as ids of scenes. */
  texts(field: string): readonly string[] {
    return [this.value(field) ?? []].flat().map(String);
  }

  ranges(field: string): readonly StoredRange[] {
    return (this.value(field) ?? []) as readonly StoredRange[];
  }

  /** The time ranges of a field that hold now, that which began last first. */
  active(field: string): RangesState["active"] {
    const ranges = this.ranges(field);
    return ranges.length === 0 ? [] : rangesAt(ranges, this.now, this.place).active;
  }

  /** Whether one of the time ranges of a field holds now. */
  isWithin(field: string): boolean {
    return this.active(field).length > 0;
  }

  get local(): LocalTime {
    if (this.#local === undefined) {
      const { hour, minute, dayOfWeek, ...rest } = partsOf(this.now, this.place.zone);
      this.#local = { minutes: hour * 60 + minute, weekday: dayOfWeek, ...rest };
    }
    return this.#local;
  }

  #readings(field: string): readonly unknown[] {
    return this.devices(field).map((device) => this.reading(field, device));
  }
}

/** The attribute that counts of a device in a field: that of the first of the field's capabilities that it has. */
export function attributeOf(field: DeviceField, device: Device): string | undefined {
  return attributesOf({ capabilities: field.capabilities }, device)[0];
}

/** The attributes that are heard of a device in a field: `attributeOf`, or those of every capability that it has. */
export function attributesOf(
  { capabilities, every }: Pick<DeviceField, "capabilities" | "every">,
  device: Device,
): readonly string[] {
  const { values } = device.capabilities;
  const had = capabilities.filter((name) => values.includes(name));
  return (every ? had : had.slice(0, 1)).flatMap((name) => readingOf(name) ?? []);
}

function isRange({ type }: { readonly type: string }): boolean {
  return type === "TIME_RANGE" || type === "RULETIME";
}

function partsOf(
  at: number,
  zone: string,
): { hour: number; minute: number; dayOfWeek: number; date: string } {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  const { hour, minute, dayOfWeek } = local;
  return { hour, minute, dayOfWeek, date: local.toPlainDate().toString() };
}
