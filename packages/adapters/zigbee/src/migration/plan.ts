import type { AdapterLog, NativeId } from "@ledge/port";
import { refuseSetting } from "@ledge/port";
import type { Models } from "zigbee-herdsman";
import { KnownModel } from "../map/known-model.ts";
import type { Unit } from "../map/index.ts";
import { partName, unitsOf } from "../map/index.ts";
import { logOfLibrary } from "../network/library-log.ts";
import { factsOf } from "../node.ts";
import type { DeviceEntry } from "./database.ts";
import { isUnderstood } from "./database.ts";
import type { Migration } from "./zigbee2mqtt.ts";

/** What an import does, for users: nothing secret. */
export interface ImportPlan {
  readonly channel: number;
  readonly panId: number;
  readonly extendedPanId: string;
  /** Whether the network can be put onto another stick of the same kind. */
  readonly hasBackup: boolean;
  readonly devices: readonly PlannedDevice[];
  readonly groups: readonly PlannedGroup[];
  /** Devices that the other program has not understood: the next scan finds them. */
  readonly later: readonly { readonly ieee: string; readonly name: string | null }[];
}

/** A unit that becomes a device of the hub. */
export interface PlannedDevice {
  readonly native: NativeId;
  readonly name: string;
  readonly class: string;
  readonly capabilities: readonly string[];
  readonly manufacturer: string | null;
  readonly model: string | null;
}

export interface PlannedGroup {
  readonly address: number;
  readonly name: string;
  readonly members: readonly NativeId[];
}

/**
 * Returns what an import of a migration does. Talks to nothing.
 * @throws AdapterError `settings` when an entry of the database makes no sense to the library
 */
export async function planOf(migration: Migration, log: AdapterLog): Promise<ImportPlan> {
  const { network, backup, names } = migration;
  await logOfLibrary(log);
  const units = new Map<string, readonly Unit[]>();
  const understood = migration.devices.filter(isUnderstood);
  for (const entry of understood) units.set(entry.ieeeAddr, await unitsIn(entry, log));
  const devices = [...units].flatMap(([ieee, parts]) =>
    parts.map((unit, index): PlannedDevice => {
      const { native, class: type, capabilities, manufacturer, model } = unit;
      const name = partName(names.get(ieee) ?? unit.name, names.has(ieee) ? index : 0);
      return { native, name, class: type, capabilities, manufacturer, model };
    }),
  );
  const groups = migration.groups.map(({ groupID, name, members }) => ({
    address: groupID,
    name: partName(name, 0),
    members: members.flatMap(({ deviceIeeeAddr, endpointID }) =>
      (units.get(deviceIeeeAddr) ?? []).flatMap(({ native, endpoints }) =>
        endpoints.some(({ id }) => id === endpointID) ? [native] : [],
      ),
    ),
  }));
  const later = migration.devices
    .filter((entry) => !isUnderstood(entry))
    .map(({ ieeeAddr: ieee }) => ({ ieee, name: names.get(ieee) ?? null }));
  const { channel, panId, extendedPanId } = network;
  return { channel, panId, extendedPanId, hasBackup: backup !== undefined, devices, groups, later };
}

/** The library's devices can be made from entries without a network, but only by a private method. */
interface DeviceMaker {
  fromDatabaseEntry(entry: DeviceEntry): Models.Device;
}

async function unitsIn(entry: DeviceEntry, log: AdapterLog): Promise<readonly Unit[]> {
  const { Device } = await import("zigbee-herdsman/dist/controller/model/index.js");
  try {
    const device = (Device as unknown as DeviceMaker).fromDatabaseEntry(structuredClone(entry));
    const model = await KnownModel.of(device, { log, said: () => {}, changed: () => {} });
    return unitsOf(factsOf(device), model?.facts);
  } catch (error) {
    return refuseSetting(
      "database.db",
      `the device ${entry.ieeeAddr} makes no sense: ${(error as Error).message}`,
    );
  }
}
