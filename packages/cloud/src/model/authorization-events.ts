import { defineEvent, type EventOf, personal, telemetry } from "@ledge/model";
import Type from "typebox";

/** Each event is about a hub: `id` is the hub's. Users are accounts. */
const HubClaimed = personal(
  defineEvent("HubClaimed", 1, {
    owner: Type.String(),
    /** Network address that the hub called from; older logs lack it. */
    from: Type.Optional(Type.String()),
  }),
  { from: "" },
);
const HubReleased = defineEvent("HubReleased", 1, {});
const UserInvited = defineEvent("UserInvited", 1, {
  user: Type.String(),
  role: Type.Integer(),
  by: Type.String(),
  codeDigest: Type.String(),
  expires: Type.Integer(),
});
const InvitationWithdrawn = defineEvent("InvitationWithdrawn", 1, { user: Type.String() });
const InvitationAccepted = defineEvent("InvitationAccepted", 1, {
  user: Type.String(),
  role: Type.Integer(),
});
const RoleChanged = defineEvent("RoleChanged", 1, { user: Type.String(), role: Type.Integer() });
const AccessRevoked = defineEvent("AccessRevoked", 1, { user: Type.String() });
const OwnershipOffered = defineEvent("OwnershipOffered", 1, {
  to: Type.String(),
  codeDigest: Type.String(),
  expires: Type.Integer(),
});
const OfferWithdrawn = defineEvent("OfferWithdrawn", 1, {});
/** The former owner becomes an admin. */
const OwnershipTransferred = defineEvent("OwnershipTransferred", 1, { to: Type.String() });
/** Sets the list number after a restore, because the log does not know the last one in use. */
const ListRenumbered = defineEvent("ListRenumbered", 1, { seq: Type.Integer() });
const AuthorizationsSeen = telemetry(defineEvent("AuthorizationsSeen", 1, { seq: Type.Integer() }), () => [
  "seen",
]);

export const authorizationEvents = [
  HubClaimed,
  HubReleased,
  UserInvited,
  InvitationWithdrawn,
  InvitationAccepted,
  RoleChanged,
  AccessRevoked,
  OwnershipOffered,
  OfferWithdrawn,
  OwnershipTransferred,
  ListRenumbered,
  AuthorizationsSeen,
] as const;

export type AuthorizationEvent = EventOf<(typeof authorizationEvents)[number]>;
