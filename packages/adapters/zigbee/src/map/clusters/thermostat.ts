import { plainItem } from "@ledge/port";
import { type AttributeValues, type Values, kept, remembered } from "@ledge/exposes";
import type { At, ClusterMap } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import { scaled } from "../setting.ts";
import { integer, valuesOf } from "../values.ts";

const cluster = "hvacThermostat";
/**
 * The hub's modes (0 off, 1 auto, 2 heat, 3 cool, 5 fan only, 6 dry) by `systemMode` (ZCL 6.3.2.2.2.4), with
 * emergency heating and precooling.
 */
const hubModes: Readonly<Record<number, number>> = { 0: 0, 1: 1, 3: 3, 4: 2, 5: 2, 6: 3, 7: 5, 8: 6 };
const systemModes: Readonly<Record<number, number>> = { 0: 0, 1: 1, 2: 4, 3: 3, 5: 7, 6: 8 };

const toRaw = (celsius: number): number => Math.round(celsius * 100);
const fromRaw = (raw: number): number => raw / 100;

/** Its abilities by `ctrlSeqeOfOper`: cooling 0 and 1, heating 2 and 3, both 4 and 5. */
function sequenceOf({ values }: EndpointFacts): number {
  return integer(valuesOf(values, cluster), "ctrlSeqeOfOper", 0, 5) ?? 2;
}

export const heats = (endpoint: EndpointFacts): boolean => sequenceOf(endpoint) >= 2;
const cools = (endpoint: EndpointFacts): boolean => sequenceOf(endpoint) !== 2 && sequenceOf(endpoint) !== 3;

/** Returns the active setpoint: the cooling one for a device that only cools or is set to cool. */
function setpointOf({ endpoint, before }: Pick<At, "endpoint" | "before">, mode: unknown): string {
  const isCooling = !heats(endpoint) || (cools(endpoint) && (mode ?? before["mode"]) === 3);
  return isCooling ? "occupiedCoolingSetpoint" : "occupiedHeatingSetpoint";
}

export const thermostat: ClusterMap = {
  cluster,
  id: 0x0201,
  capabilities: () => ["THERMOSTAT", "CONTROL_TEMPERATURE", "TEMPERATURE", "HVAC", "CONTROL_MODE"],
  facts: ["ctrlSeqeOfOper", "localTemperatureCalibration"],
  // Abilities of a weekly schedule.
  optional: () => [{ attribute: "startOfWeek" }, { attribute: "numberOfDailyTrans" }],
  state: (endpoint) => [
    "localTemp",
    ...(heats(endpoint) ? ["occupiedHeatingSetpoint"] : []),
    ...(cools(endpoint) ? ["occupiedCoolingSetpoint"] : []),
    "systemMode",
    "pIHeatingDemand",
    "runningState",
  ],
  reporting: (endpoint) => [
    { attribute: "localTemp", minSeconds: 30, maxSeconds: 3600, change: 20 },
    ...(heats(endpoint) ? [{ ...setpointReport, attribute: "occupiedHeatingSetpoint" }] : []),
    ...(cools(endpoint) ? [{ ...setpointReport, attribute: "occupiedCoolingSetpoint" }] : []),
    { attribute: "systemMode", minSeconds: 1, maxSeconds: 3600, change: 0 },
    { attribute: "pIHeatingDemand", minSeconds: 60, maxSeconds: 3600, change: 10 },
    { attribute: "runningState", minSeconds: 10, maxSeconds: 3600, change: 0 },
  ],
  attributesOf(values, at) {
    const system = integer(values, "systemMode", 0, 9);
    const mode = system === undefined ? undefined : hubModes[system];
    const temperature = integer(values, "localTemp", -27_315, 0x7fff);
    return {
      ...(temperature !== undefined && { temperature: fromRaw(temperature) }),
      ...(mode !== undefined && { mode }),
      ...setpoint(values, at, mode),
      ...demand(values, at),
    };
  },
  framesFor(wanted, at) {
    const { mode } = wanted;
    const canBe = mode === 2 ? heats(at.endpoint) : mode !== 3 || cools(at.endpoint);
    const system = typeof mode === "number" && canBe ? systemModes[mode] : undefined;
    const celsius = wanted["targetTemperature"] ?? wanted["targetTemp"];
    const values: Values = {
      ...(system !== undefined && { systemMode: system }),
      ...(typeof celsius === "number" && { [setpointOf(at, mode)]: toRaw(celsius) }),
    };
    return Object.keys(values).length === 0 ? [] : [{ kind: "write", values }];
  },
  settings: [
    {
      attribute: "localTemperatureCalibration",
      item: {
        ...plainItem,
        name: "localTemperatureCalibration",
        fieldType: "NUMBER",
        label: {
          en: "Temperature offset (°C)",
          fi: "Lämpötilan korjaus (°C)",
          sv: "Temperaturkorrigering (°C)",
          de: "Temperaturkorrektur (°C)",
        },
        defaultValue: 0,
        minValue: -2.5,
        maxValue: 2.5,
      },
      ...scaled(10, -2.5, 2.5),
    },
  ],
};

const setpointReport = { minSeconds: 1, maxSeconds: 3600, change: 10 } as const;

function setpoint(values: Values, at: At, mode: unknown): AttributeValues {
  const raw = integer(values, setpointOf(at, mode), -5000, 15_000);
  if (raw === undefined) return {};
  const celsius = kept(remembered(at, "targetTemperature"), raw, toRaw, fromRaw);
  return { targetTemp: celsius, targetTemperature: celsius };
}

/** The heating demand; for a device that does not measure it, whether it heats. */
function demand(values: Values, { endpoint }: At): AttributeValues {
  const percent = integer(values, "pIHeatingDemand", 0, 100);
  if (percent !== undefined) return { heatingDemand: percent / 100 };
  const measures = valuesOf(endpoint.values, cluster)["pIHeatingDemand"] !== undefined;
  const running = measures ? undefined : integer(values, "runningState", 0, 0xffff);
  return running === undefined ? {} : { heatingDemand: running & 1 };
}
