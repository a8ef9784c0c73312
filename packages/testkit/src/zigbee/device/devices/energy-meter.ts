import { DeviceTemperature } from "../clusters/device-temperature.ts";
import { Metering } from "../clusters/metering.ts";
import type { PhaseLoad } from "../clusters/three-phase.ts";
import { ThreePhase } from "../clusters/three-phase.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

const idle: PhaseLoad = { volts: 230, amperes: 0, watts: 0 };

/** The meter of a home with three phases and solar panels. */
export class EnergyMeter extends ZclDevice {
  readonly mains: ThreePhase;
  readonly metering: Metering;
  readonly temperature: DeviceTemperature;

  constructor(identity: Identity) {
    const [phases, temperature] = [new ThreePhase([idle, idle, idle]), new DeviceTemperature(31)];
    const metering = new Metering({ multiplier: 1, divisor: 1000 }, { isTwoWay: true });
    const clusters = [...commonClusters(identity), phases, metering, temperature];
    super(mains(identity, new Endpoint(1, deviceIds.meter, clusters)));
    this.mains = phases;
    this.metering = metering;
    this.temperature = temperature;
  }
}
