import type { AlarmFacts, AlarmKind, Device, DriveClass } from "@ledge/model";
import { isSettable } from "@ledge/model";

/** What an alarm is about. */
export type AlarmSource = Pick<Device, "id" | "name"> & Partial<Pick<Device, "visible">>;

/** What a machine wants done. It names devices, never radios; commands are absolute (convention C5). */
export type Effect =
  | {
      readonly do: "set";
      readonly device: string;
      readonly attributes: Readonly<Record<string, unknown>>;
      /** Where it is not that of the rule's template. */
      readonly class?: DriveClass;
    }
  /** What people and scenes have set on a device binds the rule no longer. */
  | { readonly do: "free"; readonly device: string }
  | { readonly do: "scene"; readonly scene: string; readonly on: boolean }
  | { readonly do: "rule"; readonly rule: string; readonly on: boolean }
  | {
      readonly do: "raise";
      readonly alarm: AlarmKind;
      /** The device, or what devices share, that it is about; the rule itself unless said otherwise. */
      readonly about?: AlarmSource;
      readonly facts?: AlarmFacts;
      /** Its facts name devices of which guests are not told. */
      readonly hidden?: boolean;
    }
  | { readonly do: "close"; readonly alarm: AlarmKind; readonly about?: AlarmSource }
  | { readonly do: "snapshot"; readonly device: string }
  /** Something to be found in the rule's log. */
  | { readonly do: "log"; readonly text: string };

/** Devices with attributes. Those that cannot be set so are left out. */
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

/** Devices on or off, each in its own way: a valve opens, a fan or a ventilation unit runs at its lowest speed, all else is switched. */
export function turn(devices: readonly Device[], on: boolean): readonly Effect[] {
  return devices.flatMap((device) => {
    if (isSettable(device, "isOn")) return set([device], { isOn: on });
    if (isSettable(device, "openPct")) return set([device], { openPct: on ? 100 : 0 });
    const isUnit = device.capabilities.values.includes("VU");
    return set([device], { fanMode: on ? 1 : 0, ...(isUnit && { mode: on ? 1 : 0 }) });
  });
}

/** Sirens on or off. */
export function sound(sirens: readonly Device[], on: boolean): readonly Effect[] {
  return sirens.flatMap((siren) => set([siren], "sirenOn" in siren.state ? { sirenOn: on } : { isOn: on }));
}

/** A picture of each camera. */
export function picture(cameras: readonly Device[]): readonly Effect[] {
  return cameras
    .filter(({ type }) => type === "CAMERA")
    .map(({ id }) => ({ do: "snapshot", device: id }) as const);
}

/** Lamps at their brightest. */
export function light(lamps: readonly Device[]): readonly Effect[] {
  return set(lamps, { isOn: true, brightness: 1 });
}

/** What is about safety though its rule is not: nobody's hold keeps it away. */
export function safely(effects: readonly Effect[]): readonly Effect[] {
  return effects.map((effect) => (effect.do === "set" ? { ...effect, class: "SAFETY" } : effect));
}

/** Lamps on at a level and, those that can, in a white (K), as near to it as they come. */
export function shine(lamps: readonly Device[], brightness: number, kelvin: number): readonly Effect[] {
  return lamps.flatMap((lamp) => {
    const { minTemperature, maxTemperature } = lamp.state;
    const warmest = typeof minTemperature === "number" ? minTemperature : 0;
    const coldest = typeof maxTemperature === "number" ? maxTemperature : Infinity;
    const temperature = Math.min(coldest, Math.max(warmest, kelvin));
    return set([lamp], { isOn: true, brightness, temperature });
  });
}
