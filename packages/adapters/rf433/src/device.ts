import { type Capability, deviceClassOf, type ExtraDescription } from "@ledge/model";
import type { DeviceDescription, NativeId } from "@ledge/port";
import { type Kind, kinds } from "./kinds.ts";
import { capabilitiesOf, extrasOf } from "./readings.ts";
import { idOf, type Signal, type Values } from "./signal.ts";

/** A code that is a device, and what is known of it. */
export interface Coded {
  /** Part of the native id, after the name of the place. */
  readonly id: string;
  readonly name: string;
  readonly kind: Kind;
  readonly protocol: string;
  readonly address: string;
  /** Absent: all units of the address are this device. */
  readonly unit?: string;
  /** What a sensor has said so far. */
  readonly capabilities?: readonly Capability[];
  readonly extras?: readonly ExtraDescription[];
  /** The keys of a remote by what they send, in the order in which they were first heard. */
  readonly keys?: readonly string[];
  /** It has said the end of something itself, so nothing ends by itself. */
  readonly saysEnd?: true;
}

/** What a signal means to a device. */
export interface Heard {
  /** The device, which may have shown something new of itself. */
  readonly device: Coded;
  readonly values: Values;
  /** The number of a remote's key. */
  readonly button?: number;
}

const keysAtMost = 32;

/** Makes the device of a code that nobody has named. */
export function codedFrom({ protocol, address, unit }: Signal, kind: Kind): Coded {
  const isWhole = kind === "remote" || kind === "sensor" || unit === undefined;
  const parts = isWhole ? [protocol, address] : [protocol, address, unit];
  const shown = isWhole ? address : `${address}/${unit}`;
  return {
    id: `${kind === "remote" ? "remote." : ""}${parts.map(idOf).join(".")}`,
    name: `${kinds[kind].title} ${protocol} ${shown}`,
    kind,
    protocol,
    address,
    ...(!isWhole && { unit }),
  };
}

/** Returns what a signal means to a device; undefined when it is another's. */
export function heardBy(device: Coded, signal: Signal): Heard | undefined {
  const { protocol, address, unit } = device;
  if (protocol !== signal.protocol || !isSameAddress(address, signal.address)) return undefined;
  const isMine = unit === undefined || isSameAddress(unit, signal.unit ?? "") || signal.isForAll === true;
  if (!isMine) return undefined;
  if (device.kind === "remote") return pressed(device, signal);
  const { order } = signal;
  const values = { ...signal.values, ...(order !== undefined && kinds[device.kind].shows(order)) };
  return { device: grown(device, values), values };
}

/** A gateway writes addresses with and without zeros in front. */
function isSameAddress(one: string, other: string): boolean {
  return one === other || plainAddress(one) === plainAddress(other);
}

const plainAddress = (address: string): string => address.toLowerCase().replace(/^0+(?=.)/, "");

function pressed(device: Coded, { unit = "", order, word, values }: Signal): Heard | undefined {
  const said = word ?? (typeof order === "string" ? order : undefined);
  if (said === undefined && unit === "") return { device: grown(device, values), values };
  const key = `${unit} ${said ?? ""}`.trim();
  const { keys = [] } = device;
  const known = keys.indexOf(key);
  if (known >= 0) return { device: grown(device, values), values, button: known + 1 };
  if (keys.length >= keysAtMost) return { device, values };
  return { device: grown({ ...device, keys: [...keys, key] }, values), values, button: keys.length + 1 };
}

function grown(device: Coded, values: Values): Coded {
  const { capabilities = [], extras = [] } = device;
  const moreCapabilities = capabilitiesOf(values).filter((each) => !capabilities.includes(each));
  const moreExtras = extrasOf(values).filter(({ name }) => !extras.some((extra) => extra.name === name));
  const saysEnd = values["motion"] === false || values["alert"] === false;
  // A doorbell's `alert` is no smoke.
  const isKnown = device.kind === "doorbell" || moreCapabilities.length === 0;
  if (isKnown && moreExtras.length === 0 && (!saysEnd || device.saysEnd)) return device;
  return {
    ...device,
    capabilities: device.kind === "doorbell" ? capabilities : [...capabilities, ...moreCapabilities],
    extras: [...extras, ...moreExtras],
    ...((saysEnd || device.saysEnd) && { saysEnd: true }),
  };
}

/** Returns the device as the hub gets to know it. @param place the name of the gateway or receiver, which is its radio */
export function descriptionOf(place: string, device: Coded): DeviceDescription {
  const { kind, name, protocol, extras = [], keys = [] } = device;
  const row = kinds[kind];
  const all = new Set<Capability>(["DEVICE", ...row.capabilities, ...(device.capabilities ?? [])]);
  const capabilities = [...all];
  const own = {
    // The name that Home Assistant has for it.
    ...(row.isAssumed && { assumedState: true }),
    ...(kind === "remote" && {
      buttons: keys.map((label, index) => ({ type: "RC_BUTTON", id: index + 1, label })),
    }),
  };
  return {
    native: nativeOf(place, device),
    radio: place,
    class: row.class ?? deviceClassOf(capabilities),
    capabilities,
    name,
    manufacturer: null,
    model: protocol,
    ...(Object.keys(own).length > 0 && { extras: own }),
    ...(extras.length > 0 && { stateExtras: extras }),
  };
}

export function nativeOf(place: string, { id }: Coded): NativeId {
  return `${place}/${id}`;
}

/** Returns when a value of a device becomes false by itself, ms; undefined: never. */
export function restOf({ kind, saysEnd }: Coded, attribute: string): number | undefined {
  return saysEnd ? undefined : kinds[kind].rests?.[attribute];
}
