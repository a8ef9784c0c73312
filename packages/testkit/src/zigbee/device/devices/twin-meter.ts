import { Metering } from "../clusters/metering.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

/** A meter of energy and power that has an endpoint, 1 and 2, for each of two lines, and measures no mains. */
export class TwinMeter extends ZclDevice {
  readonly lines: readonly [Metering, Metering];

  constructor(identity: Identity) {
    const lines = [new Metering(), new Metering()] as const;
    const endpoints = lines.map((metering, index) => {
      const common = index === 0 ? commonClusters(identity) : [];
      return new Endpoint(index + 1, deviceIds.meter, [...common, metering]);
    });
    super(mains(identity, ...endpoints));
    this.lines = lines;
  }
}
