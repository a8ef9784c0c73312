import { Lock } from "../clusters/lock.ts";
import { PowerConfiguration } from "../clusters/power.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, onBattery } from "../identity.ts";

/** A door lock on batteries. */
export class DoorLock extends ZclDevice {
  readonly lock: Lock;
  readonly #power: PowerConfiguration;

  constructor(identity: Identity, pin: string | null = null) {
    const [lock, power] = [new Lock(pin), new PowerConfiguration()];
    const clusters = [...commonClusters(identity, "battery"), power, lock];
    super(onBattery(identity, new Endpoint(1, deviceIds.lock, clusters)));
    this.lock = lock;
    this.#power = power;
  }

  get isLocked(): boolean {
    return this.lock.isLocked;
  }

  battery(percent: number, volts = 2 + percent / 100): void {
    this.#power.show(percent, volts);
  }
}
