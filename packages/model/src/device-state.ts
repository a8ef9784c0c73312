import type Type from 'typebox';
import type { Validator } from 'typebox/compile';
import { Compile } from 'typebox/compile';
import type { AttributeName, DeviceClass, PulseTimes } from './capability.ts';
import { attribute, attributes, lampTemperature, pulseTimes } from './capability.ts';
import type { Rejection } from './decider.ts';
import { reject } from './decider.ts';

/** The part of a device that its state rules need. */
export interface StatefulDevice {
  readonly type: DeviceClass;
  readonly capabilities: { readonly values: readonly string[] };
  readonly state: Readonly<Record<string, unknown>>;
}

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
  if (name === 'temperature' && device.type === 'LIGHT') return lampTemperature;
  return attribute(name)?.value;
}

function settable(device: StatefulDevice, name: string): boolean {
  if (name === 'temperature' && device.type !== 'LIGHT') return false;
  const needs = attribute(name)?.settableBy ?? [];
  return needs.some((capability) => device.capabilities.values.includes(capability));
}

/**
 * The attributes that a requested state sets on a device (wire-facts 2): null, unknown and read-only keys are
 * left out, as clients send whole states back; what the device has no capability for is refused unless it is
 * the -1 sentinel or what it reads already.
 */
export function settableAttributes(
  device: StatefulDevice,
  requested: Readonly<Record<string, unknown>>,
): AttributeValues | Rejection {
  const { type } = requested;
  if (type !== undefined && type !== null && type !== device.state['type']) {
    return reject('invalid', `the device's state is a ${String(device.state['type'])}`, 'state.type');
  }
  const wanted: AttributeValues = {};
  for (const [name, value] of Object.entries(requested)) {
    if (name === 'type' || value === null || value === undefined) continue;
    const declared = attribute(name);
    if (declared === undefined || declared.settableBy.length === 0) continue;
    if (!settable(device, name)) {
      if (name === 'temperature' || value === -1 || value === device.state[name]) continue;
      return reject('invalid', `the device has no capability to set ${name}`, `state.${name}`);
    }
    const schema = schemaOf(device, name);
    if (schema === undefined || !isValid(schema, value)) {
      return reject('invalid', `${name} has a wrong value`, `state.${name}`);
    }
    wanted[name] = value;
  }
  if (Object.keys(wanted).length === 0) return reject('invalid', 'nothing that this device can set', 'state');
  return mirrorTarget(wanted);
}

/** Clients know the setpoint under two names (wire-facts 1.1); both are always served. */
function mirrorTarget(values: AttributeValues): AttributeValues {
  const target = values['targetTemperature'] ?? values['targetTemp'];
  return target === undefined ? values : { ...values, targetTemp: target, targetTemperature: target };
}

/**
 * What a report changes on a device: its attributes that differ, presses always, and the times that go with
 * pulses. Values that the attribute cannot have are left out.
 * @param at when the report was true, ms since the epoch.
 */
export function reportedChanges(device: StatefulDevice, reported: Readonly<Record<string, unknown>>, at: number): AttributeValues {
  const changes: AttributeValues = {};
  for (const [name, value] of Object.entries(mirrorTarget({ ...reported }))) {
    const schema = schemaOf(device, name);
    if (schema === undefined || name === 'lastSeen' || name === 'transitionMsec' || !isValid(schema, value)) continue;
    if (attribute(name)?.momentary || !sameValue(value, device.state[name])) changes[name] = value;
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
  const stamps: (AttributeName | undefined)[] = [
    value === true ? times.whenTrue : undefined,
    changed ? times.onChange : undefined,
    changed && value === true ? times.onRise : undefined,
    changed && value === false ? times.onFall : undefined,
  ];
  for (const stamp of stamps) {
    if (stamp !== undefined && reported[stamp] === undefined) changes[stamp] = at;
  }
}

function sameValue(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

/** True when any of these attributes is a pulse: the report is committed at once. */
export function hasPulse(names: Iterable<string>): boolean {
  for (const name of names) {
    if (Object.hasOwn(attributes, name) && attributes[name as AttributeName].cadence === 'pulse') return true;
  }
  return false;
}
