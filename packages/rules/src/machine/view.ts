import type {
  AlarmKind,
  Capability,
  Device,
  Origin,
  PriceSlot,
  RuleConfig,
  StoredRange,
  RuleState,
  World,
} from "@ledge/model";
import { alarmId, readingOf, seenId, shownIn } from "@ledge/model";
import { Temporal } from "temporal-polyfill";
import type { AlarmSource } from "./effect.ts";
import type { DeviceField, TemplateFields } from "../catalogue/field.ts";
import type { Place, RangesState } from "../schedule/index.ts";
import { rangesAt } from "../schedule/index.ts";
import { understood } from "../catalogue/value.ts";

/** A change of a field's device: of an attribute that it shows, or of its reachability (`reachable`). */
export interface Change {
  readonly field: string;
  readonly device: Device;
  readonly attribute: string;
  readonly value: unknown;
  /** The value before; undefined if there was none. */
  readonly before: unknown;
  /**
   * False for a value that is restored after a start, or a change of reachability only: such a change is
   * never an edge.
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
 * What a machine can read when it steps: its rule, the devices of its fields and the time. Readings leave out
 * unreachable devices and those that have never shown a value.
 */
export class View {
  /** ms since the epoch. */
  readonly now: number;
  readonly rule: RuleState;
  /** The machine's device, when each device has its own machine. */
  readonly each: Device | undefined;
  readonly change: Change | undefined;
  readonly place: Place;
  /** When the first event came after the hub's start, ms since the epoch. */
  readonly startedAt: number;
  /** Units of work that the step has spent, for custom rules. */
  spent = 0;
  readonly #template: TemplateFields;
  readonly #world: World;
  #local: LocalTime | undefined;

  constructor(
    world: World,
    template: TemplateFields,
    rule: RuleState,
    place: Place,
    each?: Device,
    change?: Change,
    startedAt = 0,
  ) {
    this.now = world.now;
    this.rule = rule;
    this.each = each;
    this.change = change;
    this.place = place;
    this.startedAt = startedAt;
    this.#template = template;
    this.#world = world;
  }

  /** The existing devices of an input or output, in the given order. */
  devices(field: string): readonly Device[] {
    const { inputs, outputs } = this.rule.config;
    const ids = (Object.hasOwn(inputs, field) ? inputs[field] : outputs[field]) ?? [];
    return ids.flatMap((id) => this.#world.get("device", id) ?? []);
  }

  device(id: string): Device | undefined {
    return this.#world.get("device", id);
  }

  /** Returns the name of a device's room, or an empty text. */
  roomOf({ room: [id] }: Device): string {
    return (id !== undefined && this.#world.get("room", id)?.name) || "";
  }

  /** Returns a device's radio with all devices on it; undefined for a user's client, which has none. */
  radioOf({ id }: Device): (AlarmSource & { readonly devices: readonly Device[] }) | undefined {
    const own = this.#world.get("binding", id);
    if (own === undefined) return undefined;
    const { protocol, radio } = own;
    const devices: Device[] = [];
    for (const [member, binding] of this.#world.all("binding")) {
      const device = this.#world.get("device", member);
      if (device === undefined || binding.removed) continue;
      if (binding.protocol === protocol && binding.radio === radio) devices.push(device);
    }
    return { id: `${protocol}/${radio}`, name: radio, devices };
  }

  /** What each device of a field shows; undefined for a device that shows nothing. */
  readings(field: string): readonly unknown[] {
    return this.devices(field).map((device) => this.reading(field, device));
  }

  /** The readings of a field that are numbers. */
  numbers(field: string): readonly number[] {
    return this.readings(field).filter((value) => typeof value === "number");
  }

  /** The readings of a field that are true or false. */
  truths(field: string): readonly boolean[] {
    return this.readings(field).filter((value) => typeof value === "boolean");
  }

  /** Whether a device of a field reads true; undefined when none has a reading. */
  any(field: string): boolean | undefined {
    const truths = this.truths(field);
    return truths.length === 0 ? undefined : truths.includes(true);
  }

  /** Whether all devices of a field with a reading read true; undefined when none has a reading. */
  all(field: string): boolean | undefined {
    const truths = this.truths(field);
    return truths.length === 0 ? undefined : !truths.includes(false);
  }

  /** The mean of a field's numbers; undefined without numbers. */
  mean(field: string): number | undefined {
    const numbers = this.numbers(field);
    return numbers.length === 0 ? undefined : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  }

  /** The greatest of a field's numbers; undefined without numbers. */
  greatest(field: string): number | undefined {
    const numbers = this.numbers(field);
    return numbers.length === 0 ? undefined : Math.max(...numbers);
  }

  /** The least of a field's numbers; undefined without numbers. */
  least(field: string): number | undefined {
    const numbers = this.numbers(field);
    return numbers.length === 0 ? undefined : Math.min(...numbers);
  }

  /** What a device shows in a field; undefined when it is unreachable or has never shown it. */
  reading(field: string, device: Device): unknown {
    const isGone = device.state["reachable"] === false;
    return this.#shown(field, device, (attribute) => attribute === "reachable" || !isGone);
  }

  /** What a device last showed in a field, reachable or not. */
  lastShown(field: string, device: Device): unknown {
    return this.#shown(field, device, () => true);
  }

  /** Whether an alarm about a device, or else about the rule, is open. */
  isRaised(alarm: AlarmKind, about?: AlarmSource): boolean {
    return this.#world.get("alarm", alarmId(alarm, about?.id ?? this.rule.id))?.closed === false;
  }

  /** What the reachable devices of a field show, by each of the field's capabilities that they have. */
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
   * When a device was last heard of (ms since the epoch), 0 for never. Repeated reports are logged only every
   * `limits.lastSeenLoggedMs`, so the true time may be later.
   */
  seenAt({ id, state }: Device): number {
    return Math.max(Number(state["lastSeen"] ?? 0), this.#world.get("seen", seenId)?.at[id] ?? 0);
  }

  /** The value of a field of the extras as far as it is understood, or its default; undefined without one. */
  value(field: string): unknown {
    const declared = this.#template.extras[field];
    if (declared === undefined) return undefined;
    const { standard, max, fieldType } = declared;
    const given = understood(this.rule.config.extras[field] ?? [], declared);
    if (max > 1 || fieldType === "TIME_RANGE") {
      const values = given.map((value) =>
        isRange(value) ? value : (value as { readonly value?: unknown }).value,
      );
      return values.length === 0 ? standard : values;
    }
    const [first] = given;
    return (first === undefined ? standard : (first as { readonly value?: unknown }).value) ?? undefined;
  }

  /** A number of the extras that is required or has a default. */
  number(field: string): number {
    return Number(this.value(field));
  }

  /** An optional number of the extras. */
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

  /** The time ranges of a field that hold now, newest start first. */
  active(field: string): RangesState["active"] {
    const ranges = this.ranges(field);
    return ranges.length === 0 ? [] : rangesAt(ranges, this.now, this.place).active;
  }

  /** Whether one of the time ranges of a field holds now. */
  isWithin(field: string): boolean {
    return this.active(field).length > 0;
  }

  /** Since when a time range holds (ms since the epoch), or null when it does not hold now. */
  since(range: StoredRange): number | null {
    return rangesAt([range], this.now, this.place).active[0]?.since ?? null;
  }

  /** The known prices of energy per kWh, past ones included, in order of time. */
  get prices(): readonly PriceSlot[] {
    for (const [, { slots }] of this.#world.all("price")) return slots;
    return [];
  }

  get local(): LocalTime {
    this.#local ??= this.localAt(this.now);
    return this.#local;
  }

  /** Local time at a moment (ms since the epoch). */
  localAt(at: number): LocalTime {
    const { hour, minute, dayOfWeek, ...rest } = partsOf(at, this.place.zone);
    return { minutes: hour * 60 + minute, weekday: dayOfWeek, ...rest };
  }

  #shown(field: string, device: Device, counts: (attribute: string) => boolean): unknown {
    const { inputs, outputs } = this.#template;
    const of = inputs[field] ?? outputs[field];
    if (of === undefined) return undefined;
    let first: unknown;
    for (const attribute of attributesOf(of, device, this.rule.config)) {
      const value = counts(attribute) ? (shownIn(device.state, attribute) ?? undefined) : undefined;
      if (value === true) return true;
      first ??= value;
    }
    return first;
  }
}

/**
 * Returns the attributes of a device that count in a field: that of its first matching capability, or of all
 * with `every`, or the one that the CONFIG names.
 */
export function attributesOf(
  { capabilities, every, by }: DeviceField,
  device: Device,
  config: Pick<RuleConfig, "extras">,
): readonly string[] {
  if (by !== undefined) return attributesNamed(by, config);
  const { values } = device.capabilities;
  const known = capabilities.filter((name) => values.includes(name));
  return (every ? known : known.slice(0, 1)).flatMap((name) => readingOf(name) ?? []);
}

/** Returns the attribute in a field of type ATTRIBUTE, as a list; empty when there is none. */
export function attributesNamed(field: string, { extras }: Pick<RuleConfig, "extras">): readonly string[] {
  const given = understood((Object.hasOwn(extras, field) ? extras[field] : undefined) ?? [], {
    fieldType: "ATTRIBUTE",
  });
  return given.map((each) => String((each as { readonly value?: unknown }).value));
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
