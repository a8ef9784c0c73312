// What the records of a meter become: attributes of a device, and extras for what the model has no attribute for.
import {
  type DataRecord,
  mediumName,
  productName,
  type Telegram,
  timePointText,
  type Identity,
} from "@ledge/mbus";
import type { AttributeName, Capability, ExtraDescription } from "@ledge/model";

/** One value of a meter, in the hub's unit. */
export interface Reading {
  readonly attributes: Readonly<Record<string, number | string>>;
  readonly capabilities: readonly Capability[];
  readonly extras: readonly ExtraDescription[];
  readonly manufacturer: string | null;
  readonly model: string | null;
  /** Absent for meters of the fixed structure. */
  readonly meter?: Identity;
}

interface Row {
  readonly name: AttributeName;
  readonly capability: Capability;
  /** value in the hub's unit = value of the record * factor */
  readonly factor: number;
  /** Whether phases have attributes of their own, such as `voltageA`. */
  readonly byPhase?: true;
}

const joulesPerKwh = 3_600_000;

/** By quantity and unit of a record. */
const rows: Readonly<Record<string, Row>> = {
  "Energy Wh": { name: "totalPower", capability: "POWER_METER", factor: 1 / 1000 },
  "Energy J": { name: "totalPower", capability: "POWER_METER", factor: 1 / joulesPerKwh },
  "Energy cal": { name: "totalPower", capability: "POWER_METER", factor: 4.1868 / joulesPerKwh },
  "Power W": { name: "activePower", capability: "MEASURE_POWER", factor: 1, byPhase: true },
  "Power J/h": { name: "activePower", capability: "MEASURE_POWER", factor: 1 / 3600 },
  "Volume m^3": { name: "volume", capability: "FLOW_VOLUME", factor: 1000 },
  "Volume flow m^3/h": { name: "flow", capability: "FLOW", factor: 1000 },
  "Volume flow m^3/min": { name: "flow", capability: "FLOW", factor: 60_000 },
  "Volume flow m^3/s": { name: "flow", capability: "FLOW", factor: 3_600_000 },
  "Flow temperature °C": { name: "flowTemp", capability: "FLOW_TEMPERATURE", factor: 1 },
  "External temperature °C": { name: "temperature", capability: "TEMPERATURE", factor: 1 },
  "Relative humidity %": { name: "humidity", capability: "HUMIDITY", factor: 1 },
  "%RH -": { name: "humidity", capability: "HUMIDITY", factor: 1 },
  "Pressure bar": { name: "pressure", capability: "PRESSURE", factor: 100_000 },
  "Voltage V": { name: "voltage", capability: "VOLTAGE", factor: 1, byPhase: true },
  "Current A": { name: "current", capability: "CURRENT", factor: 1, byPhase: true },
  "Frequency Hz": { name: "frequency", capability: "FREQUENCY", factor: 1 },
};

const phases: Readonly<Record<string, string>> = {
  "at phase L1": "A",
  "at phase L2": "B",
  "at phase L3": "C",
};
const powerByPhase: Readonly<Record<string, AttributeName>> = { A: "powerA", B: "powerB", C: "powerC" };

/** Extras of present values, by quantity. */
const extraNames: Readonly<Record<string, readonly [name: string, unit: string | null]>> = {
  "Return temperature": ["return_temperature", "°C"],
  "Temperature difference": ["temperature_difference", "K"],
  "H.C.A.": ["allocator_units", null],
  "Error flags": ["error_flags", null],
};
/** Extras of the last due date: what storage 1 holds. */
const dueNames: Readonly<Record<string, readonly [name: string, unit: string, factor: number]>> = {
  "Energy Wh": ["due_date_energy", "kWh", 1 / 1000],
  "Energy J": ["due_date_energy", "kWh", 1 / joulesPerKwh],
  "Volume m^3": ["due_date_volume", "l", 1000],
};

const onlyNegative = "accumulation of absolute value only if negative";

/** Returns what the telegrams of one reading say. The first record of a quantity counts; records in an error state do not. */
export function readingOf(telegrams: readonly Telegram[]): Reading {
  const collected = new Collected();
  let meter: Identity | undefined;
  for (const telegram of telegrams) {
    if (telegram.kind === "fixed") {
      for (const { isStored, unit, value } of telegram.counters)
        if (!isStored && value !== undefined) collected.addFixed(unit, value);
      continue;
    }
    meter ??= telegram.meter;
    for (const record of telegram.records) collected.add(record);
  }
  const model =
    meter && (productName(meter.manufacturer, meter.version, meter.medium) || mediumName(meter.medium));
  const told = { ...collected.result(), manufacturer: meter?.manufacturer ?? null, model: model ?? null };
  return meter === undefined ? told : { ...told, meter };
}

class Collected {
  readonly #attributes = new Map<string, number | string>();
  readonly #capabilities = new Set<Capability>();
  readonly #extras = new Map<string, ExtraDescription>();
  /** Energy by tariff, for meters that send no total. */
  readonly #tariffs = new Map<number, number>();

  add(record: DataRecord): void {
    if (record.function !== "instantaneous" || record.device !== 0) return;
    if (record.storage === 1 && record.tariff === 0) return this.#addDue(record);
    if (record.storage !== 0) return;
    const value = numberOf(record);
    if (value === undefined) return;
    const row = rows[`${record.quantity} ${record.unit}`];
    if (row !== undefined) this.#addRow(row, record, value);
    else if (record.tariff === 0) this.#addExtra(extraNames[record.quantity], value);
  }

  /** Counters of the fixed structure name a decimal multiple in their unit. */
  addFixed(unit: string, value: number): void {
    const [, ten = "1", bare = ""] = /^(?:(10|100) )?(.+)$/.exec(unit) ?? [];
    const known = fixedUnits[bare];
    if (known === undefined) return;
    this.#put(known.name, known.capability, value * Number(ten) * known.factor);
  }

  result(): Pick<Reading, "attributes" | "capabilities" | "extras"> {
    if (!this.#attributes.has("totalPower") && this.#tariffs.size > 0) {
      const sum = [...this.#tariffs.values()].reduce((total, value) => total + value, 0);
      this.#put("totalPower", "POWER_METER", sum);
    }
    return {
      attributes: Object.fromEntries(this.#attributes),
      capabilities: ["DEVICE", ...this.#capabilities],
      extras: [...this.#extras.values()],
    };
  }

  #addRow({ name, capability, factor, byPhase }: Row, record: DataRecord, value: number): void {
    const scaled = rounded(value * factor);
    if (name === "totalPower" && record.tariff > 0) {
      if (!this.#tariffs.has(record.tariff)) this.#tariffs.set(record.tariff, scaled);
      return;
    }
    if (record.tariff > 0) return;
    if (name === "totalPower" && record.qualifiers.includes(onlyNegative))
      return this.#put("producedEnergy", "PRODUCED_ENERGY", scaled);
    const phase = record.qualifiers
      .map((qualifier) => phases[qualifier])
      .find((letter) => letter !== undefined);
    if (phase === undefined) return this.#put(name, capability, scaled);
    if (byPhase)
      this.#put(name === "activePower" ? (powerByPhase[phase] ?? name) : name + phase, capability, scaled);
  }

  #put(name: string, capability: Capability, value: number): void {
    if (this.#attributes.has(name)) return;
    if (name === "humidity" && (value < 0 || value > 100)) return;
    this.#attributes.set(name, value);
    this.#capabilities.add(capability);
    if (name === "activePower") this.#capabilities.add("ACTIVE_POWER");
  }

  #addDue(record: DataRecord): void {
    if (record.value.kind === "time" && record.quantity.startsWith("Time point")) {
      if (record.value.time.isInvalid) return;
      return this.#setExtra(
        { name: "due_date", fieldType: "TEXT", unit: null },
        timePointText(record.value.time),
      );
    }
    const [name, unit, factor = 1] = dueNames[`${record.quantity} ${record.unit}`] ?? [];
    const value = numberOf(record);
    if (name === undefined || unit === undefined || value === undefined) return;
    this.#setExtra({ name, fieldType: "NUMBER", unit }, rounded(value * factor));
  }

  #addExtra(known: readonly [name: string, unit: string | null] | undefined, value: number): void {
    if (known === undefined) return;
    const [name, unit] = known;
    this.#setExtra({ name, fieldType: "NUMBER", unit }, rounded(value));
  }

  #setExtra(described: Pick<ExtraDescription, "name" | "fieldType" | "unit">, value: number | string): void {
    if (this.#extras.has(described.name)) return;
    this.#extras.set(described.name, { ...described, writable: false });
    this.#attributes.set(`extras.${described.name}`, value);
  }
}

const fixedUnits: Readonly<Record<string, Row>> = {
  Wh: { name: "totalPower", capability: "POWER_METER", factor: 1 / 1000 },
  kWh: { name: "totalPower", capability: "POWER_METER", factor: 1 },
  MWh: { name: "totalPower", capability: "POWER_METER", factor: 1000 },
  kJ: { name: "totalPower", capability: "POWER_METER", factor: 1 / 3600 },
  MJ: { name: "totalPower", capability: "POWER_METER", factor: 1 / 3.6 },
  GJ: { name: "totalPower", capability: "POWER_METER", factor: 1000 / 3.6 },
  W: { name: "activePower", capability: "MEASURE_POWER", factor: 1 },
  kW: { name: "activePower", capability: "MEASURE_POWER", factor: 1000 },
  ml: { name: "volume", capability: "FLOW_VOLUME", factor: 1 / 1000 },
  l: { name: "volume", capability: "FLOW_VOLUME", factor: 1 },
  "m^3": { name: "volume", capability: "FLOW_VOLUME", factor: 1000 },
  "ml/h": { name: "flow", capability: "FLOW", factor: 1 / 1000 },
  "l/h": { name: "flow", capability: "FLOW", factor: 1 },
  "m^3/h": { name: "flow", capability: "FLOW", factor: 1000 },
};

/** A meter that has no value sends BCD with letters, a number that is none, or a VIFE that says so. */
function numberOf({ value, qualifiers }: DataRecord): number | undefined {
  if (value.kind !== "number" || !Number.isFinite(value.value)) return undefined;
  return qualifiers.some((qualifier) => qualifier.startsWith("error: ")) ? undefined : value.value;
}

/** Drops what the multiplication adds behind nine decimals. */
function rounded(value: number): number {
  return Number(value.toFixed(9));
}
