import type { DeviceRow } from "@ledge/fleet";
import { newDevice } from "@ledge/model";

const [rooms, things] = [
  [
    "Kitchen",
    "Hall",
    "Cellar",
    "Attic",
    "Office",
    "Stairs",
    "Garage",
    "Sauna",
    "Porch",
    "Bath",
    "Corridor",
    "Lobby",
  ],
  [
    "lamp",
    "switch",
    "thermostat",
    "valve",
    "motion sensor",
    "door contact",
    "socket",
    "blind",
    "meter",
    "siren",
  ],
] as const;
const types = ["LIGHT", "SWITCH", "THERMOSTAT", "SENSOR"] as const;

/** Returns the id of the device with this number. */
export const idOf = (index: number): string => `zb-${index.toString(16).padStart(8, "0")}`;

/** Returns a number that no other device of its register has in a text. */
export const serialOf = (index: number): string =>
  `SN${String((index * 7919) % 10_000_000).padStart(7, "0")}X`;

/** Returns the name of a device; one in twelve has the same room, one in 120 also the same thing. */
export function nameOf(index: number): string {
  return `${rooms[index % rooms.length]} ${things[Math.floor(index / rooms.length) % things.length]} ${index}`;
}

/** Returns a device as a hub tells it, with about 500 bytes of JSON. */
export function rowOf(register: string, source: string, index: number): DeviceRow {
  const [id, name, type] = [idOf(index), nameOf(index), types[index % types.length] ?? "SENSOR"];
  const capabilities = ["DEVICE", "ON_OFF", ...(index % 2 === 0 ? ["BRIGHTNESS"] : [])];
  const [manufacturer, model] = [`Maker ${index % 40}`, `M-${index % 700}`];
  const timestamp = 1_790_000_000_000 + index;
  const state = { type: `STATE_${type}`, isOn: index % 3 === 0, reachable: true, lastSeen: timestamp };
  const content = { class: type, capabilities, manufacturer, model, extras: {} };
  return {
    kind: "device",
    register,
    id,
    source,
    timestamp,
    device: {
      id,
      isActive: true,
      name,
      type,
      capabilities,
      createdAt: timestamp,
      modifiedAt: timestamp,
      createdBy: "",
      modifiedBy: "",
      routing: { gatewayId: register, protocol: "ZIGBEE" },
      nativeId: `0x${(index * 2_654_435_761).toString(16).padStart(16, "0")}`,
      serialNumber: serialOf(index),
      model,
      manufacturer,
      tags: { floor: String(index % 9) },
    },
    object: { ...newDevice({ id, name, ...content }, timestamp), state },
  };
}
