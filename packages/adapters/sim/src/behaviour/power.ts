import { dayOf, rounded } from "../house.ts";
import { noise } from "../random.ts";
import type { Moment } from "./behaviour.ts";
import { part } from "./behaviour.ts";

/** A relay contact. */
export const relay = (isOn: boolean) =>
  part<{ isOn: boolean }>({
    begin: () => ({ isOn }),
    show: (state) => state,
    set: (state, wanted) => (typeof wanted["isOn"] === "boolean" ? { isOn: wanted["isOn"] } : state),
  });

/** Returns the power (W) that something draws while it is switched on. */
export type Load = (moment: Moment) => number;

interface MeterState {
  /** W. */
  readonly power: number;
  /** kWh. */
  readonly total: number;
  readonly today: number;
  readonly day: number;
}

/** Measures the device's power: `load` while its own `isOn` is not false, else its standby power. */
export const meter = (load: Load, standbyWatts = 0.4) =>
  part<MeterState>({
    counts: true,
    begin: (random) => ({ power: 0, total: rounded(20 + 400 * random(), 0.001), today: 0, day: 0 }),

    step(state, moment) {
      const { house, own, ms, random } = moment;
      const watts = own["isOn"] === false ? 0 : load(moment);
      const power = watts > 0 ? watts * (1 + 0.01 * noise(random)) : standbyWatts;
      const kilowattHours = (power * ms) / 3.6e9;
      const day = dayOf(house.now);
      return {
        power,
        total: state.total + kilowattHours,
        today: (day === state.day ? state.today : 0) + kilowattHours,
        day,
      };
    },

    show({ power, total, today }) {
      const watts = rounded(power, 0.1);
      return {
        activePower: watts,
        power: watts,
        totalPower: rounded(total, 0.001),
        powerToday: rounded(today, 0.001),
      };
    },
  });

/** The power of a lamp, by its brightness. */
export const lampLoad =
  (watts: number): Load =>
  ({ own }) =>
    watts * (0.1 + 0.9 * (typeof own["brightness"] === "number" ? own["brightness"] : 1));

/** A television: on in the evening while somebody is in the room. */
export const television: Load = ({ house, air }) =>
  air.people > 0 && house.hour > 17 && house.hour < 23 ? 110 : 0;

/** A compressor that runs 15 minutes of every 40. */
export const fridge: Load = ({ house }) => (house.now % 2_400_000 < 900_000 ? 85 : 0);

/**
 * A coffee maker: heats for the first five minutes of each half hour while somebody is in the kitchen in the
 * morning.
 */
export const coffeeMaker: Load = ({ house, air }) =>
  air.people > 0 && house.hour > 6.5 && house.hour < 9 && house.now % 1_800_000 < 300_000 ? 900 : 0;

/** A washing programme of 90 minutes from ten o'clock, every other day: heats, turns, spins. */
export const washer: Load = ({ house }) => {
  const minutes = (house.hour - 10) * 60;
  if (dayOf(house.now) % 2 === 1 || minutes < 0 || minutes >= 90) return 0;
  if (minutes < 20) return 2050;
  if (minutes >= 78) return 480;
  return house.now % 60_000 < 40_000 ? 260 : 30;
};

/** A computer with varying load. */
export const computer: Load = ({ house, random }) =>
  house.hour > 7 && house.hour < 24 ? 55 + 6 * noise(random) : 0;

/** A heat pump: draws a third of the heat that it makes, and a little for its fan. */
export const heatPump: Load = ({ own, random }) =>
  typeof own["heatingDemand"] === "number" && own["mode"] !== 0
    ? 25 + 1300 * own["heatingDemand"] * (1 + 0.02 * noise(random))
    : 0;

/** A load that is constant while it is on. */
export const steady =
  (watts: number): Load =>
  () =>
    watts;
