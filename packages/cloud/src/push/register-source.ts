import type { Bus, DeviceRow, RegisterStore } from "@ledge/fleet";
import { roles } from "@ledge/model";
import { gives } from "../graph/rights.ts";
import { reportedState } from "../registers/reported-state.ts";
import { followRows } from "../registers/row-news.ts";
import { type Push, PushMessage } from "./pushes.ts";
import type { Item, Source } from "./source.ts";

/** What the sources about hubs and their registers need. */
export interface RegisterParts {
  readonly registers: Pick<RegisterStore, "get" | "scan">;
  readonly bus: Pick<Bus, "subscribe">;
  /** Returns the role by which a user sees a hub or a register; undefined without access. */
  readonly roleOf: (user: string, id: string) => number | undefined;
  /** Returns the platform's time (ms since the epoch). */
  readonly now: () => number;
}

/** The devices of a register. */
export class RegisterSource implements Source {
  readonly #parts: RegisterParts;

  constructor(parts: RegisterParts) {
    this.#parts = parts;
  }

  follow(id: string, changed: (item: string) => Promise<void>): () => void {
    return followRows(this.#parts.bus, id, "device", changed);
  }

  async read(register: string, id: string): Promise<Item> {
    const row = await this.#parts.registers.get({ register, kind: "device", id });
    if (row?.kind === "device") return itemOf(row);
    // Nobody can tell whether it was hidden: only who has seen it learns that it is gone.
    const gone = new PushMessage(removedDevice(register, id, this.#parts.now()));
    return { id, message: gone, hidden: gone };
  }

  async *snapshot(register: string): AsyncIterable<Item> {
    for await (const row of this.#parts.registers.scan(register, "device"))
      if (row.kind === "device") yield itemOf(row);
  }

  complete(deviceRegisterId: string, devices: number): PushMessage {
    return new PushMessage({ type: "SnapshotDeviceRegisterPush", deviceRegisterId, devices });
  }

  reads(user: string, register: string): "all" | "visible" | undefined {
    return readsOf(this.#parts.roleOf(user, register));
  }

  released(deviceRegisterId: string, reason: string): PushMessage {
    return new PushMessage({ type: "ReleasedDeviceRegisterPush", deviceRegisterId, reason });
  }
}

/** Returns what a role at a hub lets its bearer read there (hub-api 5.3). */
export function readsOf(role: number | undefined): "all" | "visible" | undefined {
  if (!gives(role, "R")) return undefined;
  return role === roles.REMOTE_GUEST ? "visible" : "all";
}

function itemOf({ register, id, device, object, timestamp }: DeviceRow): Item {
  const state = reportedState({ object });
  const reachable = state?.["reachable"];
  const room = object?.["room"];
  const gone = removedDevice(register, id, timestamp);
  const message = new PushMessage({
    ...gone,
    name: device.name,
    deviceType: device.type,
    capabilities: [...device.capabilities],
    room: Array.isArray(room) ? room.filter((one) => typeof one === "string") : [],
    state,
    reachable: typeof reachable === "boolean" ? reachable : null,
    removed: false,
  });
  return object?.["visible"] === false ? { id, message, hidden: new PushMessage(gone) } : { id, message };
}

/** Returns the push of a device that a register has no more, or hides from a reader. */
export function removedDevice(
  deviceRegisterId: string,
  deviceId: string,
  timestamp: number,
): Extract<Push, { type: "DeviceStateDeviceRegisterPush" }> {
  return {
    type: "DeviceStateDeviceRegisterPush",
    deviceRegisterId,
    deviceId,
    name: "",
    deviceType: "",
    capabilities: [],
    room: [],
    state: null,
    reachable: null,
    removed: true,
    timestamp,
  };
}
