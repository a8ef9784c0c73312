import type { DeviceRow } from "@ledge/fleet";
import { limits } from "@ledge/model";
import Type from "typebox";
import { NewTags } from "./tags.ts";

/** The id of a device in a register. Devices of hubs keep their ids there, which need not be as people may choose. */
export const DeviceId = Type.String({ minLength: 1, maxLength: limits.idChars });

/** The id of a device that a person adds (platform-api 2.4). */
export const NewDeviceId = Type.String({
  minLength: limits.newDeviceIdMinChars,
  maxLength: limits.newDeviceIdMaxChars,
  pattern: "^([a-z0-9-_])+$",
});

/** The field of a message about a device of a register. */
export const ofDevice = { deviceId: DeviceId };

const Way = Type.Union([Type.String({ maxLength: limits.deviceTextChars }), Type.Null()]);
const Routing = Type.Object({ gatewayId: Way, protocol: Way });

/** A device of a register. Times are ms since the epoch; `createdBy` and `modifiedBy` are ids of accounts. */
export const GraphDevice = Type.Object({
  id: Type.String(),
  isActive: Type.Boolean(),
  name: Type.String(),
  type: Type.String(),
  capabilities: Type.Array(Type.String()),
  createdAt: Type.Integer(),
  modifiedAt: Type.Integer(),
  createdBy: Type.String(),
  modifiedBy: Type.String(),
  routing: Routing,
  nativeId: Type.String(),
  serialNumber: Type.String(),
  model: Type.String(),
  manufacturer: Type.String(),
  tags: Type.Record(Type.String(), Type.String()),
});
export type GraphDevice = Type.Static<typeof GraphDevice>;

const DeviceType = Type.String({ minLength: 1, maxLength: limits.deviceTextChars });
const Text = Type.Optional(Type.String({ maxLength: limits.deviceTextChars }));

/** What replaces the metadata of a device. `isActive` left out stays, other texts left out are empty. */
export const NewMetadata = Type.Object({
  name: Type.String({ minLength: 1, maxLength: limits.deviceTextChars, pattern: "\\S" }),
  isActive: Type.Optional(Type.Boolean()),
  type: Type.Optional(DeviceType),
  capabilities: Type.Optional(
    Type.Array(Type.String({ maxLength: limits.deviceTextChars }), { maxItems: limits.registerCapabilities }),
  ),
  routing: Type.Optional(Routing),
  nativeId: Text,
  serialNumber: Text,
  model: Text,
  manufacturer: Text,
  tags: NewTags,
});
export type NewMetadata = Type.Static<typeof NewMetadata>;

/** A device that a person adds. Texts left out are empty, and it is active. */
export const NewDevice = Type.Object({
  id: NewDeviceId,
  ...NewMetadata.properties,
  type: DeviceType,
});
export type NewDevice = Type.Static<typeof NewDevice>;

/** A hub that becomes a gateway (platform-api 2.4): its serial number is the hub's id. */
export const NewGateway = Type.Object({
  serialNumber: Type.String({ minLength: 2, maxLength: limits.deviceTextChars }),
  /** Left out, the hub's own name. */
  name: Type.Optional(Type.String({ minLength: 3, maxLength: limits.deviceTextChars })),
  model: Text,
  manufacturer: Text,
  tags: NewTags,
});
export type NewGateway = Type.Static<typeof NewGateway>;

/** Returns a device as the users of its register see it. */
export function deviceObject({ device }: DeviceRow): GraphDevice {
  const { capabilities, routing, tags, ...rest } = device;
  return { ...rest, capabilities: [...capabilities], routing: { ...routing }, tags: { ...tags } };
}
