import type { AlarmFacts, AlarmKind, Capability, Device } from "@ledge/model";
import type { Effect } from "../../machine/effect.ts";
import { pressOf } from "./press.ts";
import type { View } from "../../machine/view.ts";

/** The capabilities that make a device a siren. */
export const sirens: readonly Capability[] = ["GENERATE_ALERT"];

/** Raises an alarm about a device, with the name of its room. */
export function tell(view: View, alarm: AlarmKind, about: Device, facts: AlarmFacts = {}): readonly Effect[] {
  const room = view.roomOf(about) || "–";
  return [{ do: "raise", alarm, about, facts: { room, ...facts } }];
}

/** Closes the open alarms about a device. */
export function untell(view: View, alarms: readonly AlarmKind[], about: Device): readonly Effect[] {
  return alarms
    .filter((alarm) => view.isRaised(alarm, about))
    .map((alarm) => ({ do: "close", alarm, about }) as const);
}

/** Returns the device whose input has just turned true; undefined for any other change. */
export function rising({ change }: View): Device | undefined {
  return change?.isNews === true && change.value === true ? change.device : undefined;
}

/** Returns the device whose button is being pressed; undefined for any other change. */
export function pressed(view: View): Device | undefined {
  const press = pressOf(view);
  if (press === undefined) return rising(view);
  return press.how === "release" ? undefined : press.device;
}

/** Returns a time span (ms) in whole minutes. */
export function minutes(ms: number): number {
  return Math.round(ms / 60_000);
}
