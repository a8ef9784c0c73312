/** value in the hub's unit = value in the device's unit * factor + offset */
export interface Conversion {
  readonly factor: number;
  readonly offset: number;
}

const by = (factor: number, offset = 0): Conversion => ({ factor, offset });

/** The units that a device may use for each quantity. The first is the hub's own. */
export const quantities = {
  power: { W: by(1), kW: by(1000), MW: by(1e6) },
  energy: { kWh: by(1), Wh: by(0.001), MWh: by(1000), MJ: by(1 / 3.6), GJ: by(1000 / 3.6) },
  voltage: { V: by(1), mV: by(0.001), kV: by(1000) },
  current: { A: by(1), mA: by(0.001) },
  frequency: { Hz: by(1), mHz: by(0.001) },
  apparent: { VA: by(1), kVA: by(1000) },
  reactive: { var: by(1), kvar: by(1000) },
  factor: { ratio: by(1), "%": by(0.01) },
  percent: { "%": by(1), ratio: by(100) },
  fraction: { ratio: by(1), "%": by(0.01) },
  temperature: { C: by(1), F: by(5 / 9, -160 / 9), K: by(1, -273.15) },
  colourTemperature: { K: by(1) },
  pressure: { Pa: by(1), hPa: by(100), mbar: by(100), kPa: by(1000), bar: by(1e5), psi: by(6894.757293168) },
  concentration: { ppm: by(1), ppb: by(0.001) },
  illuminance: { lx: by(1), klx: by(1000) },
  flow: { "l/h": by(1), "l/min": by(60), "l/s": by(3600), "m3/h": by(1000) },
  volume: { l: by(1), m3: by(1000) },
  dust: { "ug/m3": by(1), "mg/m3": by(1000) },
  distance: { m: by(1), cm: by(0.01), mm: by(0.001) },
  time: { s: by(1), min: by(60), h: by(3600) },
  index: { none: by(1) },
  signal: { dBm: by(1) },
  choice: { none: by(1) },
  state: { none: by(1) },
} as const satisfies Record<string, Record<string, Conversion>>;

export type Quantity = keyof typeof quantities;

/** Returns the conversion of a unit, by default of the hub's own; undefined for an unknown unit. */
export function conversion(quantity: Quantity, unit?: string): Conversion | undefined {
  const units: Readonly<Record<string, Conversion>> = quantities[quantity];
  if (unit === undefined) return Object.values(units)[0];
  return Object.hasOwn(units, unit) ? units[unit] : undefined;
}

export const unitsOf = (quantity: Quantity): readonly string[] => Object.keys(quantities[quantity]);
