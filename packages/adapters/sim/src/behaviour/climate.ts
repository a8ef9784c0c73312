import type { ExtraDescription } from "@ledge/model";
import { extraAttribute } from "@ledge/model";
import { clamp, rounded } from "../house.ts";
import { noise } from "../random.ts";
import { part } from "./behaviour.ts";

interface ThermostatState {
  /** deg C. */
  readonly target: number;
  readonly temperature: number;
  /** 0..1. */
  readonly demand: number;
}

/** A radiator valve that heats its room in proportion to the missing warmth. */
export const thermostat = (target: number) =>
  part<ThermostatState>({
    begin: () => ({ target, temperature: 21, demand: 0 }),
    step(state, { air, own, random }) {
      const temperature = air.temperature + 0.02 * noise(random);
      const off = own["mode"] === 0;
      return {
        ...state,
        temperature,
        demand: off ? 0 : clamp((state.target - temperature) / 1.5 + 0.3, 0, 1),
      };
    },
    show: (state) => ({
      temperature: rounded(state.temperature, 0.1),
      targetTemp: state.target,
      targetTemperature: state.target,
      heatingDemand: rounded(state.demand, 0.05),
    }),
    set(state, wanted) {
      const told = wanted["targetTemperature"] ?? wanted["targetTemp"];
      return typeof told === "number" ? { ...state, target: told } : state;
    },
  });

/** A choice of modes under an attribute's name; some modes end by themselves. */
export const choice = (
  name: "mode" | "preset" | "fanMode",
  begin: number,
  fallsBack?: { readonly from: number; readonly to: number; readonly afterMs: number },
) =>
  part<{ value: number; since: number }>({
    begin: () => ({ value: begin, since: 0 }),
    step(state, { house }) {
      if (!fallsBack || state.value !== fallsBack.from) return state;
      return house.now - state.since < fallsBack.afterMs ? state : { value: fallsBack.to, since: house.now };
    },
    show: ({ value }) => ({ [name]: value }),
    set(state, wanted, now) {
      const told = wanted[name];
      return typeof told === "number" ? { value: told, since: now } : state;
    },
  });

/** The extras of a heat pump that boosts for as long as it is told. */
export const boostExtras: readonly ExtraDescription[] = [
  { name: "boost_minutes", fieldType: "NUMBER", unit: "min", writable: true, minValue: 0, maxValue: 120 },
  { name: "boosting", fieldType: "BOOL", unit: null, writable: false },
];
const [minutes, boosting] = [extraAttribute("boost_minutes"), extraAttribute("boosting")];

/** Boosts a heat pump for some minutes. */
export const boost = part<{ until: number; minutes: number }>({
  begin: () => ({ until: 0, minutes: 0 }),
  step: (state, { house }) =>
    state.minutes > 0 && house.now >= state.until ? { until: 0, minutes: 0 } : state,
  show: (state) => ({ [minutes]: state.minutes, [boosting]: state.minutes > 0 }),
  set(state, wanted, now) {
    const told = wanted[minutes];
    return typeof told === "number" ? { until: now + told * 60_000, minutes: told } : state;
  },
});

interface VentilationState {
  readonly fresh: number;
  readonly supply: number;
  readonly extract: number;
  readonly fireplaceUntil: number;
  readonly now: number;
}

/** A ventilation unit with heat recovery; its fireplace function ends after 15 minutes. */
export const ventilation = part<VentilationState>({
  begin: () => ({ fresh: 5, supply: 17, extract: 21, fireplaceUntil: 0, now: 0 }),
  step(state, { house, air, random }) {
    const fresh = house.air.outdoors.temperature + 0.05 * noise(random);
    const extract = air.temperature + 0.05 * noise(random);
    return { ...state, fresh, extract, supply: fresh + 0.8 * (extract - fresh), now: house.now };
  },
  show: ({ fresh, supply, extract, fireplaceUntil, now }) => ({
    freshTemperature: rounded(fresh, 0.1),
    supplyTemperature: rounded(supply, 0.1),
    extractTemperature: rounded(extract, 0.1),
    fn_fireplace: now < fireplaceUntil,
  }),
  set(state, wanted, now) {
    const told = wanted["fn_fireplace"];
    return typeof told === "boolean" ? { ...state, fireplaceUntil: told ? now + 900_000 : 0, now } : state;
  },
});
