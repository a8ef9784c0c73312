import type { At, ClusterMap } from "../cluster.ts";
import type { AttributeValues, Values } from "../values.ts";
import type { EndpointFacts } from "../facts.ts";
import { integer, rounded, valuesOf } from "../values.ts";

const electricalId = 0x0b04;
/** The least changes worth a report: of power (W) and of energy (kWh). */
const powerChange = 5;
const energyChange = 0.05;

const watts = (value: number): AttributeValues => {
  const power = rounded(value, 2);
  return { activePower: power, power };
};

/** The highest valid factors: uint16 of the electrical cluster, uint24 of the meter. */
const [mostElectrical, mostMetering] = [0xfffe, 0xff_fffe];

/** Returns multiplier / divisor as the device reports them; 1 for a missing one. */
function factorOf(values: Values, multiplier: string, divisor: string, most: number): number {
  return (integer(values, multiplier, 1, most) ?? 1) / (integer(values, divisor, 1, most) ?? 1);
}

function electricalFactor({ values }: EndpointFacts): number {
  return factorOf(
    valuesOf(values, "haElectricalMeasurement"),
    "acPowerMultiplier",
    "acPowerDivisor",
    mostElectrical,
  );
}

/** Instantaneous power. */
export const electrical: ClusterMap = {
  cluster: "haElectricalMeasurement",
  id: electricalId,
  capabilities: () => ["MEASURE_POWER", "ACTIVE_POWER"],
  facts: ["acPowerMultiplier", "acPowerDivisor"],
  state: () => ["activePower"],
  reporting: (endpoint) => [
    {
      attribute: "activePower",
      minSeconds: 10,
      maxSeconds: 900,
      change: steps(powerChange, electricalFactor(endpoint)),
    },
  ],
  attributesOf(values, { endpoint }) {
    const raw = integer(values, "activePower", -0x7fff, 0x7fff);
    return raw === undefined ? {} : watts(raw * electricalFactor(endpoint));
  },
};

/** The `unitOfMeasure` of kWh and kW, in binary and in BCD. */
const kilowattHours: ReadonlySet<number> = new Set([0x00, 0x80]);

function isElectric({ values }: EndpointFacts): boolean {
  const unit = integer(valuesOf(values, "seMetering"), "unitOfMeasure", 0, 0xff);
  return unit === undefined || kilowattHours.has(unit);
}

/**
 * Returns the factors that the device reports. Without any it counts Wh, as most devices do (ZCL 10.4.2.2.4).
 */
function meterFactor({ values }: EndpointFacts): number {
  const said = valuesOf(values, "seMetering");
  const divides = integer(said, "divisor", 1, mostMetering) !== undefined;
  const multiplies = integer(said, "multiplier", 1, mostMetering) !== undefined;
  return divides || multiplies ? factorOf(said, "multiplier", "divisor", mostMetering) : 1 / 1000;
}

/** Cumulative energy, and power where no other cluster measures it. Ignores meters of gas and water. */
export const metering: ClusterMap = {
  cluster: "seMetering",
  id: 0x0702,
  capabilities(endpoint) {
    if (!isElectric(endpoint)) return [];
    return hasElectrical(endpoint) ? ["POWER_METER"] : ["POWER_METER", "MEASURE_POWER", "ACTIVE_POWER"];
  },
  facts: ["multiplier", "divisor", "unitOfMeasure"],
  state: (endpoint) =>
    hasElectrical(endpoint) ? ["currentSummDelivered"] : ["currentSummDelivered", "instantaneousDemand"],
  reporting(endpoint) {
    const factor = meterFactor(endpoint);
    const energy = {
      attribute: "currentSummDelivered",
      minSeconds: 300,
      maxSeconds: 3600,
      change: steps(energyChange, factor),
    };
    const demand = {
      attribute: "instantaneousDemand",
      minSeconds: 10,
      maxSeconds: 900,
      change: steps(powerChange / 1000, factor),
    };
    return hasElectrical(endpoint) ? [energy] : [energy, demand];
  },
  attributesOf(values, at) {
    if (!isElectric(at.endpoint)) return {};
    const factor = meterFactor(at.endpoint);
    const sum = integer(values, "currentSummDelivered", 0, 2 ** 48 - 2);
    return { ...(sum !== undefined && { totalPower: rounded(sum * factor, 4) }), ...demandOf(values, at) };
  },
};

function demandOf(values: Values, { endpoint }: At): AttributeValues {
  const demand = integer(values, "instantaneousDemand", -0x7f_ffff, 0x7f_ffff);
  return demand === undefined || hasElectrical(endpoint) ? {} : watts(demand * meterFactor(endpoint) * 1000);
}

const hasElectrical = ({ input }: EndpointFacts): boolean => input.includes(electricalId);

/** Converts a change to a device's own steps. */
const steps = (change: number, factor: number): number => Math.max(1, Math.round(change / factor));
