import type { Entity, Wanted } from "./entity.ts";
import { can, has, onOffOf } from "./entity.ts";

type Json = Readonly<Record<string, unknown>>;

export function lockOf({ places, takes }: Wanted): readonly Entity[] {
  if (!takes("locked")) return [];
  const value = "value_json['locked']";
  const config = {
    state_topic: places.state,
    value_template: `{{ 'None' if ${value} is none else 'LOCKED' if ${value} else 'UNLOCKED' }}`,
    command_topic: places.setPart("lock"),
  };
  return [{ component: "lock", key: "lock", name: null, config }];
}

/** Returns the attributes that a word to a lock sets, or why not. */
export function lockCommand(text: string): Json | string {
  if (text === "LOCK") return { locked: true };
  return text === "UNLOCK" ? { locked: false } : "must be LOCK or UNLOCK";
}

export function sirenOf({ device, places, takes }: Wanted): readonly Entity[] {
  const attribute = has(device, "sirenOn") ? "sirenOn" : "isOn";
  if (!can(device, "GENERATE_ALERT") || !takes(attribute)) return [];
  const config = {
    state_topic: places.state,
    state_value_template: onOffOf(attribute),
    command_topic: places.setOne(attribute),
    command_template: "{{ value }}",
    support_duration: false,
    support_volume_set: false,
  };
  return [{ component: "siren", key: "siren", name: null, config }];
}

/** Makes a device show which one it is. */
export function identifyOf({ device, places, takes }: Wanted): readonly Entity[] {
  if (!can(device, "IDENTIFY") || !takes("identify")) return [];
  const config = {
    command_topic: places.setOne("identify"),
    payload_press: "ON",
    device_class: "identify",
    entity_category: "config",
  };
  return [{ component: "button", key: "identify", name: "Identify", config }];
}
