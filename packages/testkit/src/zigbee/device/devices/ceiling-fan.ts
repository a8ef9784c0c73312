import { Fan } from "../clusters/fan.ts";
import { Groups } from "../clusters/groups.ts";
import { Level } from "../clusters/level.ts";
import { OnOff } from "../clusters/on-off.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

/** A fan with a lamp. */
export class CeilingFan extends ZclDevice {
  readonly onOff: OnOff;
  readonly #fan: Fan;

  constructor(identity: Identity) {
    const [onOff, fan] = [new OnOff(), new Fan()];
    const clusters = [...commonClusters(identity), new Groups(), onOff, new Level(onOff), fan];
    super(mains(identity, new Endpoint(1, deviceIds.dimmableLight, clusters)));
    this.onOff = onOff;
    this.#fan = fan;
  }

  /** 0 off, 1 low, 2 medium, 3 high, 4 on, 5 auto, 6 smart. */
  get mode(): number {
    return this.#fan.number("mode");
  }

  /** Simulates a pull of its chain. */
  pull(mode: number): void {
    this.#fan.set({ mode });
  }
}
