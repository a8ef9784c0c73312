import type { Capability, DeviceClass, ExtraDescription } from "@ledge/model";
import { attribute, isExtra, capabilities as knownCapabilities } from "@ledge/model";
import type { DeviceDescription } from "@ledge/port";
import { refuseSetting } from "@ledge/port";
import type { MappedPoint } from "./map-point.ts";
import { mapPoint } from "./map-point.ts";
import type { Point } from "./point.ts";
import type { PointSettings } from "./point-settings.ts";
import type { PlainSettings } from "./settings.ts";

/** A device as it is polled and announced. `pollMs`: its shortest interval. */
export interface DeviceMap {
  readonly address: number;
  readonly pollMs: number;
  readonly points: readonly Point[];
  readonly description: DeviceDescription;
}

/**
 * Validates a device's settings and maps them to points and a description.
 * @param port the name of its line, the first part of its native id.
 * @param path where the settings are, for errors.
 * @throws AdapterError `settings`
 */
export function mapDevice(port: string, device: PlainSettings, path: string): DeviceMap {
  const deviceClass = classOf(device);
  const mapped: MappedPoint[] = [];
  const taken = new Set<string>();
  for (const [index, settings] of pointsOf(device, path).entries()) {
    const at = "points" in device ? `${path}.points[${index}]` : path;
    if (taken.has(settings.attribute))
      return refuseSetting(`${at}.attribute`, `"${settings.attribute}" already has a point`);
    taken.add(settings.attribute);
    mapped.push(mapPoint(settings, deviceClass, device.pollMs, at));
  }
  const given = "capabilities" in device ? device.capabilities : undefined;
  const points = mapped.map(({ point }) => point);
  const capabilities = given === undefined ? derived(mapped) : checkedCapabilities(given, points, path);
  const stateExtras = mapped.flatMap(({ extra }): ExtraDescription[] => (extra === undefined ? [] : [extra]));
  return {
    address: device.address,
    pollMs: Math.min(...points.map((point) => point.pollMs)),
    points,
    description: {
      ...(stateExtras.length > 0 && { stateExtras }),
      native: `${port}/${device.id}`,
      radio: port,
      class: deviceClass,
      capabilities,
      name: device.name,
      manufacturer: device.manufacturer ?? null,
      model: device.model ?? null,
    },
  };
}

function classOf(device: PlainSettings): DeviceClass {
  if (device.deviceType === "RELAY") return "POWER_SOCKET";
  return device.deviceType === "REGISTERS" ? device.class : device.deviceType;
}

/**
 * Describes every kind of device as points. `normallyOff: false`: the device is on while its register is 0.
 */
function pointsOf(device: PlainSettings, path: string): readonly PointSettings[] {
  if ("points" in device) return device.points;
  const { register, registerType: table, normallyOff = true } = device;
  const output = device.deviceType === "RELAY" || (device.output ?? table === "coil");
  if (output && table === "discrete") refuseSetting(`${path}.output`, "a discrete input cannot be written");
  const type = table === "holding" ? { type: "bool" as const } : {};
  return [{ attribute: "isOn", table, register, ...type, inverted: !normallyOff, writable: output }];
}

function derived(points: readonly MappedPoint[]): Capability[] {
  return [...new Set<Capability>(["DEVICE", ...points.flatMap(({ capabilities }) => capabilities)])];
}

function checkedCapabilities(given: readonly string[], points: readonly Point[], path: string): Capability[] {
  const names: readonly string[] = knownCapabilities;
  const unknown = given.findIndex((name) => !names.includes(name));
  if (unknown >= 0)
    refuseSetting(`${path}.capabilities[${unknown}]`, `"${given[unknown]}" is not a capability`);
  for (const { attribute: name, writable } of points) {
    if (isExtra(name)) continue;
    const settableBy: readonly string[] = attribute(name)?.settableBy ?? [];
    if (writable && !settableBy.some((capability) => given.includes(capability))) {
      refuseSetting(`${path}.capabilities`, `one of ${settableBy.join(", ")} is needed to set ${name}`);
    }
  }
  return [...new Set(["DEVICE", ...given])] as Capability[];
}
