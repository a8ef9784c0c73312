import { Basic } from "../clusters/basic.ts";
import { Identify } from "../clusters/identify.ts";
import { Measurement } from "../clusters/measurement.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { onBattery } from "../identity.ts";
import { write } from "../zcl/bytes.ts";

export const aqara = 0x115f;
/** A text attribute that holds octets instead: tag, type and value in sequence. */
const own = { id: 0xff01, type: "text", value: new Uint8Array(), manufacturer: aqara } as const;

/** Aqara's weather sensor. It reports unasked, and its battery in a manufacturer-specific attribute. */
export class AqaraWeather extends ZclDevice {
  readonly #basic: Basic;
  readonly #temperature: Measurement;
  readonly #humidity: Measurement;
  readonly #pressure: Measurement;

  constructor(identity: Identity) {
    const product = { powerSource: "battery", ...identity.product } as const;
    const basic = new Basic(product, own, { reportsUnasked: true });
    const temperature = new Measurement("temperature", 21, true);
    const humidity = new Measurement("humidity", 45, true);
    const pressure = new Measurement("pressure", 1013, true);
    const clusters = [basic, new Identify(), temperature, humidity, pressure];
    super(onBattery(identity, new Endpoint(1, 0x5f01, clusters)));
    this.#basic = basic;
    this.#temperature = temperature;
    this.#humidity = humidity;
    this.#pressure = pressure;
  }

  /** °C */
  setTemperature(celsius: number): void {
    this.#temperature.measure(celsius);
  }

  /** % */
  setHumidity(percent: number): void {
    this.#humidity.measure(percent);
  }

  /** hPa */
  setPressure(hectopascals: number): void {
    this.#pressure.measure(hectopascals);
  }

  /** Reports its battery, as the real sensor does every 50 minutes. */
  battery(millivolts: number): void {
    const to = write().uint8(0x01).uint8(0x21).uint16(millivolts);
    to.uint8(0x64).uint8(0x29).int(this.#temperature.number("measured"), 2);
    this.#basic.set({ own: to.done() });
  }
}
