import { limits, orNull } from "@ledge/model";
import Type from "typebox";
import { hiddenHeader } from "../model/egress.ts";
import type { EgressTarget } from "../model/egress-state.ts";

const targetId = `[a-zA-Z0-9]{${limits.egressTargetIdMinChars},${limits.egressTargetIdMaxChars}}`;

/** The id of an egress target in a message that names it. */
export const EgressTargetId = Type.String({ minLength: 1, maxLength: limits.egressTargetIdMaxChars });

const Settings = {
  method: Type.Optional(Type.Enum(["POST", "PUT"])),
  headers: Type.Optional(
    Type.Record(
      Type.String({ pattern: `^[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,${limits.egressHeaderNameChars}}$` }),
      Type.String({ maxLength: limits.egressHeaderChars, pattern: "^[\\t\\x20-\\x7e]*$" }),
      { maxProperties: limits.egressHeaders, additionalProperties: false },
    ),
  ),
  serverScript: Type.Optional(orNull(Type.String())),
  requestTimeoutSeconds: Type.Optional(
    orNull(Type.Number({ minimum: limits.egressTimeoutMinS, maximum: limits.egressTimeoutMaxS })),
  ),
  isEnabled: Type.Optional(Type.Boolean()),
  fetchMaxEvents: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.egressFetchMost })),
  fetchWaitMaxMs: Type.Optional(
    Type.Integer({ minimum: limits.egressWaitMinMs, maximum: limits.egressWaitMaxMs }),
  ),
};

/** A new egress target (platform-api 2.4). What is left out gets the default of the specification. */
export const NewEgressTarget = Type.Object({
  $type: Type.Literal("rest"),
  id: Type.String({ pattern: `^${targetId}$` }),
  url: Type.String({ minLength: 1, maxLength: limits.egressUrlChars }),
  ...Settings,
});

/** What replaces an egress target. A header that is `***` keeps its value. */
export const EgressTargetChange = Type.Object({
  ...NewEgressTarget.properties,
  id: Type.Optional(EgressTargetId),
});
export type EgressTargetChange = Type.Static<typeof EgressTargetChange>;

/** An egress target as its site's administrators see it. Values of headers are hidden. */
export const GraphEgressTarget = Type.Object({
  $type: Type.Literal("rest"),
  id: Type.String(),
  url: Type.String(),
  method: Type.Enum(["POST", "PUT"]),
  headers: Type.Record(Type.String(), Type.String()),
  serverScript: Type.Null(),
  requestTimeoutSeconds: orNull(Type.Number()),
  isEnabled: Type.Boolean(),
  fetchMaxEvents: Type.Integer(),
  fetchWaitMaxMs: Type.Integer(),
  /** Why the cloud has disabled it: the receiver answered 410, or nothing was accepted for a day. */
  disabled: orNull(Type.Enum(["gone", "failing"])),
  /** How many batches the receiver has refused, which are kept for a while. */
  deadLetters: Type.Integer(),
  /** The secret that signs what is sent; only in the answer that follows its making. */
  secret: Type.Optional(Type.String()),
});
type GraphEgressTarget = Type.Static<typeof GraphEgressTarget>;

export function egressTargetObject(target: EgressTarget): GraphEgressTarget {
  const { id, settings, isEnabled, stop, deadLetters } = target;
  const { url, method, headers, requestTimeoutSeconds, fetchMaxEvents, fetchWaitMaxMs } = settings;
  return {
    $type: "rest",
    id,
    url,
    method,
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, hiddenHeader])),
    serverScript: null,
    requestTimeoutSeconds,
    isEnabled,
    fetchMaxEvents,
    fetchWaitMaxMs,
    disabled: stop?.reason ?? null,
    deadLetters: deadLetters.length,
  };
}
