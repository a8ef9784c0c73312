// Rows that say where a hub is, and which radios it has.
import { type Answer, call } from "./call.ts";

export function nameHub(name: string): Promise<Answer<true>> {
  return call("/hub/name", { method: "PUT", query: { name } });
}

/** The time zones that the hub knows. */
export function timezones(signal: AbortSignal): Promise<Answer<readonly string[]>> {
  return call("/hub/timezones", { signal });
}

export function timezone(signal: AbortSignal): Promise<Answer<string>> {
  return call("/hub/tz", { signal });
}

export function setTimezone(zone: string): Promise<Answer<string>> {
  return call("/hub/tz", { method: "PUT", query: { timezone: zone } });
}

/** LOCATION, in degrees. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  /** It is the city of the time zone: nobody has set it. */
  readonly isDefault: boolean;
}

/** Where the hub is, for the times of the sun. */
export function place(signal: AbortSignal): Promise<Answer<Place>> {
  return call("/hub/location", { signal });
}

export function setPlace(latitude: number, longitude: number): Promise<Answer<Place>> {
  return call("/hub/location", { method: "PUT", body: { type: "LOCATION", latitude, longitude } });
}

/** SERIAL_STICK: a serial port, and what is taken to be at it. */
export interface Stick {
  readonly port: string;
  /** Null: the adapter of the profile uses it, and nobody has looked. */
  readonly isThere: boolean | null;
  /** Null: the hub does not know what it is. */
  readonly model: string | null;
  readonly protocol: string | null;
  readonly driver: string | null;
  /** The protocol whose adapter uses it. */
  readonly usedBy: string | null;
}

export function sticks(signal: AbortSignal): Promise<Answer<readonly Stick[]>> {
  return call("/hub/sticks", { signal });
}

/** Gives a stick to the adapter of its protocol. */
export function takeStick({
  port,
  protocol,
  driver,
}: Pick<Stick, "port" | "protocol" | "driver">): Promise<Answer<true>> {
  const body = { port, protocol, ...(driver !== null && { driver }) };
  return call("/hub/stick", { method: "POST", body });
}

/** Takes its stick from an adapter, which has that of the profile again. */
export function giveUpStick(protocol: string): Promise<Answer<true>> {
  return call("/hub/stick", { method: "DELETE", query: { protocol } });
}
