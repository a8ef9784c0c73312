import type Type from "typebox";
import type { Validator } from "typebox/compile";
import { Compile } from "typebox/compile";
import type { AttributeName, Cadence, DeviceClass, PulseTimes } from "./capability.ts";
import { attribute, heatingMode, lampTemperature, pulseTimes, ventilationMode } from "./capability.ts";
import type { Rejection } from "./decider.ts";
import { reject } from "./decider.ts";
import { extraCadence, extraOf, isExtra, isReadable, isWritable, withFlatExtras } from "./extra.ts";
import { twinPairs } from "./twin.ts";

/** The part of a device that the rules about its state need. */
export interface StatefulDevice {
  readonly type: DeviceClass;
  readonly capabilities: { readonly values: readonly string[] };
  readonly state: Readonly<Record<string, unknown>>;
}

/** Values by attribute. */
export type AttributeValues = Record<string, unknown>;

const validators = new Map<Type.TSchema, Validator>();

function isValid(schema: Type.TSchema, value: unknown): boolean {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  return validator.Check(value);
}

function schemaOf(device: StatefulDevice, name: string): Type.TSchema | undefined {
  if (name === "temperature" && device.type === "LIGHT") return lampTemperature;
  if (name === "mode") return device.capabilities.values.includes("VU") ? ventilationMode : heatingMode;
  return attribute(name)?.value;
}

/** Returns whether a device takes commands for an attribute. */
export function isSettable(device: StatefulDevice, name: string): boolean {
  if (name === "temperature" && device.type !== "LIGHT") return false;
  const needs = attribute(name)?.settableBy;
  if (needs === undefined) return extraOf(device.state, name)?.writable === true;
  return needs.some((capability) => device.capabilities.values.includes(capability));
}

function hasColorMode(device: StatefulDevice, mode: unknown): boolean {
  return device.capabilities.values.includes(mode === "hs" ? "COLOR_HS" : "COLOR_TEMP");
}

/**
 * Returns the attributes that a requested state sets on a device (wire-facts 2). It leaves out null, unknown
 * and read-only keys, because clients send whole states back. It refuses an attribute that the device has no
 * capability for, unless the value is the sentinel -1 or the present one.
 */
export function settableAttributes(
  device: StatefulDevice,
  requested: Readonly<Record<string, unknown>>,
): Readonly<AttributeValues> | Rejection {
  const { type } = requested;
  if (type !== undefined && type !== null && type !== device.state["type"]) {
    return reject("invalid", `the device's state is a ${String(device.state["type"])}`, "state.type");
  }
  const wanted: AttributeValues = {};
  for (const [name, value] of Object.entries(withFlatExtras(device.state, requested))) {
    if (name === "type" || value === null || value === undefined) continue;
    const declared = attribute(name);
    if (declared === undefined) {
      const extra = extraOf(device.state, name);
      if (extra?.writable !== true) continue;
      if (!isWritable(extra, value)) return reject("invalid", `${name} has a wrong value`, `state.${name}`);
      wanted[name] = value;
      continue;
    }
    if (declared.settableBy.length === 0) continue;
    if (!isSettable(device, name)) {
      if (name === "temperature" || value === -1 || isSameValue(value, device.state[name])) continue;
      return reject("invalid", `the device has no capability to set ${name}`, `state.${name}`);
    }
    const schema = schemaOf(device, name);
    if (schema === undefined || !isValid(schema, value)) {
      return reject("invalid", `${name} has a wrong value`, `state.${name}`);
    }
    if (name === "colorMode" && !hasColorMode(device, value)) {
      if (value === device.state[name]) continue;
      return reject("invalid", "the device has no such colour mode", "state.colorMode");
    }
    wanted[name] = value;
  }
  // A transition alone says how, but not what.
  if (Object.keys(wanted).every((name) => name === "transitionMsec")) {
    return reject("invalid", "nothing that this device can set", "state");
  }
  return withoutStaleTwins(wanted, device.state);
}

/**
 * Drops the stale one of two names for the same thing: clients send back what they read beside what they
 * change, so the changed one counts. The setpoint is always shown under both its names (wire-facts 1.1).
 */
function withoutStaleTwins(
  values: AttributeValues,
  state: StatefulDevice["state"],
): Readonly<AttributeValues> {
  const news = { ...values };
  for (const { names } of twinPairs) {
    const [one, other] = names;
    if (news[one] === undefined || news[other] === undefined) continue;
    if (isSameValue(news[other], state[other])) delete news[other];
    else delete news[one];
  }
  return withBothNames(news);
}

function withBothNames(values: Readonly<AttributeValues>): Readonly<AttributeValues> {
  let both: AttributeValues | undefined;
  for (const { names, together } of twinPairs) {
    const [one, other] = names;
    const value = together ? (values[other] ?? values[one]) : undefined;
    if (value === undefined) continue;
    both ??= { ...values };
    both[one] = value;
    both[other] = value;
  }
  return both ?? values;
}

/**
 * Returns what a report changes on a device: attributes that differ, every press, and the times that go with
 * pulses. It leaves out invalid values.
 * @param at when the report was true, ms since the epoch
 */
export function reportedChanges(
  device: StatefulDevice,
  reported: Readonly<Record<string, unknown>>,
  at: number,
): AttributeValues {
  const changes: AttributeValues = {};
  for (const [name, value] of Object.entries(withBothNames(reported))) {
    if (name === "lastSeen" || name === "transitionMsec") continue;
    const schema = schemaOf(device, name);
    const extra = schema === undefined ? extraOf(device.state, name) : undefined;
    const isValue = schema === undefined ? isReadable(extra, value) : isValid(schema, value);
    if (!isValue) continue;
    const shown = extra === undefined ? device.state[name] : extra.value;
    const isNews = attribute(name)?.momentary || !isSameValue(value, shown);
    // JSON, and so the log, has no negative zero.
    if (isNews) changes[name] = value === 0 ? 0 : value;
    stampPulse(device, name, value, at, reported, changes);
  }
  return changes;
}

function stampPulse(
  device: StatefulDevice,
  name: string,
  value: unknown,
  at: number,
  reported: Readonly<Record<string, unknown>>,
  changes: AttributeValues,
): void {
  if (!Object.hasOwn(pulseTimes, name)) return;
  const times: PulseTimes = pulseTimes[name as keyof typeof pulseTimes];
  const changed = value !== device.state[name];
  const { state } = device;
  const stamps: (AttributeName | undefined)[] = [
    value === true ? times.whenTrue : undefined,
    changed ? times.onChange : undefined,
    changed && times.onChangeIfKept !== undefined && times.onChangeIfKept in state
      ? times.onChangeIfKept
      : undefined,
    changed && value === true ? times.onRise : undefined,
    changed && value === false ? times.onFall : undefined,
  ];
  for (const stamp of stamps) {
    if (stamp !== undefined && reported[stamp] === undefined) changes[stamp] = at;
  }
}

/** Returns whether two values of an attribute are equal for a reader. */
export function isSameValue(a: unknown, b: unknown): boolean {
  return (
    a === b || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b))
  );
}

/** Returns how reports of an attribute are handled; unknown ones are levels. */
export function cadenceOf(name: string, value: unknown): Cadence {
  const declared = attribute(name);
  if (declared !== undefined) return declared.cadence;
  return isExtra(name) ? extraCadence(value) : "level";
}

/** Returns whether any of these attributes is a pulse; then the report is committed at once. */
export function hasPulse(values: Readonly<AttributeValues>): boolean {
  for (const name of Object.keys(values)) if (cadenceOf(name, values[name]) === "pulse") return true;
  return false;
}

/**
 * Splits what a device tells into its state, which lasts, and a press with its modifiers, which is told once. Modifiers
 * without a press are state.
 */
export function stateAndPress(values: Readonly<AttributeValues>): {
  readonly state: Readonly<AttributeValues>;
  readonly press: Readonly<AttributeValues>;
} {
  if (!Object.keys(values).some((name) => attribute(name)?.momentary)) return { state: values, press: {} };
  const isPress = (name: string): boolean => attribute(name)?.momentary === true || name === "modifiers";
  const where = (is: (name: string) => boolean): AttributeValues =>
    Object.fromEntries(Object.entries(values).filter(([name]) => is(name)));
  return { state: where((name) => !isPress(name)), press: where(isPress) };
}
