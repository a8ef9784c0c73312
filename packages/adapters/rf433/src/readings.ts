import type { Capability, ExtraDescription } from "@ledge/model";
import type { Values } from "./signal.ts";

/** What a device can do that has an attribute; an attribute without an entry is none of a signal's. */
const capabilitiesBy = {
  temperature: ["TEMPERATURE"],
  humidity: ["HUMIDITY"],
  soilMoisture: ["SOIL_MOISTURE"],
  pressure: ["PRESSURE"],
  lux: ["LUX"],
  co2Ppm: ["CO2"],
  pm1: ["PM1"],
  pm25: ["PM25"],
  pm10: ["PM10"],
  battery: ["BATTERY_C"],
  batteryLow: ["BATTERY_U"],
  batteryV: ["BATTERY_U"],
  activePower: ["MEASURE_POWER"],
  totalPower: ["POWER_METER"],
  voltage: ["VOLTAGE"],
  current: ["CURRENT"],
  currentA: ["CURRENT"],
  currentB: ["CURRENT"],
  currentC: ["CURRENT"],
  volume: ["FLOW_VOLUME"],
  motion: ["MOTION"],
  open: ["CONTACT"],
  moisture: ["MOISTURE"],
  coDetected: ["CO"],
  tamper: [],
} as const satisfies Readonly<Record<string, readonly Capability[]>>;

/** An attribute of a signal. `alert` is that of a smoke alarm. */
export type ReadAttribute = keyof typeof capabilitiesBy | "alert";

const number = (name: string, unit: string | null): ExtraDescription => ({
  name,
  fieldType: "NUMBER",
  unit,
  writable: false,
});

/** What a signal says for which there is no attribute, by its name in `extras`. */
const extras = {
  wind: number("wind", "m/s"),
  gust: number("gust", "m/s"),
  wind_direction: number("wind_direction", "°"),
  wind_chill: number("wind_chill", "°C"),
  rain: number("rain", "mm"),
  rain_day: number("rain_day", "mm"),
  rain_rate: number("rain_rate", "mm/h"),
  uv: number("uv", null),
  sound: number("sound", null),
  distance: number("distance", null),
  depth: number("depth", "cm"),
  meter: number("meter", null),
  setpoint: number("setpoint", "°C"),
  strikes: number("strikes", null),
  storm_distance: number("storm_distance", "km"),
  temperature_1: number("temperature_1", "°C"),
  temperature_2: number("temperature_2", "°C"),
  temperature_3: number("temperature_3", "°C"),
  temperature_4: number("temperature_4", "°C"),
} as const satisfies Readonly<Record<string, ExtraDescription>>;

export type ReadExtra = keyof typeof extras;

/** The name of a value of a signal. */
export type ReadName = ReadAttribute | `extras.${ReadExtra}`;

const isOwn = <Table extends object>(table: Table, name: string): name is Extract<keyof Table, string> =>
  Object.hasOwn(table, name);

/** Returns what a device can do that says these values. */
export function capabilitiesOf(values: Values): readonly Capability[] {
  return Object.keys(values).flatMap((name): readonly Capability[] => {
    if (name === "alert") return ["SMOKE"];
    return isOwn(capabilitiesBy, name) ? capabilitiesBy[name] : [];
  });
}

/** Returns the descriptions of the extras among values. */
export function extrasOf(values: Values): readonly ExtraDescription[] {
  return Object.keys(values).flatMap((name) => {
    const extra = name.replace(/^extras\./, "");
    return extra !== name && isOwn(extras, extra) ? [extras[extra]] : [];
  });
}
