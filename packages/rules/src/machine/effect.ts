import type { AlarmFacts, AlarmKind, Device, DriveClass } from "@ledge/model";
import { isSettable } from "@ledge/model";

/** The subject of an alarm. */
export type AlarmSource = Pick<Device, "id" | "name"> & Partial<Pick<Device, "visible">>;

/** What a machine wants done. Effects name devices, never radios; commands are absolute. */
export type Effect =
  | {
      readonly do: "set";
      readonly device: string;
      readonly attributes: Readonly<Record<string, unknown>>;
      /** The class of the command, if not that of the rule's template. */
      readonly class?: DriveClass;
    }
  /** Ends the holds of people and scenes on a device for this rule. */
  | { readonly do: "free"; readonly device: string }
  | { readonly do: "scene"; readonly scene: string; readonly on: boolean }
  | { readonly do: "rule"; readonly rule: string; readonly on: boolean }
  | {
      readonly do: "raise";
      readonly alarm: AlarmKind;
      /** The device or radio that the alarm is about; by default the rule itself. */
      readonly about?: AlarmSource;
      readonly facts?: AlarmFacts;
      /** Its facts name devices that guests may not see. */
      readonly hidden?: boolean;
    }
  | { readonly do: "close"; readonly alarm: AlarmKind; readonly about?: AlarmSource }
  | { readonly do: "snapshot"; readonly device: string }
  /** Writes a line to the rule's log. */
  | { readonly do: "log"; readonly text: string };

/** Sets attributes on devices; leaves out those that a device cannot set. */
export function set(
  devices: readonly Device[],
  attributes: Readonly<Record<string, unknown>>,
): readonly Effect[] {
  return devices.flatMap((device) => {
    const able = Object.entries(attributes).filter(([name]) => isSettable(device, name));
    if (able.length === 0) return [];
    return [{ do: "set", device: device.id, attributes: Object.fromEntries(able) } as const];
  });
}

/**
 * Turns devices on or off, each in its own way: a valve opens, a fan or ventilation unit runs at its lowest
 * speed, anything else is switched.
 */
export function turn(devices: readonly Device[], on: boolean): readonly Effect[] {
  return devices.flatMap((device) => {
    if (isSettable(device, "isOn")) return set([device], { isOn: on });
    if (isSettable(device, "openPct")) return set([device], { openPct: on ? 100 : 0 });
    const isUnit = device.capabilities.values.includes("VU");
    return set([device], { fanMode: on ? 1 : 0, ...(isUnit && { mode: on ? 1 : 0 }) });
  });
}

/** Turns sirens on or off. */
export function sound(sirens: readonly Device[], on: boolean): readonly Effect[] {
  return sirens.flatMap((siren) => set([siren], "sirenOn" in siren.state ? { sirenOn: on } : { isOn: on }));
}

/** Takes a picture with each camera. */
export function picture(cameras: readonly Device[]): readonly Effect[] {
  return cameras
    .filter(({ type }) => type === "CAMERA")
    .map(({ id }) => ({ do: "snapshot", device: id }) as const);
}

/** Turns lamps on at full brightness. */
export function light(lamps: readonly Device[]): readonly Effect[] {
  return set(lamps, { isOn: true, brightness: 1 });
}

/** Raises effects to class SAFETY, so that no hold keeps them away, although the rule is of another class. */
export function safely(effects: readonly Effect[]): readonly Effect[] {
  return effects.map((effect) => (effect.do === "set" ? { ...effect, class: "SAFETY" } : effect));
}

/** Turns lamps on at a level and, where possible, at the nearest colour temperature (K) that they have. */
export function shine(lamps: readonly Device[], brightness: number, kelvin: number): readonly Effect[] {
  return lamps.flatMap((lamp) => {
    const { minTemperature, maxTemperature } = lamp.state;
    const warmest = typeof minTemperature === "number" ? minTemperature : 0;
    const coldest = typeof maxTemperature === "number" ? maxTemperature : Infinity;
    const temperature = Math.min(coldest, Math.max(warmest, kelvin));
    return set([lamp], { isOn: true, brightness, temperature });
  });
}
