import type { Device } from "@ledge/model";
import type { Effect } from "../../machine/effect.ts";
import { set } from "../../machine/effect.ts";
import type { View } from "../../machine/view.ts";

/** The setpoints (deg C) to restore, by device. */
export type Setpoints = Readonly<Record<string, number>>;

/** Thermostats round their setpoint by up to this much (K). */
const rounding = 0.5;

/**
 * Returns the setpoints of a field that are above `to`. Unknown setpoints are left out, as they could not be
 * restored.
 */
export function setpointsAbove(view: View, field: string, to: number): Setpoints {
  const known = view.devices(field).flatMap((device): [string, number][] => {
    const setpoint = view.reading(field, device);
    return typeof setpoint === "number" && setpoint > to ? [[device.id, setpoint]] : [];
  });
  return Object.fromEntries(known);
}

/** Lowers the devices of a field whose setpoints were saved. */
export function lower(view: View, field: string, saved: Setpoints, to: number): readonly Effect[] {
  const those = view.devices(field).filter(({ id }) => saved[id] !== undefined);
  return set(those, { targetTemperature: to });
}

/** Restores the saved setpoints, except those that somebody has changed since. */
export function restore(view: View, field: string, saved: Setpoints, from: number): readonly Effect[] {
  const isOurs = (device: Device, setpoint: number): boolean => {
    const shown = view.reading(field, device);
    return typeof shown !== "number" || Math.abs(shown - from) < rounding || shown === setpoint;
  };
  return view.devices(field).flatMap((device) => {
    const setpoint = saved[device.id];
    if (setpoint === undefined || !isOurs(device, setpoint)) return [];
    return set([device], { targetTemperature: setpoint });
  });
}
