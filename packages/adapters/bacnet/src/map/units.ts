/** value in the hub's unit = value in the object's unit * factor + offset */
export interface Conversion {
  readonly factor: number;
  readonly offset: number;
}

interface Unit extends Conversion {
  readonly symbol: string;
}

const by = (symbol: string, factor = 1, offset = 0): Unit => ({ symbol, factor, offset });

/**
 * The engineering units of each quantity by number (ASHRAE 135, 21, BACnetEngineeringUnits). The first is the
 * hub's own.
 */
export const quantities = {
  temperature: { 62: by("°C"), 63: by("K", 1, -273.15), 64: by("°F", 5 / 9, -160 / 9) },
  percent: { 98: by("%"), 29: by("%RH") },
  fraction: { 98: by("%", 0.01) },
  concentration: { 96: by("ppm"), 97: by("ppb", 0.001) },
  illuminance: { 37: by("lx") },
  pressure: {
    53: by("Pa"),
    54: by("kPa", 1000),
    55: by("bar", 1e5),
    56: by("psi", 6894.757293168),
    133: by("hPa", 100),
    134: by("mbar", 100),
  },
  power: { 47: by("W"), 48: by("kW", 1000), 49: by("MW", 1e6) },
  energy: { 19: by("kWh"), 18: by("Wh", 0.001), 146: by("MWh", 1000), 126: by("MJ", 1 / 3.6) },
  voltage: { 5: by("V"), 124: by("mV", 0.001), 6: by("kV", 1000) },
  current: { 3: by("A"), 2: by("mA", 0.001) },
  frequency: { 27: by("Hz") },
  flow: { 136: by("l/h"), 88: by("l/min", 60), 87: by("l/s", 3600), 135: by("m³/h", 1000) },
  volume: { 82: by("l"), 80: by("m³", 1000) },
  dust: { 219: by("µg/m³"), 218: by("mg/m³", 1000) },
} as const satisfies Record<string, Record<number, Unit>>;

export type Quantity = keyof typeof quantities;

/** The engineering units that the hub's own objects have, by number (ASHRAE 135, 21, BACnetEngineeringUnits). */
export const engineeringUnits = {
  degreesCelsius: 62,
  kelvin: 63,
  percent: 98,
  percentRelativeHumidity: 29,
  luxes: 37,
  partsPerMillion: 96,
  pascals: 53,
  volts: 5,
  amperes: 3,
  hertz: 27,
  watts: 47,
  kilowattHours: 19,
  litersPerHour: 136,
  liters: 82,
  microgramsPerCubicMeter: 219,
  noUnits: 95,
} as const;

/** The unit of an object that has none. */
export const { noUnits } = engineeringUnits;

const all: ReadonlyMap<number, Unit> = new Map(
  Object.values(quantities).flatMap((units) =>
    Object.entries(units).map(([code, unit]): [number, Unit] => [Number(code), unit]),
  ),
);

/**
 * Returns how to convert a unit to the hub's unit of a quantity; undefined for a unit of another quantity. An
 * object without a unit, or with one that nobody knows, is taken to be in the hub's.
 */
export function conversion(quantity: Quantity, unit: number): Conversion | undefined {
  const units: Readonly<Record<number, Conversion>> = quantities[quantity];
  return units[unit] ?? (all.has(unit) ? undefined : { factor: 1, offset: 0 });
}

/** Returns the symbol of a unit; null for none and for an unknown one. */
export function symbolOf(unit: number): string | null {
  return all.get(unit)?.symbol ?? null;
}
