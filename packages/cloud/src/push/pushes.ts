import { limits } from "@ledge/model";
import { type Serialized, serializeOnce } from "@ledge/signalr";
import Type from "typebox";

const Id = Type.String();
/** ms since the epoch. */
const Time = Type.Integer();
const Opaque = Type.Record(Type.String(), Type.Unknown());

/**
 * The messages that the platform pushes, by type (platform-api 6). Each says the whole current state of
 * something, never a change.
 */
export const pushes = {
  /** First in every fetch and stream, and after `limits.pushHeartbeatMs` of silence. */
  HeartbeatPush: Type.Object({ type: Type.Literal("HeartbeatPush"), at: Time }),
  /** A device of a register. `state` is the device as its hub serves it; null when there is none, or not any more. */
  DeviceStateDeviceRegisterPush: Type.Object({
    type: Type.Literal("DeviceStateDeviceRegisterPush"),
    deviceRegisterId: Id,
    deviceId: Id,
    name: Type.String(),
    deviceType: Type.String(),
    capabilities: Type.Array(Type.String()),
    /** The rooms of the device, by id. */
    room: Type.Array(Type.String()),
    state: Type.Union([Opaque, Type.Null()]),
    /** Whether the hub reaches the device; null when the hub has not said. */
    reachable: Type.Union([Type.Boolean(), Type.Null()]),
    /** Whether the register has the device no more, or hides it from the reader. */
    removed: Type.Boolean(),
    /** When the device last changed, by the clock of its hub. */
    timestamp: Time,
  }),
  /** Ends a snapshot of a register: every device was pushed before it. */
  SnapshotDeviceRegisterPush: Type.Object({
    type: Type.Literal("SnapshotDeviceRegisterPush"),
    deviceRegisterId: Id,
    devices: Type.Integer(),
  }),
  /** The subscription has ended because the user may not read the register any more. */
  ReleasedDeviceRegisterPush: Type.Object({
    type: Type.Literal("ReleasedDeviceRegisterPush"),
    deviceRegisterId: Id,
    reason: Type.String(),
  }),
  /** Whether a hub is connected to the platform, and since when. */
  PresenceHubPush: Type.Object({
    type: Type.Literal("PresenceHubPush"),
    hubId: Id,
    connected: Type.Boolean(),
    version: Type.String(),
    /** When that changed; null when it has not changed since the platform started. */
    since: Type.Union([Time, Type.Null()]),
  }),
  /** An alarm of a hub (USER_ALARM of the hub API). */
  AlarmHubPush: Type.Object({
    type: Type.Literal("AlarmHubPush"),
    hubId: Id,
    alarm: Opaque,
    removed: Type.Boolean(),
  }),
  /** The subscription has ended because the user may not read the hub any more. */
  ReleasedHubPush: Type.Object({ type: Type.Literal("ReleasedHubPush"), hubId: Id, reason: Type.String() }),
  /** An entity of a site; null when there is none at the path, or not any more. `movedFrom` is its path before. */
  EntitySitePush: Type.Object({
    type: Type.Literal("EntitySitePush"),
    siteId: Id,
    path: Type.String(),
    entity: Type.Union([Opaque, Type.Null()]),
    removed: Type.Boolean(),
    movedFrom: Type.Optional(Type.String()),
  }),
  /** The subscription has ended because the user may not read the site any more, or the site is gone. */
  ReleasedSitePush: Type.Object({
    type: Type.Literal("ReleasedSitePush"),
    siteId: Id,
    reason: Type.String(),
  }),
  /** An operation whose state has changed. */
  StateOperationPush: Type.Object({ type: Type.Literal("StateOperationPush"), operation: Opaque }),
} as const;

export type PushType = keyof typeof pushes;

/** A push (platform-api 2.1). */
export type Push = { [Name in PushType]: Type.Static<(typeof pushes)[Name]> }[PushType];

/** A push as clients get it, serialised at most once for all of them. */
export class PushMessage {
  readonly push: Push;
  #json: string | undefined;
  #item: Serialized | undefined;

  constructor(push: Push) {
    this.push = push;
  }

  /** The envelope (platform-api 2.1) as JSON. */
  get json(): string {
    return (this.#json ??= JSON.stringify({ push: this.push }));
  }

  /** The envelope as an item of a stream. */
  get item(): Serialized {
    return (this.#item ??= serializeOnce({ push: this.push }));
  }
}

/** Returns the push that shows a reader that the connection lives. */
export function heartbeat(now: number): PushMessage {
  return new PushMessage({ type: "HeartbeatPush", at: now });
}

/** What a session of a fetch is named by (platform-api 2.2). */
export const SessionId = Type.String({ minLength: 1, maxLength: limits.sessionIdChars });
