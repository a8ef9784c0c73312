import type { At, ClusterMap, OptionalAttribute } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import type { AttributeValues, Values } from "../values.ts";
import { integer, rounded, valuesOf } from "../values.ts";
import { hasElectrical, watts } from "./electrical-reading.ts";
import { phaseEndpoints, phasesOf, sumOver } from "./phases.ts";
import { factorOf, powerChange, steps } from "./scale.ts";

const cluster = "seMetering";
const id = 0x0702;
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

/** Whether each phase of a device has an endpoint of its own, and a meter there. */
function countsByPhase(endpoints: readonly EndpointFacts[]): boolean {
  const meters = endpoints.filter(({ input }) => input.includes(id));
  const measured = phaseEndpoints(endpoints);
  return (
    measured.length > 0 &&
    measured.length === meters.length &&
    measured.every((each) => meters.includes(each))
  );
}

/** Consumed and produced energy, and power where no other cluster measures it. Ignores meters of gas and water. */
export const metering: ClusterMap = {
  cluster,
  id,
  capabilities(endpoint) {
    if (!isElectric(endpoint)) return [];
    return hasElectrical(endpoint) ? ["POWER_METER"] : ["POWER_METER", "MEASURE_POWER", "ACTIVE_POWER"];
  },
  ofSeveral: (endpoints) => (countsByPhase(endpoints) ? ["PHASES"] : undefined),
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
    const energies = {
      ...(used !== undefined && { totalPower: rounded(used * factor, 4) }),
      ...(produced !== undefined && { producedEnergy: rounded(produced * factor, 4) }),
    };
    return {
      ...(at.unit.known === undefined && countsByPhase(at.unit.endpoints) ? ofPhase(energies, at) : energies),
      ...(hasElectrical(at.endpoint) ? {} : withoutElectrical(values, factor)),
    };
  },
};

/** The hub's names of energies: of all phases, and of one without its letter. */
const energyNames = { totalPower: "energy", producedEnergy: "producedEnergy" } as const;
type Energies = { readonly [Name in keyof typeof energyNames]?: number };

/** Returns the energies of an endpoint as those of its phase, and their sums over all phases. */
function ofPhase(energies: Energies, { unit, endpoint, before }: At): AttributeValues {
  const all = phasesOf(unit, endpoint);
  const here = all.find((phase) => phase.endpoint.id === endpoint.id)?.letter ?? "";
  const shown = Object.entries(energies).map(([name, value]): AttributeValues => {
    const ofOne = energyNames[name as keyof Energies];
    const own = { [`${ofOne}${here}`]: value };
    const letters = all.map(({ letter }) => letter);
    const sum = sumOver(letters, ofOne, { ...before, ...own }, own);
    return { ...own, ...(sum !== undefined && { [name]: rounded(sum, 4) }) };
  });
  return Object.assign({}, ...shown) as AttributeValues;
}

/** What the electrical cluster measures where there is one. */
function withoutElectrical(values: Values, factor: number): AttributeValues {
  const demand = integer(values, "instantaneousDemand", -0x7f_ffff, 0x7f_ffff);
  const percent = integer(values, "powerFactor", -100, 100);
  return {
    ...(demand !== undefined && watts(demand * factor * 1000)),
    ...(percent !== undefined && { powerFactor: percent / 100 }),
  };
}
