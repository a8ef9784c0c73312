import type { Command } from "../../api/rows.ts";
import type { Device } from "../../store/wire.ts";

/** What of a device many may be changed at once. */
export type Changeable = Pick<Device, "id" | "name" | "room" | "zones">;

/** The commands of a change of many devices, and those that take it back. Devices that have it already are left out. */
export interface Bulk {
  readonly commands: readonly Command[];
  readonly back: readonly Command[];
}

type Meta = Partial<Pick<Changeable, "name" | "room" | "zones">>;

function bulkOf(devices: readonly Changeable[], wanted: (device: Changeable) => Meta | undefined): Bulk {
  const changes = devices.flatMap((device) => {
    const meta = wanted(device);
    if (meta === undefined) return [];
    const fields = Object.keys(meta) as (keyof Meta)[];
    const before = Object.fromEntries(fields.map((field) => [field, device[field]]));
    const [to, from] = [meta, before].map((some) => ({ type: "CMD_DEVICE_META", id: device.id, ...some }));
    return to && from ? [{ to, from }] : [];
  });
  return { commands: changes.map(({ to }) => to), back: changes.map(({ from }) => from) };
}

/** Puts devices into a room. @param room its id; empty for none */
export function movedTo(room: string, devices: readonly Changeable[]): Bulk {
  const rooms = room === "" ? [] : [room];
  return bulkOf(devices, (device) => (device.room.join() === rooms.join() ? undefined : { room: rooms }));
}

/** Puts devices into a zone, or takes them out. */
export function zoned(zone: string, isIn: boolean, devices: readonly Changeable[]): Bulk {
  return bulkOf(devices, ({ zones }) => {
    if (zones.includes(zone) === isIn) return undefined;
    return { zones: isIn ? [...zones, zone] : zones.filter((each) => each !== zone) };
  });
}

/**
 * Replaces a part of the names of devices, whatever its case; a name that would be empty stays as it is. An empty `find`
 * puts `replace` in front.
 */
export function renamed(find: string, replace: string, devices: readonly Changeable[]): Bulk {
  return bulkOf(devices, ({ name }) => {
    const to = replaced(name, find, replace).replaceAll(/\s+/g, " ").trim();
    return to === name || to === "" ? undefined : { name: to };
  });
}

function replaced(name: string, find: string, replace: string): string {
  if (find === "") return replace + name;
  const escaped = find.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return name.replaceAll(new RegExp(escaped, "giu"), () => replace);
}
