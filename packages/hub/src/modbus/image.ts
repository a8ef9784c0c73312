import type { Command, ModbusTcpMapping } from "@ledge/model";
import { mappedCount, shownIn } from "@ledge/model";
import type { Question, Refusal, Table } from "./requests.ts";
import { refusals, tables } from "./requests.ts";

type Read = Extract<Question, { kind: "read" }>;
type Write = Extract<Question, { kind: "write" }>;
type State = Readonly<Record<string, unknown>>;

/** Returns the state of a device; undefined when there is none. */
export type StateOf = (deviceId: string) => State | undefined;

/** Returns what a device has been told and will show; undefined when nothing is under way to it. */
export type AwaitedOf = (deviceId: string) => State | undefined;

interface Place {
  readonly mapping: ModbusTcpMapping;
  /** Which of its registers this is. */
  readonly offset: number;
}

/** What stands in registers where a device has not said anything, or what it says does not fit. */
const noValue = { u16: 0xffff, s16: -0x8000, u32: 0xffff_ffff, s32: -0x8000_0000, f32: Number.NaN } as const;

type Places = Readonly<Record<Table, Map<number, Place>>>;

const noPlaces = (): Places => ({
  coil: new Map(),
  discrete: new Map(),
  holding: new Map(),
  input: new Map(),
});

/** The tables of the server: which attribute of which device stands at which address of which unit. */
export class Image {
  /** By unit; null: of all units. */
  readonly #units: ReadonlyMap<number | null, Places>;

  constructor(mappings: readonly ModbusTcpMapping[]) {
    const units = new Map<number | null, Places>([[null, noPlaces()]]);
    for (const mapping of mappings) {
      const table = tables.get(mapping.registerType);
      if (table === undefined) continue;
      const places = units.get(mapping.unit) ?? noPlaces();
      units.set(mapping.unit, places);
      for (let offset = 0; offset < mappedCount(mapping); offset++)
        places[table].set(mapping.register + offset, { mapping, offset });
    }
    this.#units = units;
  }

  #at(unit: number, table: Table, register: number): Place | undefined {
    return this.#units.get(unit)?.[table].get(register) ?? this.#units.get(null)?.[table].get(register);
  }

  /** Returns words, or bits as 0 or 1; why not where an address holds nothing. */
  read(
    unit: number,
    { table, register, count }: Pick<Read, "table" | "register" | "count">,
    stateOf: StateOf,
  ): number[] | Refusal {
    const values: number[] = [];
    let known: { readonly mapping: ModbusTcpMapping; readonly words: readonly number[] } | undefined;
    for (let address = register; address < register + count; address++) {
      const place = this.#at(unit, table, address);
      if (place === undefined) return refusals.illegalAddress;
      const { mapping, offset } = place;
      if (known?.mapping !== mapping) known = { mapping, words: wordsOf(mapping, stateOf(mapping.deviceId)) };
      values.push(known.words[offset] ?? 0);
    }
    return values;
  }

  /**
   * Returns the commands that carry out what a client writes; why not where it cannot be. Controllers write all their
   * outputs again with each scan: what a device shows already, or has been told and not yet shown, makes no command.
   */
  write(
    unit: number,
    { table, register, values, mask }: Write,
    stateOf: StateOf,
    awaitedOf: AwaitedOf = () => undefined,
  ): readonly Command[] | Refusal {
    const states = new Map<string, Record<string, unknown>>();
    for (let index = 0; index < values.length;) {
      const place = this.#at(unit, table, register + index);
      if (place === undefined || !place.mapping.writable) return refusals.illegalAddress;
      const { mapping, offset } = place;
      const words = values.slice(index, index + mappedCount(mapping));
      // Half of a number is no value.
      if (offset > 0 || words.length < mappedCount(mapping)) return refusals.illegalAddress;
      const state = stateOf(mapping.deviceId);
      if (state === undefined) return refusals.illegalAddress;
      if (state["reachable"] === false) return refusals.targetSilent;
      const value = valueOf(
        mapping,
        mask === undefined ? words : merged(words, mask, wordsOf(mapping, state)),
      );
      if (value === undefined) return refusals.illegalValue;
      index += words.length;
      const wanted = states.get(mapping.deviceId) ?? {};
      const awaited = awaitedOf(mapping.deviceId);
      const will = awaited === undefined ? shownIn(state, mapping.attribute) : awaited[mapping.attribute];
      // The same in its registers: a lamp that was told 40 % may well say 40.2 %.
      if (!(mapping.attribute in wanted) && isSame(mapping, will, value)) continue;
      states.set(mapping.deviceId, { ...wanted, [mapping.attribute]: value });
    }
    return [...states].map(([id, state]) => ({ type: "CMD_DEVICE", id, state }) as Command);
  }
}

function merged(words: readonly number[], mask: number, before: readonly number[]): number[] {
  return words.map((word, index) => ((before[index] ?? 0) & ~mask & 0xffff) | (word & mask));
}

/** Whether a mapping has the same in its registers for two values, the first of which may be unknown. */
function isSame(mapping: ModbusTcpMapping, a: unknown, b: boolean | number): boolean {
  return typeof a === typeof b && String(registersOf(mapping, a)) === String(registersOf(mapping, b));
}

function wordsOf(mapping: ModbusTcpMapping, state: State | undefined): readonly number[] {
  return registersOf(mapping, state === undefined ? undefined : shownIn(state, mapping.attribute));
}

function registersOf(mapping: ModbusTcpMapping, value: unknown): readonly number[] {
  if (typeof value === "boolean") return [value ? 1 : 0];
  if (mapping.dataType === "bool") return [0];
  const { dataType, scale, wordOrder } = mapping;
  const raw = typeof value === "number" ? value / scale : Number.NaN;
  const view = new DataView(new ArrayBuffer(4));
  if (dataType === "f32") view.setFloat32(0, raw);
  else {
    const whole = Math.round(raw);
    const [least, most] = ranges[dataType];
    const shown = whole >= least && whole <= most ? whole : noValue[dataType];
    if (dataType === "u16" || dataType === "s16") return [shown & 0xffff];
    view.setUint32(0, shown >>> 0);
  }
  const words = [view.getUint16(0), view.getUint16(2)];
  return wordOrder === "big" ? words : words.toReversed();
}

const ranges = {
  u16: [0, 0xfffe],
  s16: [-0x7fff, 0x7fff],
  u32: [0, 0xffff_fffe],
  s32: [-0x7fff_ffff, 0x7fff_ffff],
} as const;

function valueOf(mapping: ModbusTcpMapping, words: readonly number[]): boolean | number | undefined {
  const { dataType, scale, wordOrder } = mapping;
  const [first = 0, second = 0] = wordOrder === "big" ? words : words.toReversed();
  if (dataType === "bool") return first !== 0;
  const view = new DataView(new ArrayBuffer(4));
  view.setUint16(0, first);
  view.setUint16(2, second);
  const raw = {
    u16: first,
    s16: view.getInt16(0),
    u32: view.getUint32(0),
    s32: view.getInt32(0),
    f32: view.getFloat32(0),
  };
  const value = raw[dataType];
  if (!Number.isFinite(value)) return undefined;
  // A float of 21.3 is 21.299999: seven digits are what it holds.
  return Number((value * scale).toPrecision(dataType === "f32" ? 7 : 12));
}
