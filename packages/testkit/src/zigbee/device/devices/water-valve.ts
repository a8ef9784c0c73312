import { Groups } from "../clusters/groups.ts";
import { OnOff } from "../clusters/on-off.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

/** A motor on a water tap; on is open. */
export class WaterValve extends ZclDevice {
  readonly #onOff: OnOff;

  constructor(identity: Identity) {
    const onOff = new OnOff();
    const clusters = [...commonClusters(identity), new Groups(), onOff];
    super(mains(identity, new Endpoint(1, deviceIds.onOffOutput, clusters)));
    this.#onOff = onOff;
  }

  get isOpen(): boolean {
    return this.#onOff.isOn;
  }
}
