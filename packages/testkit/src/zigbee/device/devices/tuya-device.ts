import { Basic } from "../clusters/basic.ts";
import { Groups } from "../clusters/groups.ts";
import { Scenes } from "../clusters/scenes.ts";
import { TimeClient } from "../clusters/time-client.ts";
import type { Datapoint } from "../clusters/tuya.ts";
import { Tuya } from "../clusters/tuya.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { deviceIds, onBattery } from "../identity.ts";

/** A Tuya device that reports everything in datapoints. */
export class TuyaDevice<Name extends string> extends ZclDevice {
  readonly #tuya: Tuya;
  readonly #names: Readonly<Record<Name, number>>;

  /** @param names the datapoints by name. */
  constructor(
    identity: Identity,
    names: Readonly<Record<Name, number>>,
    datapoints: Readonly<Record<number, Datapoint>>,
  ) {
    const tuya = new Tuya(datapoints);
    const basic = new Basic({ powerSource: "battery", ...identity.product });
    const clusters = [basic, new Groups(), new Scenes(), tuya, new TimeClient()];
    super(onBattery(identity, new Endpoint(1, deviceIds.plug, clusters, { output: [0x0019] })));
    this.#tuya = tuya;
    this.#names = names;
  }

  /** Returns the value of a datapoint, in Tuya's units. */
  value(name: Name): Datapoint["value"] | undefined {
    return this.#tuya.value(this.#names[name]);
  }

  /** Sets a measured value, in Tuya's units. */
  show(name: Name, value: Datapoint["value"]): void {
    this.#tuya.show(this.#names[name], value);
  }
}

/** Temperature and humidity, in tenths. */
export const tuyaClimate = {
  names: { temperature: 1, humidity: 2, battery: 4 },
  datapoints: {
    1: { type: "number", value: 215 },
    2: { type: "number", value: 480 },
    4: { type: "number", value: 100 },
  },
} as const;

/** A roller blind: 0 opens, 1 stops and 2 closes it; positions in percent, of which it takes one and shows one. */
export const tuyaCover = {
  names: { action: 1, target: 2, position: 3, battery: 13 },
  datapoints: {
    1: { type: "enum", value: 1 },
    2: { type: "number", value: 0 },
    3: { type: "number", value: 0 },
    13: { type: "number", value: 100 },
  },
} as const;

/** A radiator valve: setpoint in °C, temperature in tenths, position in percent. */
export const tuyaValve = {
  names: { mode: 1, setpoint: 2, temperature: 3, isClosed: 7, childLock: 13, battery: 14, position: 104 },
  datapoints: {
    1: { type: "enum", value: 1 },
    2: { type: "number", value: 20 },
    3: { type: "number", value: 205 },
    7: { type: "bool", value: true },
    13: { type: "bool", value: false },
    14: { type: "number", value: 100 },
    104: { type: "number", value: 0 },
  },
} as const;
