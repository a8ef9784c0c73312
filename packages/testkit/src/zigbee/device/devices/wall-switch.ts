import { Groups } from "../clusters/groups.ts";
import { Identify } from "../clusters/identify.ts";
import { OnOff } from "../clusters/on-off.ts";
import { Scenes } from "../clusters/scenes.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

/** A wall switch with a relay behind each rocker, each on its own endpoint. */
export class WallSwitch extends ZclDevice {
  readonly #gangs: readonly OnOff[];

  constructor(identity: Identity, { gangs = 2, reportsUnasked = false } = {}) {
    const relays = Array.from({ length: gangs }, () => new OnOff(reportsUnasked));
    const endpoints = relays.map((relay, at) => {
      const own = at === 0 ? commonClusters(identity) : [new Identify()];
      return new Endpoint(at + 1, deviceIds.onOffLight, [...own, new Groups(), new Scenes(), relay]);
    });
    super(mains(identity, ...endpoints));
    this.#gangs = relays;
  }

  /** @param gang counted from 1. */
  isOn(gang: number): boolean {
    return this.#gang(gang).isOn;
  }

  pressLocally(gang: number): void {
    this.#gang(gang).turn(!this.isOn(gang));
  }

  #gang(gang: number): OnOff {
    const relay = this.#gangs[gang - 1];
    if (!relay) throw new Error(`it has no gang ${gang}`);
    return relay;
  }
}
