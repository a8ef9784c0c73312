import { defineEvent, type EventOf, orNull } from "@ledge/model";
import Type from "typebox";

const Settings = Type.Object({
  url: Type.String(),
  method: Type.Enum(["POST", "PUT"]),
  headers: Type.Record(Type.String(), Type.String()),
  requestTimeoutSeconds: orNull(Type.Number()),
  fetchMaxEvents: Type.Integer(),
  fetchWaitMaxMs: Type.Integer(),
});

const targetId = Type.String();
const secret = Type.String();
const EgressTargetCreated = defineEvent(
  "EgressTargetCreated",
  1,
  { targetId, settings: Settings, isEnabled: Type.Boolean(), secret },
  ["settings", "secret"],
);
const EgressTargetUpdated = defineEvent(
  "EgressTargetUpdated",
  1,
  { targetId, settings: Settings, isEnabled: Type.Boolean() },
  ["settings"],
);
const EgressSecretRotated = defineEvent("EgressSecretRotated", 1, { targetId, secret }, ["secret"]);
const EgressTargetDeleted = defineEvent("EgressTargetDeleted", 1, { targetId });
/** The site is gone, and its targets with it. */
const EgressClosed = defineEvent("EgressClosed", 1, {});

export type EgressEvent =
  | EventOf<typeof EgressTargetCreated>
  | EventOf<typeof EgressTargetUpdated>
  | EventOf<typeof EgressSecretRotated>
  | EventOf<typeof EgressTargetDeleted>
  | EventOf<typeof EgressClosed>;

/** The events of egress targets. */
export const egressEvents = [
  EgressTargetCreated,
  EgressTargetUpdated,
  EgressSecretRotated,
  EgressTargetDeleted,
  EgressClosed,
] as const;
