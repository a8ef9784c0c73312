import { type Expose, type ExposedSetting, isRecord, keyOf } from "@ledge/exposes";
import type { Transition } from "../weekly-schedule.ts";
import { clockOf, dayItem, dayNames, textOf, transitionsOf } from "../weekly-schedule.ts";

/** Whether an expose is the weekly schedule of a thermostat, with its days and transitions. */
export function isWeeklySchedule({ type, features }: Expose): boolean {
  const names = new Set(features.map(({ property }) => property));
  return type === "composite" && names.has("dayofweek") && names.has("transitions");
}

/** Returns a setting for each day of a weekly schedule. */
export function scheduleSettings(expose: Expose): readonly ExposedSetting[] {
  const { property, endpoint, isReadable } = expose;
  const parts = JSON.stringify(expose.features);
  const isCooling = parts.includes("coolSetpoint") && !parts.includes("heatSetpoint");
  const setpoint = isCooling ? "coolSetpoint" : "heatSetpoint";
  return dayNames.map((day) => ({
    property,
    endpoint,
    key: keyOf(expose),
    path: [],
    isSaid: true,
    isSettable: true,
    isReadable,
    alone: true as const,
    item: dayItem(`${property}.${day}`, day),
    from: (value) => dayIn(value, day),
    to: (value) => {
      const transitions = transitionsOf(String(value))?.map(({ minute, celsius }) => {
        return { transitionTime: clockOf(minute), [setpoint]: celsius };
      });
      return transitions && { dayofweek: [day], transitions };
    },
  }));
}

/** Returns a day of a schedule that a device reports, as text; undefined when it is about other days. */
function dayIn(value: unknown, day: string): string | undefined {
  if (!isRecord(value) || !Array.isArray(value["days"]) || !value["days"].includes(day)) return undefined;
  const { transitions } = value;
  if (!Array.isArray(transitions)) return undefined;
  const read = transitions.map(transitionIn);
  return read.every((each) => each !== undefined) ? textOf(read) : undefined;
}

function transitionIn(transition: unknown): Transition | undefined {
  if (!isRecord(transition)) return undefined;
  const { time, heating_setpoint: heating, cooling_setpoint: cooling } = transition;
  const celsius = heating ?? cooling;
  return typeof time === "number" && typeof celsius === "number" ? { minute: time, celsius } : undefined;
}
