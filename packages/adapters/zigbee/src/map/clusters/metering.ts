import type { ClusterMap, OptionalAttribute } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import type { AttributeValues, Values } from "../values.ts";
import { integer, rounded, valuesOf } from "../values.ts";
import { hasElectrical, watts } from "./electrical.ts";
import { factorOf, powerChange, steps } from "./scale.ts";

const cluster = "seMetering";
/** The least change of energy (kWh) that is worth a report. */
const energyChange = 0.05;
/** The highest valid factor: uint24. */
const mostFactor = 0xff_fffe;
/** The highest valid count: uint48. */
const mostEnergy = 2 ** 48 - 2;
/** The `unitOfMeasure` of kWh and kW, in binary and in BCD. */
const kilowattHours: ReadonlySet<number> = new Set([0x00, 0x80]);

function isElectric({ values }: EndpointFacts): boolean {
  const unit = integer(valuesOf(values, cluster), "unitOfMeasure", 0, 0xff);
  return unit === undefined || kilowattHours.has(unit);
}

/**
 * Returns the factors that the device reports. Without any it counts Wh, as most devices do (ZCL 10.4.2.2.4).
 */
function meterFactor({ values }: EndpointFacts): number {
  const said = valuesOf(values, cluster);
  const divides = integer(said, "divisor", 1, mostFactor) !== undefined;
  const multiplies = integer(said, "multiplier", 1, mostFactor) !== undefined;
  return divides || multiplies ? factorOf(said, "multiplier", "divisor", mostFactor) : 1 / 1000;
}

/** Consumed and produced energy, and power where no other cluster measures it. Ignores meters of gas and water. */
export const metering: ClusterMap = {
  cluster,
  id: 0x0702,
  capabilities(endpoint) {
    if (!isElectric(endpoint)) return [];
    return hasElectrical(endpoint) ? ["POWER_METER"] : ["POWER_METER", "MEASURE_POWER", "ACTIVE_POWER"];
  },
  facts: ["multiplier", "divisor", "unitOfMeasure"],
  optional(endpoint): readonly OptionalAttribute[] {
    const energy = { minSeconds: 300, maxSeconds: 3600, change: steps(energyChange, meterFactor(endpoint)) };
    return [
      { attribute: "currentSummReceived", capability: "PRODUCED_ENERGY", reporting: energy },
      // The standard does not let the power factor of a meter be reported.
      ...(hasElectrical(endpoint) ? [] : [{ attribute: "powerFactor", capability: "POWER_FACTOR" } as const]),
    ];
  },
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
    const [used, produced] = ["currentSummDelivered", "currentSummReceived"].map((name) =>
      integer(values, name, 0, mostEnergy),
    );
    return {
      ...(used !== undefined && { totalPower: rounded(used * factor, 4) }),
      ...(produced !== undefined && { producedEnergy: rounded(produced * factor, 4) }),
      ...(hasElectrical(at.endpoint) ? {} : withoutElectrical(values, factor)),
    };
  },
};

/** What the electrical cluster measures where there is one. */
function withoutElectrical(values: Values, factor: number): AttributeValues {
  const demand = integer(values, "instantaneousDemand", -0x7f_ffff, 0x7f_ffff);
  const percent = integer(values, "powerFactor", -100, 100);
  return {
    ...(demand !== undefined && watts(demand * factor * 1000)),
    ...(percent !== undefined && { powerFactor: percent / 100 }),
  };
}
