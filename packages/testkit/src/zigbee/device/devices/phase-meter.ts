import { Metering } from "../clusters/metering.ts";
import { idle, Phases } from "../clusters/phases.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

/** What one endpoint measures. */
interface PhaseEndpoint {
  readonly mains: Phases;
  readonly metering: Metering;
}

/** A meter of three phases, each on an endpoint of its own, 1 to 3. */
export class PhaseMeter extends ZclDevice {
  readonly phases: readonly PhaseEndpoint[];

  constructor(identity: Identity) {
    const phases = [1, 2, 3].map(() => ({
      mains: new Phases([idle]),
      metering: new Metering({ multiplier: 1, divisor: 1000 }, { isTwoWay: true }),
    }));
    const endpoints = phases.map(({ mains: load, metering }, index) => {
      const common = index === 0 ? commonClusters(identity) : [];
      return new Endpoint(index + 1, deviceIds.meter, [...common, load, metering]);
    });
    super(mains(identity, ...endpoints));
    this.phases = phases;
  }
}
