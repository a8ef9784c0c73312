import { invalid, problemsOf, Refused } from "@ledge/link";
import { limits, lazyValidator } from "@ledge/model";
import Type from "typebox";
import type { Kind } from "./row.ts";
import { traceparentShape } from "./trace.ts";

const Message = Type.Object({ type: Type.String({ minLength: 1, maxLength: limits.idChars }) });
const common = {
  correlationId: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: limits.correlationIdChars }), Type.Null()]),
  ),
  traceparent: Type.Optional(Type.Union([Type.String({ pattern: traceparentShape.source }), Type.Null()])),
};

/** The envelopes of requests (platform-api 2.1). */
export const requestSchemas = {
  command: Type.Object({ command: Message, ...common }),
  query: Type.Object({ query: Message, ...common }),
} as const satisfies Readonly<Record<Kind, Type.TObject>>;

const validators = {
  command: lazyValidator(requestSchemas.command),
  query: lazyValidator(requestSchemas.query),
};

/** A request whose envelope is whole. */
export interface Envelope {
  readonly message: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly correlationId: string | undefined;
  readonly traceparent: string | undefined;
}

/** Reads an envelope; 422 when it is none. */
export function envelopeIn(request: unknown, kind: Kind): Envelope | Refused {
  const validator = validators[kind];
  if (!validator.Check(request)) {
    if (typeof request !== "object" || request === null || Array.isArray(request))
      return invalid([{ field: "", message: "the request is not an object" }]);
    return invalid(problemsOf(validator, request));
  }
  const { correlationId, traceparent } = request;
  const message = (request as Partial<Record<Kind, Envelope["message"]>>)[kind] as Envelope["message"];
  return { message, correlationId: correlationId ?? undefined, traceparent: traceparent ?? undefined };
}
