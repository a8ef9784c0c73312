import type { Values } from "@ledge/exposes";
import type { At, ClusterMap, OptionalAttribute } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import type { Unit } from "../unit.ts";
import { integer, rounded, valuesOf } from "../values.ts";
import { hasElectrical, named } from "./electrical-reading.ts";
import { phases } from "./mains.ts";
import { phaseEndpoints, sumOver } from "./phases.ts";
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

/**
 * Returns the endpoints of a device without a definition that each meter one phase, by their numbers: those that also
 * measure it, or meters alone, as many as phases at most. None for any other device.
 */
function phaseMeters({ known, endpoints }: Pick<Unit, "known" | "endpoints">): readonly EndpointFacts[] {
  if (known !== undefined) return [];
  const meters = endpoints.filter(({ input }) => input.includes(id));
  const measured = phaseEndpoints(endpoints);
  if (measured.length > 0)
    return measured.length === meters.length && measured.every((each) => meters.includes(each))
      ? measured
      : [];
  const electric = meters.filter(isElectric).toSorted((one, other) => one.id - other.id);
  const isAlone = !endpoints.some(hasElectrical);
  return isAlone && electric.length > 1 && electric.length <= phases.length ? electric : [];
}

/** Consumed and produced energy, and power where no other cluster measures it. Ignores meters of gas and water. */
export const metering: ClusterMap = {
  cluster,
  id,
  capabilities(endpoint) {
    if (!isElectric(endpoint)) return [];
    return hasElectrical(endpoint) ? ["POWER_METER"] : ["POWER_METER", "MEASURE_POWER", "ACTIVE_POWER"];
  },
  ofSeveral: (endpoints) => (phaseMeters({ endpoints }).length > 0 ? ["PHASES"] : undefined),
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
    const meters = phaseMeters(at.unit);
    const factor = meterFactor(at.endpoint);
    const [used, produced] = ["currentSummDelivered", "currentSummReceived"].map((name) =>
      integer(values, name, 0, mostEnergy),
    );
    const readings: Readings = {
      ...(used !== undefined && { totalPower: rounded(used * factor, 4) }),
      ...(produced !== undefined && { producedEnergy: rounded(produced * factor, 4) }),
      ...(hasElectrical(at.endpoint) ? {} : withoutElectrical(values, factor)),
    };
    const shown = meters.length > 0 ? ofPhase(readings, at, meters) : readings;
    return Object.assign({}, ...Object.entries(shown).map(([name, value]) => named(name, value)));
  },
};

/** The names of a meter's readings: of all phases, and of one without its letter. */
const names = {
  totalPower: "energy",
  producedEnergy: "producedEnergy",
  power: "power",
  powerFactor: "powerFactor",
} as const;
type Readings = { readonly [Name in keyof typeof names]?: number };

/** Returns the readings of an endpoint as those of its phase, and the sums of energies and powers over all phases. */
function ofPhase(
  readings: Readings,
  { endpoint, before }: At,
  meters: readonly EndpointFacts[],
): Readonly<Record<string, number>> {
  const letters = meters.map((_, index) => phases[index]?.[0] ?? "");
  const here = letters[meters.findIndex(({ id: one }) => one === endpoint.id)] ?? "";
  const shown: Record<string, number> = {};
  for (const [name, value] of Object.entries(readings)) {
    const ofOne = names[name as keyof Readings];
    const own = { [`${ofOne}${here}`]: value };
    const sum = name === "powerFactor" ? undefined : sumOver(letters, ofOne, { ...before, ...own }, own);
    Object.assign(shown, own, sum !== undefined && { [name]: rounded(sum, 4) });
  }
  return shown;
}

/** What the electrical cluster measures where there is one. */
function withoutElectrical(values: Values, factor: number): Readings {
  const demand = integer(values, "instantaneousDemand", -0x7f_ffff, 0x7f_ffff);
  const percent = integer(values, "powerFactor", -100, 100);
  return {
    ...(demand !== undefined && { power: rounded(demand * factor * 1000, 2) }),
    ...(percent !== undefined && { powerFactor: percent / 100 }),
  };
}
