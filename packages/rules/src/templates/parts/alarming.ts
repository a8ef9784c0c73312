import type { AlarmFacts, AlarmKind, Capability, Device } from "@ledge/model";
import type { Effect } from "../../machine/effect.ts";
import { pressOf } from "./press.ts";
import type { View } from "../../machine/view.ts";

/** What makes a siren. */
export const sirens: readonly Capability[] = ["GENERATE_ALERT"];

/** Tells people of a device, and where it is. */
export function tell(view: View, alarm: AlarmKind, about: Device, facts: AlarmFacts = {}): readonly Effect[] {
  const room = view.roomOf(about) || "–";
  return [{ do: "raise", alarm, about, facts: { room, ...facts } }];
}

/** Closes alarms about a device that are open. */
export function untell(view: View, alarms: readonly AlarmKind[], about: Device): readonly Effect[] {
  return alarms
    .filter((alarm) => view.isRaised(alarm, about))
    .map((alarm) => ({ do: "close", alarm, about }) as const);
}

/** The device of an input that says yes for the first time since it said no, if that is what has happened. */
export function rising({ change }: View): Device | undefined {
  return change?.isNews === true && change.value === true ? change.device : undefined;
}

/** The button of an input that is being pressed, if that is what has happened. */
export function pressed(view: View): Device | undefined {
  const press = pressOf(view);
  if (press === undefined) return rising(view);
  return press.how === "release" ? undefined : press.device;
}

/** Whole minutes of a time span in ms. */
export function minutes(ms: number): number {
  return Math.round(ms / 60_000);
}
