import type { ConfigurationItem, ConfigurationValues } from "@ledge/model";
import { attribute, limits } from "@ledge/model";
import { plainItem } from "@ledge/port";
import type { AttributeValues } from "@ledge/exposes";
import type { Unit } from "./unit.ts";
import { rounded } from "./values.ts";

/** How a unit's reading is corrected before the hub hears of it. */
export interface Correction {
  /** Added to the reading, in its unit. */
  readonly offset: number;
  /** Decimals that are kept. */
  readonly decimals: number;
  /** The least time between two reports. */
  readonly minSeconds: number;
}

/** The corrections of a unit. */
export interface Corrections {
  /** The values of their settings. */
  readonly given: ConfigurationValues;
  /** Only those that change something. */
  readonly byAttribute: ReadonlyMap<string, Correction>;
}

const none: Correction = { offset: 0, decimals: 6, minSeconds: 0 };
const mostSeconds = 3600;
/** Units with more readings have settings for the first of them. */
const mostReadings = 20;

/** Measurements; other attributes are read back as they were set. */
const measured: ReadonlySet<string> = new Set([
  ..."temperature humidity pressure lux co2Ppm vocPpm voxIndex noxIndex pm1 pm10 pm25 formaldehyde".split(
    " ",
  ),
  ..."soilMoisture deviceTemperature activePower totalPower producedEnergy voltage current frequency".split(
    " ",
  ),
  ..."powerFactor apparentPower reactivePower flow volume targetDistance".split(" "),
  ..."powerA powerB powerC voltageA voltageB voltageC currentA currentB currentC".split(" "),
]);
/** Two names for one reading share its correction. */
const twins: Readonly<Record<string, string>> = { activePower: "power" };

type Kind = keyof Correction;
const kinds: readonly Kind[] = ["offset", "decimals", "minSeconds"];
const labels: Readonly<Record<Kind, string>> = {
  offset: "offset",
  decimals: "decimals",
  minSeconds: "seconds between reports",
};
const bounds: Readonly<Record<Kind, readonly [number | null, number | null]>> = {
  offset: [null, null],
  decimals: [0, none.decimals],
  minSeconds: [0, mostSeconds],
};

const nameOf = (reading: string, kind: Kind): string => `correction.${reading}.${kind}`;

/** Returns the readings of a unit that can be corrected, by the names of their attributes. */
function correctable({ capabilities, known, shown }: Unit): readonly string[] {
  const said = known ? known.own.flatMap(({ attributes }) => attributes) : shown;
  const isAir = !capabilities.some((each) => each === "COLOR_TEMP" || each === "COLOR_HS");
  const readings = [...said].filter((name) => measured.has(name) && (name !== "temperature" || isAir));
  const extras = (known?.extras ?? []).filter(
    ({ described }) => described.fieldType === "NUMBER" && !described.momentary,
  );
  const names = [...readings, ...extras.map((extra) => extra.attribute)];
  const isShort = (name: string): boolean => nameOf(name, "minSeconds").length <= limits.nameChars;
  return [...new Set(names)].filter(isShort).slice(0, mostReadings);
}

/** Returns the settings for the corrections of a unit. */
export function correctionItems(unit: Unit): readonly ConfigurationItem[] {
  return correctable(unit).flatMap((reading) =>
    kinds.map((kind): ConfigurationItem => {
      const [minValue, maxValue] = bounds[kind];
      const about = { name: nameOf(reading, kind), label: { en: `${wordsOf(reading)}: ${labels[kind]}` } };
      return { ...plainItem, ...about, fieldType: "NUMBER", defaultValue: none[kind], minValue, maxValue };
    }),
  );
}

/** Returns the values of the settings, the given ones or else those of a reading as it is. */
export function correctionValues(unit: Unit, given: ConfigurationValues): ConfigurationValues {
  return Object.fromEntries(
    correctable(unit).flatMap((reading) =>
      kinds.map((kind) => [nameOf(reading, kind), numberIn(given, reading, kind)]),
    ),
  );
}

/** Returns only the settings of corrections among others. */
export function correctionsIn(unit: Unit, parameters: ConfigurationValues): ConfigurationValues {
  const names = new Set(correctionItems(unit).map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(parameters).filter(([name, value]) => names.has(name) && Number.isFinite(value)),
  );
}

/** Returns the corrections for the values of their settings. */
export function correctionsOf(given: ConfigurationValues): Corrections {
  const byAttribute = new Map<string, Correction>();
  for (const name of Object.keys(given)) {
    const reading = /^correction\.(?<reading>.+)\.[A-Za-z]+$/.exec(name)?.groups?.["reading"];
    if (reading === undefined || byAttribute.has(reading)) continue;
    const correction: Correction = {
      offset: numberIn(given, reading, "offset"),
      decimals: numberIn(given, reading, "decimals"),
      minSeconds: numberIn(given, reading, "minSeconds"),
    };
    if (kinds.every((kind) => correction[kind] === none[kind])) continue;
    byAttribute.set(reading, correction);
    const twin = twins[reading];
    if (twin !== undefined) byAttribute.set(twin, correction);
  }
  return { given, byAttribute };
}

/** Returns reports with offsets and decimals; a value stays in the range of its attribute. */
export function corrected({ byAttribute }: Corrections, said: AttributeValues): AttributeValues {
  const changes = Object.entries(said).flatMap(([name, value]) => {
    const correction = typeof value === "number" ? byAttribute.get(name) : undefined;
    return correction === undefined ? [] : [[name, correct(name, Number(value), correction)] as const];
  });
  return changes.length === 0 ? said : { ...said, ...Object.fromEntries(changes) };
}

function correct(name: string, value: number, { offset, decimals }: Correction): number {
  const { minimum = -Infinity, maximum = Infinity } = (attribute(name)?.value ?? {}) as {
    readonly minimum?: number;
    readonly maximum?: number;
  };
  return Math.min(maximum, Math.max(minimum, rounded(value + offset, decimals)));
}

function numberIn(given: ConfigurationValues, reading: string, kind: Kind): number {
  const name = nameOf(reading, kind);
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  return typeof value === "number" ? value : none[kind];
}

/** Turns `soilMoisture` and `extras.x_axis` into words. */
function wordsOf(reading: string): string {
  const own = reading.replace(/^extras\./, "").replaceAll(/[_.]/g, " ");
  const spaced = own.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
