import Type from "typebox";
import type { Capability, DeviceClass } from "./capability.ts";
import { classExtras, deviceClasses } from "./capability.ts";
import type { Rejection } from "./decider.ts";
import { reject } from "./decider.ts";
import { unlockedRwx } from "./device-access.ts";
import type { Device } from "./device-object.ts";
import type { ExtraDescription, Extras } from "./extra.ts";
import { describedExtras, extrasProblem } from "./extra.ts";
import { limits } from "./limits.ts";

/** An adapter's description of a device. */
export interface DeviceContent {
  readonly class: DeviceClass;
  readonly capabilities: readonly Capability[];
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly extras: Readonly<Record<string, unknown>>;
  /** The `extras` of its state. */
  readonly stateExtras?: readonly ExtraDescription[];
}

const NullableString = Type.Union([Type.String(), Type.Null()]);

const StateExtras = Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown())));

/** A device's description as the first events held it. */
export const FirstContent = {
  class: Type.String(),
  capabilities: Type.Array(Type.String()),
  manufacturer: NullableString,
  model: NullableString,
  extras: Type.Record(Type.String(), Type.Unknown()),
};
/** What later events hold besides. */
export const LaterContent = { stateExtras: StateExtras };
/** A device's description as events hold it. */
export const Content = { ...FirstContent, ...LaterContent };
export type Content = Type.Static<Type.TObject<typeof Content>>;

/** The keys of every device, which adapters cannot set as extras. */
export const deviceKeys: ReadonlySet<string> = new Set([
  "type",
  "id",
  "name",
  "capabilities",
  "manufacturer",
  "model",
  "description",
  "deviceType",
  "room",
  "groups",
  "zones",
  "rwx",
  "visible",
  "hotWater",
  "state",
  "timestamp",
]);

/** Returns a description for an event: of a known class, and without what an adapter may not set. */
export function contentOf(said: DeviceContent): Content | Rejection {
  const { class: type, manufacturer, model, stateExtras = [] } = said;
  if (!Object.hasOwn(deviceClasses, type)) return reject("invalid", `no device class ${type}`, "class");
  const capabilities = [...new Set(said.capabilities)];
  const extras = Object.fromEntries(Object.entries(said.extras).filter(([key]) => !deviceKeys.has(key)));
  const problem = extrasProblem(stateExtras);
  if (problem !== undefined) return reject("invalid", problem, "stateExtras");
  const shown = stateExtras.length === 0 ? {} : { stateExtras: stateExtras.map((each) => ({ ...each })) };
  return (
    tooLong("manufacturer", manufacturer) ??
    tooLong("model", model) ??
    tooMany(capabilities) ??
    tooLarge(extras) ?? { class: type, capabilities, manufacturer, model, extras, ...shown }
  );
}

/** Refuses a name that is too long, from a source without a schema. */
export function tooLong(field: string, text: string | null): Rejection | undefined {
  if (text === null || text.length <= limits.nameChars) return undefined;
  return reject("invalid", `${field} has more than ${limits.nameChars} characters`, field);
}

function tooMany(capabilities: readonly string[]): Rejection | undefined {
  const most = limits.deviceCapabilities;
  const isTooLong = capabilities.some((name) => name.length > limits.nameChars);
  if (capabilities.length <= most && !isTooLong) return undefined;
  return reject(
    "invalid",
    `more than ${most} capabilities, or one with more than ${limits.nameChars} characters`,
    "capabilities",
  );
}

function tooLarge(extras: Readonly<Record<string, unknown>>): Rejection | undefined {
  if (JSON.stringify(extras).length <= limits.deviceExtrasChars) return undefined;
  return reject("invalid", `extras has more than ${limits.deviceExtrasChars} characters`, "extras");
}

/** The form of a class's state; the log may hold classes of another release. */
function formOf(type: DeviceClass): { readonly state: string; readonly keys: object } {
  return Object.hasOwn(deviceClasses, type) ? deviceClasses[type] : { state: `STATE_${type}`, keys: {} };
}

/** Returns the extras of a state as its part; the log may hold extras of another release. */
function extrasIn({ stateExtras = [] }: Content, before: Device["state"]): { extras?: Extras } {
  const shown = stateExtras as unknown as readonly ExtraDescription[];
  const extras = describedExtras(shown, before["extras"] as Extras | undefined);
  return extras === undefined ? {} : { extras };
}

/** Returns a device that has just been added. */
export function newDevice(
  { id, name, ...content }: Content & { id: string; name: string },
  timestamp: number,
): Device {
  const { manufacturer, model } = content;
  const type = content.class as DeviceClass;
  const { state, keys } = formOf(type);
  return {
    ...classExtras[type],
    ...content.extras,
    type,
    id,
    name,
    capabilities: { type: "SET", values: content.capabilities },
    room: [],
    groups: [],
    zones: [],
    manufacturer,
    model,
    description: null,
    deviceType: null,
    rwx: unlockedRwx,
    visible: true,
    state: { type: state, ...keys, reachable: true, lastSeen: null, ...extrasIn(content, {}) },
    timestamp,
  };
}

/** Returns a device with a new description by its adapter; what users have set stays. */
export function described(device: Device, content: Content): Device {
  const { manufacturer, model, extras } = content;
  const type = content.class as DeviceClass;
  const { state, keys } = formOf(type);
  const capabilities = { type: "SET", values: content.capabilities } as const;
  const { extras: _, ...had } = device.state;
  const missing = Object.fromEntries(Object.entries(keys).filter(([key]) => !(key in device.state)));
  return {
    ...classExtras[type],
    ...device,
    ...extras,
    type,
    capabilities,
    manufacturer,
    model,
    state: { ...had, ...missing, type: state, ...extrasIn(content, device.state) },
  };
}
