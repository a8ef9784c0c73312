import { defineEvent, type EventOf, orNull, telemetry } from "@ledge/model";
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
/** The cloud has disabled a target. */
const EgressTargetStopped = defineEvent("EgressTargetStopped", 1, {
  targetId,
  reason: Type.Enum(["gone", "failing"]),
});
const EgressOwnersTold = defineEvent("EgressOwnersTold", 1, { targetId });
const delivery = () => ["delivery"];
const EgressFailing = telemetry(
  defineEvent("EgressFailing", 1, { targetId, since: Type.Integer() }),
  delivery,
);
const EgressRecovered = telemetry(defineEvent("EgressRecovered", 1, { targetId }), delivery);
/** A batch is a dead letter, again if it was sent again. */
const EgressBatchRefused = telemetry(
  defineEvent("EgressBatchRefused", 1, {
    targetId,
    batchId: Type.String(),
    first: Type.Integer(),
    last: Type.Integer(),
    events: Type.Integer(),
    reason: Type.String(),
  }),
  delivery,
);
const batchIds = Type.Array(Type.String());
const EgressReplayAsked = telemetry(defineEvent("EgressReplayAsked", 1, { targetId, batchIds }), delivery);
/** Dead letters were accepted when they were sent again, or are too old. */
const EgressDeadLettersLeft = telemetry(
  defineEvent("EgressDeadLettersLeft", 1, { targetId, batchIds }),
  delivery,
);
/** The site is gone, and its targets with it. */
const EgressClosed = defineEvent("EgressClosed", 1, {});

export type EgressEvent =
  | EventOf<typeof EgressTargetCreated>
  | EventOf<typeof EgressTargetUpdated>
  | EventOf<typeof EgressSecretRotated>
  | EventOf<typeof EgressTargetDeleted>
  | EventOf<typeof EgressTargetStopped>
  | EventOf<typeof EgressOwnersTold>
  | EventOf<typeof EgressFailing>
  | EventOf<typeof EgressRecovered>
  | EventOf<typeof EgressBatchRefused>
  | EventOf<typeof EgressReplayAsked>
  | EventOf<typeof EgressDeadLettersLeft>
  | EventOf<typeof EgressClosed>;

/** The events of egress targets. */
export const egressEvents = [
  EgressTargetCreated,
  EgressTargetUpdated,
  EgressSecretRotated,
  EgressTargetDeleted,
  EgressTargetStopped,
  EgressOwnersTold,
  EgressFailing,
  EgressRecovered,
  EgressBatchRefused,
  EgressReplayAsked,
  EgressDeadLettersLeft,
  EgressClosed,
] as const;
