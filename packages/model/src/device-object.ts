import Type from "typebox";
import type { DeviceClass } from "./capability.ts";
import { Id, StringSet } from "./schema.ts";

/** The device object of hub-api 2.5 and wire-facts 1.3. `groups` has all its groups, oldest first. */
export const Device = Type.Object({
  type: Type.String(),
  id: Id,
  name: Type.String(),
  capabilities: StringSet,
  room: Type.Array(Id),
  groups: Type.Array(Id),
  zones: Type.Array(Id),
  manufacturer: Type.Union([Type.String(), Type.Null()]),
  model: Type.Union([Type.String(), Type.Null()]),
  description: Type.Null(),
  deviceType: Type.Null(),
  rwx: Type.Integer(),
  visible: Type.Boolean(),
  /** Whether it is for hot water; missing until somebody has set it. */
  hotWater: Type.Optional(Type.Boolean()),
  state: Type.Object(
    { type: Type.String(), reachable: Type.Boolean(), lastSeen: Type.Union([Type.Integer(), Type.Null()]) },
    { additionalProperties: true },
  ),
  timestamp: Type.Integer(),
});
export type Device = Omit<Type.Static<typeof Device>, "type" | "state"> & {
  type: DeviceClass;
  state: Readonly<Record<string, unknown>>;
};

declare module "./states.ts" {
  interface States {
    device: Device;
  }
}
