import type { AttributeName, Capability } from "@ledge/model";
import type { ClusterMap } from "../cluster.ts";
import { integer, real, rounded, valuesOf } from "../values.ts";

/** A sensor cluster with one `measuredValue`. */
interface Measurement {
  readonly cluster: string;
  readonly id: number;
  readonly capability: Capability;
  readonly attribute: AttributeName;
  /** The range of the raw value, in its unit. */
  readonly range: readonly [least: number, most: number];
  readonly isReal?: true;
  /** The least interval between reports (s), and the least change, in the raw value's unit. */
  readonly minSeconds: number;
  readonly change: number;
  readonly value: (raw: number) => number;
}

const measurements: readonly Measurement[] = [
  {
    cluster: "msTemperatureMeasurement",
    id: 0x0402,
    capability: "TEMPERATURE",
    attribute: "temperature",
    range: [-27_315, 32_767],
    minSeconds: 30,
    change: 20,
    value: (raw) => raw / 100,
  },
  {
    cluster: "msRelativeHumidity",
    id: 0x0405,
    capability: "HUMIDITY",
    attribute: "humidity",
    range: [0, 10_000],
    minSeconds: 30,
    change: 100,
    value: (raw) => raw / 100,
  },
  {
    cluster: "msIlluminanceMeasurement",
    id: 0x0400,
    capability: "LUX",
    attribute: "lux",
    range: [0, 0xfffe],
    minSeconds: 30,
    // A tenth of a decade: about a quarter more or less light.
    change: 1000,
    value: (raw) => (raw === 0 ? 0 : rounded(10 ** ((raw - 1) / 10_000), 1)),
  },
  {
    cluster: "msCO2",
    id: 0x040d,
    capability: "CO2",
    attribute: "co2Ppm",
    range: [0, 1],
    isReal: true,
    minSeconds: 60,
    change: 0.00005,
    value: (raw) => rounded(raw * 1e6, 1),
  },
  {
    cluster: "pm25Measurement",
    id: 0x042a,
    capability: "PM25",
    attribute: "pm25",
    range: [0, 100_000],
    isReal: true,
    minSeconds: 60,
    change: 5,
    value: (raw) => rounded(raw, 1),
  },
];

const sensor = (row: Measurement): ClusterMap => ({
  cluster: row.cluster,
  id: row.id,
  capabilities: () => [row.capability],
  state: () => ["measuredValue"],
  reporting: () => [
    { attribute: "measuredValue", minSeconds: row.minSeconds, maxSeconds: 3600, change: row.change },
  ],
  attributesOf(values) {
    const raw = (row.isReal ? real : integer)(values, "measuredValue", ...row.range);
    return raw === undefined ? {} : { [row.attribute]: row.value(raw) };
  },
});

/** Air pressure in hPa, or finer in a scale that the device reports. */
const pressure: ClusterMap = {
  cluster: "msPressureMeasurement",
  id: 0x0403,
  capabilities: () => ["PRESSURE"],
  facts: ["scale"],
  state: () => ["measuredValue", "scaledValue"],
  reporting: () => [{ attribute: "measuredValue", minSeconds: 60, maxSeconds: 3600, change: 1 }],
  attributesOf(values, { endpoint }) {
    const scale =
      integer(values, "scale", -127, 127) ??
      integer(valuesOf(endpoint.values, "msPressureMeasurement"), "scale", -127, 127);
    const scaled = integer(values, "scaledValue", -0x7fff, 0x7fff);
    if (scaled !== undefined && scale !== undefined && Math.abs(scale) <= 8)
      return { pressure: Math.round(scaled / 10 ** scale) };
    const plain = integer(values, "measuredValue", -0x7fff, 0x7fff);
    return plain === undefined ? {} : { pressure: plain * 100 };
  },
};

export const sensors: readonly ClusterMap[] = [...measurements.map(sensor), pressure];
