import { IasZone } from "../clusters/ias-zone.ts";
import { PowerConfiguration } from "../clusters/power.ts";
import { Warning } from "../clusters/warning.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

/** A wall siren with a backup battery. */
export class Siren extends ZclDevice {
  readonly warning: Warning;
  readonly zone: IasZone;

  constructor(identity: Identity) {
    const [warning, zone, power] = [new Warning(), new IasZone("standard"), new PowerConfiguration()];
    const clusters = [...commonClusters(identity), power, zone, warning];
    super(mains(identity, new Endpoint(1, deviceIds.iasWarning, clusters)));
    this.warning = warning;
    this.zone = zone;
  }

  get isSounding(): boolean {
    return this.warning.isSounding;
  }
}
