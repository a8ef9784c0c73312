import type { BleFormat, Measurement, Reading } from "@ledge/ble";
import { attribute, type Capability, deviceClassOf, type ExtraDescription } from "@ledge/model";
import { type DeviceDescription, plainItem } from "@ledge/port";
import { Check } from "typebox/value";
import { capabilitiesOf } from "../point.ts";
import type { Values } from "../source.ts";

/** What is known of a sensor by what it has said so far. Plain data, which is stored. */
export interface Sensor {
  readonly address: string;
  readonly name: string | null;
  readonly format: BleFormat;
  readonly model: string | null;
  readonly isEncrypted: boolean;
  /** Names of what it measures: the quantity, and from the second on its index. */
  readonly values: readonly Measured[];
  /** Its buttons and knobs. */
  readonly buttons: number;
  readonly dimmers: number;
}

interface Measured {
  readonly name: string;
  readonly unit: string | null;
  readonly fieldType: "NUMBER" | "BOOL" | "TEXT";
}

const mostValues = 64;
const mostButtons = 16;
const manufacturers: Readonly<Record<BleFormat, string | null>> = {
  bthome: null,
  ruuvi: "Ruuvi",
  mibeacon: "Xiaomi",
};

/** The attribute that a quantity is, and how many times its value. Others are extras. */
const known: Readonly<Record<string, readonly [attribute: string, scale?: number]>> = {
  temperature: ["temperature"],
  humidity: ["humidity"],
  pressure: ["pressure"],
  illuminance: ["lux"],
  battery: ["battery"],
  battery_voltage: ["batteryV"],
  battery_low: ["batteryLow"],
  co2: ["co2Ppm"],
  pm25: ["pm25"],
  pm10: ["pm10"],
  formaldehyde: ["formaldehyde", 1000],
  moisture: ["soilMoisture"],
  energy: ["totalPower"],
  power: ["activePower"],
  current: ["current"],
  volume: ["volume"],
  water: ["volume"],
  volume_flow_rate: ["flow", 1000],
  distance: ["targetDistance"],
  distance_mm: ["targetDistance", 0.001],
  motion: ["motion"],
  occupancy: ["motion"],
  presence: ["motion"],
  moving: ["motion"],
  opening: ["open"],
  door: ["open"],
  window: ["open"],
  garage_door: ["open"],
  moisture_detected: ["moisture"],
  smoke: ["alert"],
  carbon_monoxide: ["coDetected"],
  tamper: ["tamper"],
};

const capabilities: Readonly<Record<string, readonly Capability[]>> = { formaldehyde: ["FORMALDEHYDE"] };

function nameOf({ quantity, index }: Pick<Measurement, "quantity" | "index">): string {
  return index === 1 ? quantity : `${quantity}_${index}`;
}

/** Returns the attribute of a value: a voltage is a battery's, unless the sensor measures the mains. */
function attributeOf(name: string, values: readonly Measured[]): readonly [string, number?] | undefined {
  if (name === "voltage")
    return values.some((each) => ["power", "current", "energy"].includes(each.name))
      ? ["voltage"]
      : ["batteryV"];
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

/** Returns a sensor with what a reading adds; the same object if it adds nothing. */
export function grown(
  sensor: Sensor | undefined,
  address: string,
  name: string | null,
  reading: Pick<Reading, "format" | "model" | "isEncrypted" | "measurements" | "events">,
): Sensor {
  const { format, model, isEncrypted, measurements, events } = reading;
  const before: Sensor = sensor ?? {
    address,
    name,
    format,
    model,
    isEncrypted,
    values: [],
    buttons: 0,
    dimmers: 0,
  };
  const fresh = measurements
    .filter((each) => !before.values.some((value) => value.name === nameOf(each)))
    .map((each): Measured => {
      const fieldType =
        typeof each.value === "number" ? "NUMBER" : typeof each.value === "boolean" ? "BOOL" : "TEXT";
      return { name: nameOf(each), unit: each.unit, fieldType };
    });
  const most = (source: string, least: number): number =>
    Math.min(
      mostButtons,
      Math.max(least, ...events.filter((each) => each.source === source).map(({ index }) => index)),
    );
  const after: Sensor = {
    ...before,
    // A user has chosen a name by the first one; later ones would only flicker.
    name: before.name ?? name,
    model: before.model ?? model,
    isEncrypted: before.isEncrypted || isEncrypted,
    values: [...before.values, ...fresh].slice(0, mostValues),
    buttons: most("button", before.buttons),
    dimmers: most("dimmer", before.dimmers),
  };
  return sensor !== undefined && JSON.stringify(after) === JSON.stringify(sensor) ? sensor : after;
}

/** What a button of a knob is called; knobs come behind the buttons. */
const dimmerId = 100;

/** Returns how the hub describes a sensor. */
export function describe(native: string, sensor: Sensor): DeviceDescription {
  const { address, name, format, model, isEncrypted, values, buttons, dimmers } = sensor;
  const able = new Set<Capability>(["DEVICE"]);
  const stateExtras: ExtraDescription[] = [];
  for (const { name: value, unit, fieldType } of values) {
    const made = attributeOf(value, values);
    if (made === undefined) stateExtras.push({ name: value, fieldType, unit, writable: false });
    else for (const each of capabilities[made[0]] ?? capabilitiesOf(made[0], false)) able.add(each);
  }
  const keys = [
    ...Array.from({ length: buttons }, (_, index) => ({ id: index + 1, label: `Button ${index + 1}` })),
    ...Array.from({ length: dimmers }, (_, index) => [
      { id: dimmerId + 2 * index, label: `Knob ${index + 1} left` },
      { id: dimmerId + 2 * index + 1, label: `Knob ${index + 1} right` },
    ]).flat(),
  ].map((key) => ({ type: "RC_BUTTON", ...key }));
  if (keys.length > 0) able.add("REMOTE_CONTROL");
  if (isEncrypted) able.add("CONFIGURABLE");
  const all = [...able];
  return {
    native,
    radio: "ble",
    class: deviceClassOf(all),
    capabilities: all,
    name: name ?? `${model ?? "Sensor"} ${address.slice(-4)}`,
    manufacturer: manufacturers[format],
    model,
    ...(keys.length > 0 && { extras: { buttons: keys } }),
    ...(stateExtras.length > 0 && { stateExtras }),
    ...(isEncrypted && { configuration: { items: [keyItem] } }),
  };
}

/** The name of the setting that holds the key of an encrypted sensor. */
export const keySetting = "bindKey";

const keyItem = {
  ...plainItem,
  name: keySetting,
  fieldType: "TEXT",
  label: {
    en: "Bind key (32 hexadecimal digits)",
    fi: "Sidonta-avain (32 heksadesimaalinumeroa)",
    sv: "Bindningsnyckel (32 hexadecimala siffror)",
    de: "Bindungsschlüssel (32 hexadezimale Ziffern)",
  },
  secret: true,
} as const;

/** Returns the attributes of a reading, without those that no such attribute may have. */
export function attributesOf(
  { measurements }: Pick<Reading, "measurements">,
  { values }: Pick<Sensor, "values">,
): Values {
  const made: Record<string, unknown> = {};
  for (const measurement of measurements) {
    const name = nameOf(measurement);
    if (!values.some((value) => value.name === name)) continue;
    const { value } = measurement;
    const target = attributeOf(name, values);
    if (target === undefined) {
      made[`extras.${name}`] = typeof value === "string" ? value.slice(0, 64) : value;
      continue;
    }
    const [key, scale = 1] = target;
    const shown = typeof value === "number" ? Number((value * scale).toPrecision(10)) : value;
    const schema = attribute(key)?.value;
    if (schema !== undefined && Check(schema, shown)) made[key] = shown;
  }
  return made;
}

const modifiers: Readonly<Record<string, readonly string[]>> = {
  press: [],
  double_press: ["double"],
  triple_press: ["triple"],
  long_press: ["longpress"],
  long_double_press: ["longpress", "double"],
  long_triple_press: ["longpress", "triple"],
  hold_press: ["longpress"],
  rotate_left: [],
  rotate_right: [],
};

/** Returns the presses of a reading, in their order. */
export function pressesOf({ events }: Pick<Reading, "events">): readonly Values[] {
  return events
    .filter(({ index }) => index <= mostButtons)
    .map(({ source, index, event }) => ({
      button: source === "button" ? index : dimmerId + 2 * (index - 1) + (event === "rotate_right" ? 1 : 0),
      modifiers: modifiers[event] ?? [],
    }));
}
