import type { Cluster } from "../cluster.ts";
import type { ZoneBit, zoneTypes } from "../clusters/ias-zone.ts";
import { IasZone } from "../clusters/ias-zone.ts";
import { Ota } from "../clusters/ota.ts";
import { PollControl } from "../clusters/poll-control.ts";
import { PowerConfiguration } from "../clusters/power.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, onBattery } from "../identity.ts";

interface AlarmSensorOptions {
  readonly zone: keyof typeof zoneTypes;
  /** Whether it asks to be enrolled; otherwise it waits. */
  readonly asks?: boolean;
  /** From a movement to its end. Other alarms stay until their cause is gone. */
  readonly holdSeconds?: number;
  readonly further?: readonly Cluster[];
  /** Of its firmware; without it the sensor takes no upgrades. */
  readonly imageType?: number;
}

/** A sleepy sensor of one alarm: movement, an open door, water, smoke, carbon monoxide, vibration. */
export class AlarmSensor extends ZclDevice {
  readonly zone: IasZone;
  readonly pollControl: PollControl;
  readonly ota: Ota | undefined;
  readonly #power: PowerConfiguration;

  constructor(identity: Identity, options: AlarmSensorOptions) {
    const { manufacturerCode } = identity;
    const { asks = true, holdSeconds = 60, further = [], imageType } = options;
    const zone = new IasZone(options.zone, { manufacturerCode, asks, holdSeconds });
    const power = new PowerConfiguration();
    const pollControl = new PollControl();
    const ota = imageType === undefined ? undefined : new Ota({ manufacturerCode, imageType, version: 1 });
    const own = [power, pollControl, zone, ...(ota ? [ota] : [])];
    const clusters = [...commonClusters(identity, "battery"), ...own, ...further];
    super(onBattery(identity, new Endpoint(1, deviceIds.iasZone, clusters)));
    this.zone = zone;
    this.#power = power;
    this.pollControl = pollControl;
    this.ota = ota;
  }

  /** Sets or clears its alarm, or another bit of its status. */
  alarm(isOn: boolean, bit: ZoneBit = "alarm1"): void {
    this.zone.show({ [bit]: isOn });
  }

  /** Simulates a movement; the alarm ends on its own. */
  move(): void {
    this.zone.pulse();
  }

  open(): void {
    this.alarm(true);
  }

  close(): void {
    this.alarm(false);
  }

  /** Simulates water, smoke or gas, or its end. */
  leak(isThere = true): void {
    this.alarm(isThere);
  }

  battery(percent: number, volts = 2 + percent / 100): void {
    this.#power.show(percent, volts);
    this.zone.show({ batteryLow: percent < 10 });
  }
}
