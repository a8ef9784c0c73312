import { Fan } from "../clusters/fan.ts";
import { PowerConfiguration } from "../clusters/power.ts";
import { Thermostat } from "../clusters/thermostat.ts";
import { TimeClient } from "../clusters/time-client.ts";
import { WeeklySchedule } from "../clusters/weekly-schedule.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains, onBattery } from "../identity.ts";

/** What kind of heating it is. */
export interface HeatingKind {
  readonly isValve: boolean;
  /** Whether it keeps a weekly schedule. */
  readonly hasSchedule?: boolean;
}

/** A wall thermostat with a backup battery, or a radiator valve. */
export class Heating extends ZclDevice {
  readonly thermostat: Thermostat;
  readonly schedule: WeeklySchedule | undefined;
  readonly time: TimeClient;
  readonly #power: PowerConfiguration;

  constructor(identity: Identity, { isValve, hasSchedule = false }: HeatingKind) {
    const schedule = hasSchedule ? new WeeklySchedule(6) : undefined;
    const thermostat = new Thermostat({ isValve, ...(schedule && { schedule }) });
    const [time, power] = [new TimeClient(), new PowerConfiguration()];
    const common = commonClusters(identity, isValve ? "battery" : "mains");
    const clusters = [...common, power, thermostat, time, ...(isValve ? [] : [new Fan()])];
    const endpoint = new Endpoint(1, deviceIds.thermostat, clusters);
    super(isValve ? onBattery(identity, endpoint) : mains(identity, endpoint));
    this.thermostat = thermostat;
    this.schedule = schedule;
    this.time = time;
    this.#power = power;
  }

  /** °C */
  setTemperature(celsius: number): void {
    this.thermostat.measure(celsius);
  }

  /** Simulates a turn of its wheel to a temperature, °C. */
  turnTo(celsius: number): void {
    this.thermostat.setHeating(celsius);
  }

  battery(percent: number, volts = 2 + percent / 100): void {
    this.#power.show(percent, volts);
  }
}
