import type { Device } from "../../store/wire.ts";

/** What a chip shows only. */
export const chips = ["unreachable", "battery", "noRoom", "upgrade"] as const;
export type Chip = (typeof chips)[number];

/** What of a device decides whether a filter finds it. */
export type Findable = Pick<Device, "id" | "type" | "name" | "manufacturer" | "model" | "room" | "state">;

const lowBattery = 15;

/** Whether the battery of a device is nearly empty (%), or the device says so. */
export function isBatteryLow({ state }: Pick<Findable, "state">): boolean {
  const { battery, batteryLow } = state;
  return batteryLow === true || (typeof battery === "number" && battery <= lowBattery);
}

const holds: Readonly<Record<Exclude<Chip, "upgrade">, (device: Findable) => boolean>> = {
  unreachable: ({ state }) => state["reachable"] === false,
  battery: isBatteryLow,
  noRoom: ({ room }) => room.length === 0,
};

export function isChip(text: string | undefined): text is Chip {
  return chips.some((chip) => chip === text);
}

/** What is known of devices besides what they say themselves. */
interface Said {
  /** Returns the name of a room. */
  readonly roomOf: (id: string) => string;
  /** Returns what a class of devices is called. */
  readonly classOf: (type: string) => string;
  /** Whether newer firmware is there for a device, by its id. */
  readonly hasNewer: (id: string) => boolean;
}

/**
 * Returns the devices that a filter finds, in their order: those with every word of the text in name, room, class, maker
 * or model, and of the chip, if any.
 */
export function selected<T extends Findable>(
  devices: readonly T[],
  text: string,
  chip: Chip | undefined,
  { roomOf, classOf, hasNewer }: Said,
): readonly T[] {
  const isOf = chip === "upgrade" ? ({ id }: T) => hasNewer(id) : chip && holds[chip];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return devices.filter((device) => {
    if (isOf?.(device) === false) return false;
    if (words.length === 0) return true;
    const { type, name, manufacturer, model, room } = device;
    const said = [name, manufacturer, model, classOf(type), ...room.map(roomOf)].join(" ").toLowerCase();
    return words.every((word) => said.includes(word));
  });
}
