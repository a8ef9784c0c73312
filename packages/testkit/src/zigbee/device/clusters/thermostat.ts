import type { Attribute, AttributeSpec } from "../cluster.ts";
import { Cluster, within } from "../cluster.ts";
import type { Status } from "../zcl/status.ts";
import { status } from "../zcl/status.ts";
import type { Value } from "../zcl/types.ts";
import type { WeeklySchedule } from "./weekly-schedule.ts";

type Name =
  | "local"
  | "heatingDemand"
  | "calibration"
  | "coolingSetpoint"
  | "heatingSetpoint"
  | "lowestHeating"
  | "highestHeating"
  | "sequence"
  | "mode"
  | "startOfWeek"
  | "dailyTransitions"
  | "runningState";

/** The supported system modes. */
export const systemModes = { off: 0, auto: 1, cool: 3, heat: 4 } as const;

/** Demand is full at this many kelvin below the setpoint. */
const proportionalBand = 2;
const heats = 0x01;
const cools = 0x02;

/** What kind of thermostat it is. */
export interface ThermostatKind {
  readonly isValve: boolean;
  readonly celsius?: number;
  /** Its weekly schedule; only better models have one. */
  readonly schedule?: WeeklySchedule;
}

type Abilities = Readonly<Record<"startOfWeek" | "dailyTransitions", AttributeSpec>>;

const abilities = ({ most }: WeeklySchedule): Abilities => ({
  startOfWeek: { id: 0x0020, type: "enum8", value: 1 },
  dailyTransitions: { id: 0x0022, type: "uint8", value: most },
});

/** Heating and cooling (0x0201). A radiator valve has a demand, a boiler thermostat switches. */
export class Thermostat extends Cluster<Name> {
  readonly #isValve: boolean;

  constructor({ isValve, celsius = 20, schedule }: ThermostatKind) {
    const reported = { isReportable: true } as const;
    super(0x0201, {
      ...(schedule === undefined ? ({} as Abilities) : abilities(schedule)),
      local: { id: 0x0000, type: "int16", value: celsius * 100, ...reported },
      heatingDemand: { id: 0x0008, type: "uint8", value: 0, ...reported },
      calibration: { id: 0x0010, type: "int8", value: 0, isWritable: true, check: within(-50, 50) },
      coolingSetpoint: { id: 0x0011, type: "int16", value: 2600, isWritable: true, ...reported },
      heatingSetpoint: {
        id: 0x0012,
        type: "int16",
        value: 2000,
        isWritable: true,
        check: within(500, 3000),
        ...reported,
      },
      lowestHeating: { id: 0x0015, type: "int16", value: 500 },
      highestHeating: { id: 0x0016, type: "int16", value: 3000 },
      sequence: { id: 0x001b, type: "enum8", value: isValve ? 2 : 4, isWritable: true },
      mode: {
        id: 0x001c,
        type: "enum8",
        value: systemModes.heat,
        isWritable: true,
        check: mode(isValve),
        ...reported,
      },
      runningState: { id: 0x0029, type: "map16", value: 0, ...reported },
    });
    this.#isValve = isValve;
    if (schedule !== undefined) {
      this.on(0x01, (payload) => schedule.set(payload));
      this.on(0x02, (payload) => ({ command: 0x00, payload: schedule.get(payload) }));
    }
    this.takes(0x00, ["enum8", "int8"]);
    this.on(0x00, (payload) => {
      const [which, tenths] = [payload.uint8(), payload.int(1)];
      if (which !== 1) this.setHeating((this.number("heatingSetpoint") + tenths * 10) / 100);
      return undefined;
    });
  }

  /** 0 to 100 %. */
  get demand(): number {
    return this.number("heatingDemand");
  }

  get isHeating(): boolean {
    return (this.number("runningState") & heats) !== 0;
  }

  /** Sets the measured temperature, °C. */
  measure(celsius: number): void {
    this.set({ local: Math.round(celsius * 100) + this.number("calibration") * 10 });
    this.#regulate();
  }

  /** Sets the setpoint like a turn of its own wheel, °C. */
  setHeating(celsius: number): void {
    this.set({ heatingSetpoint: Math.min(3000, Math.max(500, Math.round(celsius * 100))) });
    this.#regulate();
  }

  override write(attribute: Attribute, value: Value, peerEndpoint: number): void {
    super.write(attribute, value, peerEndpoint);
    this.#regulate();
  }

  #regulate(): void {
    const [local, heating] = [this.number("local"), this.number("heatingSetpoint")];
    const isAllowed = [systemModes.auto, systemModes.heat].some((one) => one === this.get("mode"));
    const short = isAllowed ? Math.max(0, heating - local) / 100 : 0;
    const proportional = Math.min(100, Math.round((short / proportionalBand) * 100));
    const isCooling =
      [systemModes.auto, systemModes.cool].some((one) => one === this.get("mode")) &&
      local > this.number("coolingSetpoint");
    const demand = this.#isValve || short === 0 ? proportional : 100;
    this.set({ heatingDemand: demand, runningState: (short > 0 ? heats : 0) | (isCooling ? cools : 0) });
  }
}

/** Returns the check of system modes. A radiator valve cannot cool. */
function mode(isValve: boolean): (value: Value) => Status {
  const known: readonly Value[] = isValve
    ? [systemModes.off, systemModes.auto, systemModes.heat]
    : Object.values(systemModes);
  return (value) => (known.includes(value) ? status.success : status.invalidValue);
}
