import type { Random } from "./random.ts";
import { noise } from "./random.ts";

export const roomNames = ["living", "kitchen", "bedroom", "bathroom", "hallway", "utility"] as const;
export type RoomName = (typeof roomNames)[number];
export type Place = RoomName | "outdoors";

/** The air of a room, and the people in it. */
export interface Air {
  /** deg C. */
  readonly temperature: number;
  /** Percent. */
  readonly humidity: number;
  /** ppm. */
  readonly co2: number;
  /** lx. */
  readonly lux: number;
  readonly people: number;
  /** When somebody last moved here (ms). */
  readonly movedAt: number;
}

/** A resident of the home. */
export interface Person {
  readonly name: string;
  readonly place: RoomName | "away";
  /** Until when they stay there (ms). */
  readonly until: number;
  /** Hours of a working day away from home, or null. */
  readonly works: readonly [from: number, to: number] | null;
}

/** The simulated home at one moment, without its devices. */
export interface House {
  /** Simulated time, ms since the epoch. */
  readonly now: number;
  /** Local time of day, 0 <= hour < 24. The home lies at 60 degrees north and keeps UTC+2 all year. */
  readonly hour: number;
  /** Cloud cover, 0..1. */
  readonly clouds: number;
  /** Pa. */
  readonly pressure: number;
  readonly air: Readonly<Record<Place, Air>>;
  readonly people: readonly Person[];
  /** Until when the front door is open (ms). */
  readonly doorOpenUntil: number;
}

/** What the devices do to a room. */
export interface Influence {
  /** Power of the radiator, 0..1. */
  readonly heating: number;
  /** lx. */
  readonly lampLux: number;
  readonly windowOpen: boolean;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const offsetMs = 2 * hourMs;
const outdoorCo2 = 420;

/** The local hour of a time, with fractions. */
export function hourOf(now: number): number {
  return ((now + offsetMs) % dayMs) / hourMs;
}

/** Local days since 1 January 1970. */
export function dayOf(now: number): number {
  return Math.floor((now + offsetMs) / dayMs);
}

/** Outdoor temperature by season and hour, deg C: warmest in July, at three in the afternoon. */
function outdoorTemperature(now: number, hour: number, clouds: number): number {
  const season = Math.cos((2 * Math.PI * ((dayOf(now) % 365.25) - 200)) / 365.25);
  const time = Math.cos((2 * Math.PI * (hour - 15)) / 24);
  return 5 + 12 * season + (5 - 3 * clouds) * time;
}

/** Outdoor light, lx: the sun behind the clouds, never quite dark. */
function daylight(now: number, hour: number, clouds: number): number {
  const dayHours = 12 + 6 * Math.cos((2 * Math.PI * ((dayOf(now) % 365.25) - 172)) / 365.25);
  const height = Math.cos((Math.PI * (hour - 12)) / dayHours);
  const isUp = Math.abs(hour - 12) < dayHours / 2;
  return 1 + (isUp ? 60_000 * height ** 1.5 * (1 - 0.8 * clouds) : 0);
}

export function beginHouse(now: number, people: readonly Person[]): House {
  const hour = hourOf(now);
  const temperature = outdoorTemperature(now, hour, 0.5);
  const room: Air = { temperature: 21, humidity: 42, co2: 600, lux: 20, people: 0, movedAt: 0 };
  const outdoors: Air = { temperature, humidity: 75, co2: outdoorCo2, lux: 0, people: 0, movedAt: 0 };
  const air = {
    living: room,
    kitchen: room,
    bedroom: room,
    bathroom: { ...room, humidity: 50 },
    hallway: room,
    utility: { ...room, temperature: 18 },
    outdoors,
  };
  return { now, hour, clouds: 0.5, pressure: 101_300, air, people, doorOpenUntil: 0 };
}

/**
 * Returns the home `ms` later. People have already moved; `influences` holds what the devices do to each
 * room.
 */
export function stepHouse(
  house: House,
  ms: number,
  influences: Readonly<Record<RoomName, Influence>>,
  random: Random,
): House {
  const now = house.now + ms;
  const hour = hourOf(now);
  const clouds = clamp(house.clouds + noise(random) * 0.01 * Math.sqrt(ms / 60_000), 0, 1);
  const pressure = clamp(house.pressure + noise(random) * 3 * Math.sqrt(ms / 60_000), 98_000, 104_000);
  const sun = daylight(now, hour, clouds);
  const { outdoors } = house.air;
  const air: Record<Place, Air> = {
    ...house.air,
    outdoors: {
      ...outdoors,
      temperature: outdoorTemperature(now, hour, clouds),
      humidity: clamp(88 - (outdoors.temperature - 5) * 1.2 - sun / 3000, 30, 99),
      lux: sun,
    },
  };
  for (const room of roomNames) air[room] = stepAir(house, room, ms, influences[room], sun);
  return { ...house, now, hour, clouds, pressure, air };
}

function stepAir(house: House, room: RoomName, ms: number, influence: Influence, sun: number): Air {
  const { temperature, humidity, co2, people, movedAt } = house.air[room];
  const { outdoors } = house.air;
  const hours = ms / hourMs;
  const exchangeHours = influence.windowOpen ? 1.5 : 20;
  const heat = ((outdoors.temperature - temperature) / exchangeHours + influence.heating * 3) * hours;
  const showers = room === "bathroom" && people > 0 && house.hour > 5 && house.hour < 9;
  const dryness = (40 - humidity) * (influence.windowOpen ? 4 : 1.5) * hours;
  const fresh = ((outdoorCo2 - co2) / (influence.windowOpen ? 0.2 : 2)) * hours;
  return {
    temperature: temperature + heat + people * 0.1 * hours,
    humidity: clamp(humidity + dryness + (showers ? 120 * hours : people * hours), 20, 95),
    co2: co2 + fresh + people * 300 * hours,
    lux: sun / 150 + influence.lampLux,
    people,
    movedAt,
  };
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Rounds to a multiple of `step`, without binary fraction digits. */
export function rounded(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toFixed(6));
}
