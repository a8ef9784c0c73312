import type { Air } from "../house.ts";
import { rounded } from "../house.ts";
import { noise } from "../random.ts";
import type { Attributes, Moment, Part } from "./behaviour.ts";
import { part } from "./behaviour.ts";

interface Reading {
  readonly value: number;
  /** The constant error of this sensor. */
  readonly offset: number;
}

/** A sensor that follows a quantity, with a constant error and some noise. */
function reading(
  begin: number,
  offset: number,
  sample: (moment: Moment, offset: number) => number,
  show: (value: number) => Attributes,
): Part {
  return part<Reading>({
    begin: (random) => ({ value: begin, offset: noise(random) * offset }),
    step: (state, moment) => ({ ...state, value: sample(moment, state.offset) }),
    show: ({ value }) => show(value),
  });
}

const ofAir =
  (quantity: "temperature" | "humidity" | "co2", jitter: number) =>
  ({ air, random }: Moment, offset: number): number =>
    air[quantity] + offset + jitter * noise(random);

export const thermometer = reading(21, 0.3, ofAir("temperature", 0.02), (value) => ({
  temperature: rounded(value, 0.1),
}));

export const hygrometer = reading(42, 2, ofAir("humidity", 0.2), (value) => ({
  humidity: Math.min(100, Math.max(0, rounded(value, 0.5))),
}));

export const co2Meter = reading(600, 20, ofAir("co2", 3), (value) => ({
  co2Ppm: Math.max(0, Math.round(value)),
}));

/** Organic vapours rise and fall with people, as CO2 does. */
export const vocMeter = reading(
  100,
  10,
  ({ air, random }, offset) => 0.2 * (air.co2 - 420) + 80 + offset + 2 * noise(random),
  (value) => ({ vocPpm: Math.max(0, Math.round(value)) }),
);

export const barometer = reading(
  101_300,
  50,
  ({ house, random }, offset) => house.pressure + offset + 2 * noise(random),
  (value) => ({ pressure: rounded(value, 10) }),
);

export const luxMeter = reading(
  20,
  0,
  ({ air, random }) => air.lux * (1 + 0.02 * noise(random)),
  (value) => ({ lux: value < 100 ? Math.max(0, Math.round(value)) : rounded(value, 10) }),
);

/** A 3 V cell that lasts about two years. */
export const cell = part<{ volts: number }>({
  begin: (random) => ({ volts: 2.7 + 0.4 * random() }),
  step: ({ volts }, { ms }) => ({ volts: Math.max(0, volts - (ms / 3_600_000) * 4e-5) }),
  show: ({ volts }) => ({ batteryV: rounded(volts, 0.01), batteryLow: volts < 2.4 }),
});

/** A battery that measures its own charge. */
export const battery = part<{ percent: number }>({
  begin: (random) => ({ percent: 40 + 60 * random() }),
  step: ({ percent }, { ms }) => ({ percent: Math.max(0, percent - (ms / 3_600_000) * 0.006) }),
  show: ({ percent }) => ({ battery: Math.round(percent) }),
});

/** The strength of the device's radio signal. */
export const signal = part<{ base: number; rssi: number }>({
  begin: (random) => ({ base: -85 + 40 * random(), rssi: -70 }),
  step: (state, { random }) => ({ ...state, rssi: state.base + noise(random) }),
  show: ({ rssi }) => ({ rssi: Math.round(rssi / 2) * 2 }),
});

/** Whether it is dark. A wide hysteresis keeps passing clouds from switching it. */
export const twilight = part<{ twilight: boolean }>({
  begin: () => ({ twilight: false }),
  step: (state, { air }: { air: Air }) => ({ twilight: air.lux < (state.twilight ? 60 : 30) }),
  show: (state) => state,
});
