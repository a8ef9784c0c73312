import { type Capability, deviceClassOf } from "@ledge/model";
import type { DeviceDescription } from "@ledge/port";
import type { Lamp, Values } from "./lamp.ts";

/** A remote or a sensor of a bridge, whichever of its interfaces told of it. */
export interface Sensor {
  /** As in the bridge's first interface, such as `sensors/5`: the first of those that are one device. */
  readonly id: string;
  readonly kind: "sensor";
  readonly name: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly isReachable: boolean;
  /** What it measures, in attributes of the hub. */
  readonly values: Values;
  /** The numbers of its buttons, from 1; empty for one without. */
  readonly buttons: readonly number[];
}

/** Whatever is a device of the hub. */
export type Thing = Lamp | Sensor;

/** A button of a remote was pressed. */
export interface Press {
  /** Of the sensor. */
  readonly id: string;
  readonly button: number;
  readonly modifiers: readonly string[];
}

/** What each measured attribute takes to be shown. */
const capabilities: Readonly<Record<string, Capability>> = {
  motion: "MOTION",
  temperature: "TEMPERATURE",
  lux: "LUX",
  battery: "BATTERY_C",
};
const mostButtons = 32;
/** Of a dimmer switch; its buttons then have the ids and names that they have on other remotes. */
const dimmerLabels = ["On", "Brighter", "Darker", "Off"];

/** Returns the attributes that are values at all. */
export function measured(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Returns the light level of a bridge in lux: it is 10,000 times the logarithm, plus 1. */
export function luxOf(level: number | undefined): number | undefined {
  if (level === undefined) return undefined;
  return level === 0 ? 0 : Math.round(10 ** ((level - 1) / 10_000) * 10) / 10;
}

/** Returns the hub's description of a sensor. */
export function describeSensor(native: string, radio: string, sensor: Sensor): DeviceDescription {
  const { name, manufacturer, model, values } = sensor;
  const isRemote = sensor.buttons.length > 0;
  const has = Object.keys(values).flatMap((attribute) => capabilities[attribute] ?? []);
  const all: readonly Capability[] = ["DEVICE", ...(isRemote ? (["REMOTE_CONTROL"] as const) : []), ...has];
  const buttons = sensor.buttons.slice(0, mostButtons);
  const isDimmer = model?.startsWith("RWL") === true && buttons.length === dimmerLabels.length;
  const label = (id: number): string => (isDimmer && dimmerLabels[id - 1]) || `Button ${id}`;
  return {
    native,
    radio,
    class: isRemote ? "REMOTE_CONTROL" : deviceClassOf(all),
    capabilities: all,
    name,
    manufacturer,
    model,
    ...(isRemote && {
      extras: { buttons: buttons.map((id) => ({ type: "RC_BUTTON", id, label: label(id) })) },
    }),
  };
}

export function attributesOfSensor({ isReachable, values }: Sensor): Values {
  return { reachable: isReachable, ...values };
}
