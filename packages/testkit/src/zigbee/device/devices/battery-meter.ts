import { DirectCurrent } from "../clusters/direct-current.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

/** The meter of a home's battery, which measures direct current. */
export class BatteryMeter extends ZclDevice {
  readonly current: DirectCurrent;

  constructor(identity: Identity) {
    const current = new DirectCurrent();
    super(mains(identity, new Endpoint(1, deviceIds.meter, [...commonClusters(identity), current])));
    this.current = current;
  }
}
