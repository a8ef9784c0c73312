import type { Decision, World } from "./decider.ts";
import { reject } from "./decider.ts";
import type { DeviceEvent } from "./device-events.ts";
import type { Device } from "./device-object.ts";
import { reportedChanges } from "./device-state.ts";
import { limits } from "./limits.ts";

/**
 * What a user's client does: `session` means it polls; `reachable` means it has polled within its
 * `awayThreshold`.
 * @param client the client's own stable id
 * @param at ms since the epoch
 */
export interface NoteUiDevice {
  readonly type: "NOTE_UI_DEVICE";
  readonly user: string;
  readonly client: string;
  readonly session: boolean;
  readonly reachable: boolean;
  readonly at: number;
}

/** A user interface is a device: one for each user on each client. */
export interface UiDevice {
  readonly id: string;
  readonly user: string;
  readonly client: string;
  readonly session: boolean;
  readonly reachable: boolean;
  /** When it last came or left, ms since the epoch. */
  readonly seen: number;
}

/** Returns how long (ms) a client may be silent before its user counts as away. */
export function awayThresholdOf(device: Device | undefined): number {
  const { awayThreshold } = (device ?? {}) as { readonly awayThreshold?: unknown };
  return typeof awayThreshold === "number" ? awayThreshold : limits.awayThresholdMs;
}

/** Returns the user interfaces among the devices. */
export function uiDevices(read: Pick<World, "all">): UiDevice[] {
  const found: UiDevice[] = [];
  for (const [id, { type, state, ...rest }] of read.all("device")) {
    if (type !== "UI_DEVICE") continue;
    const { session, reachable, user, lastSeen } = state;
    const { uuid } = rest as { readonly uuid?: unknown };
    found.push({
      id,
      user: String(user),
      client: String(uuid),
      session: session === true,
      reachable: reachable === true,
      seen: Number(lastSeen ?? 0),
    });
  }
  return found;
}

/** Notes a client's presence; adds its device, and removes the longest unused one at the limit. */
export function decideUiDevice(command: NoteUiDevice, world: World): Decision<DeviceEvent> {
  const { user, client, session, reachable, at } = command;
  const all = uiDevices(world);
  const known = all.find((device) => device.user === user && device.client === client);
  if (known !== undefined) {
    const attributes = reportedChanges(world.get("device", known.id) as Device, { session, reachable }, at);
    return Object.keys(attributes).length === 0
      ? []
      : [{ type: "DeviceReported", id: known.id, attributes, at }];
  }
  if (!session) return [];
  if (world.get("user", user)?.revoked !== false) return reject("not-found", `no user ${user}`);
  const own = all.filter((device) => device.user === user);
  const full = own.length >= limits.uiDevicesPerUser ? own : all.length >= limits.uiDevices ? all : [];
  const [oldest] = full.filter((device) => !device.session).toSorted((a, b) => a.seen - b.seen);
  if (full.length > 0 && oldest === undefined)
    return reject("invalid", `${full.length} clients are in use`, "client");
  const added = newUiDevice(command, world);
  if (oldest === undefined) return added;
  // Even a locked one, because it was added automatically.
  const groups = world.get("device", oldest.id)?.groups ?? [];
  return [...added, { type: "DeviceRemoved", id: oldest.id, groups }];
}

function newUiDevice({ user, client, at }: NoteUiDevice, world: World): DeviceEvent[] {
  if (world.size("device") >= limits.devices) return [];
  const id = world.newId();
  const content = {
    class: "UI_DEVICE",
    capabilities: ["DEVICE", "USER_PRESENCE"],
    manufacturer: null,
    model: null,
    extras: { uuid: client, awayThreshold: limits.awayThresholdMs },
  };
  return [
    { type: "DeviceAdded", id, name: `App ${client.slice(0, 8)}`, ...content },
    { type: "DeviceReported", id, attributes: { session: true, user }, at },
  ];
}
