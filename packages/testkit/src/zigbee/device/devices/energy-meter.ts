import { DeviceTemperature } from "../clusters/device-temperature.ts";
import { Metering } from "../clusters/metering.ts";
import { idle, Phases } from "../clusters/phases.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

/** The meter of a home with three phases and solar panels. */
export class EnergyMeter extends ZclDevice {
  readonly mains: Phases;
  readonly metering: Metering;
  readonly temperature: DeviceTemperature;

  constructor(identity: Identity) {
    const [phases, temperature] = [new Phases([idle, idle, idle]), new DeviceTemperature(31)];
    const metering = new Metering({ multiplier: 1, divisor: 1000 }, { isTwoWay: true });
    const clusters = [...commonClusters(identity), phases, metering, temperature];
    super(mains(identity, new Endpoint(1, deviceIds.meter, clusters)));
    this.mains = phases;
    this.metering = metering;
    this.temperature = temperature;
  }
}
