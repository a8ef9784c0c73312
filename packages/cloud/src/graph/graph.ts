import { Buckets, Refused, RequestFigures } from "@ledge/link";
import { limits } from "@ledge/model";
import Type from "typebox";
import type { GraphCaller } from "./caller.ts";
import { type Envelope, envelopeIn } from "./envelope.ts";
import { Failed, failedByError, type GraphError, invalidFields } from "./errors.ts";
import { MessageFields } from "./message-fields.ts";
import type { GraphParts } from "./parts.ts";
import type { Base, Kind, Row } from "./row.ts";
import { graphRows } from "./rows.ts";
import { scopeFailure } from "./scopes.ts";
import { targetFields, targetOf } from "./targets.ts";
import { noteWrite, requestSpan, traceparentIn, within } from "../tracing/tracing.ts";
import { traceOf, traceparentOf } from "./trace.ts";
import type { ShareRate } from "../rates/rate-exchange.ts";

/** What comes with a request beside its envelope. */
export interface Asking {
  /** The header of that name; the envelope's own value wins. */
  readonly traceparent?: string | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** What the path of the request says of the message. */
  readonly only?: Only;
}

/** The base of the only messages that are taken, and the value of one of their fields. */
interface Only {
  readonly base: Base;
  readonly field?: string;
  readonly value?: unknown;
}

/** The answer to a request whose envelope is whole (platform-api 2.1). */
export interface GraphResponse {
  readonly result: Readonly<Record<string, unknown>> & { readonly type: string; readonly error?: GraphError };
  readonly correlationId?: string;
  readonly traceparent: string;
}

/** Stands for types that do not exist. */
const unknown = "unknown";

/** A type of message, ready to be carried out. */
interface Served {
  readonly row: Row;
  readonly fields: MessageFields;
}

/**
 * Answers messages, whatever brought them: HTTP, a connection or a provider operation. The one table
 * `graphRows` says what there is.
 */
export class Graph {
  readonly #parts: GraphParts;
  readonly #served: ReadonlyMap<string, Served>;
  /** Messages by type and by how they ended: `ok`, the code of an error, or the status of a refusal. */
  readonly figures = new RequestFigures({
    count: { name: "ledge_graph_messages_total", help: "Messages of Graph answered." },
    duration: { name: "ledge_graph_message_duration_seconds", help: "Time to an answer." },
    labels: ["type", "result"],
  });
  readonly #rates = new Buckets(limits.graphRequestsPerMinute, limits.graphUsers);

  constructor(parts: GraphParts, rows: readonly Row[] = graphRows) {
    this.#parts = parts;
    this.#served = new Map(rows.map((row) => [row.type, { row, fields: new MessageFields(schemaOf(row)) }]));
  }

  /**
   * Answers a request.
   * @param request the envelope as it came, any value
   * @returns 422 without an envelope, 429 after too many requests of the user; anything else that goes wrong
   * is the result's `error`
   */
  async answer(
    request: unknown,
    caller: GraphCaller,
    kind: Kind,
    asking: Asking,
  ): Promise<GraphResponse | Refused> {
    const begun = this.#parts.clock.monotonic();
    const envelope = this.#admitted(request, caller, kind);
    if (envelope instanceof Refused) {
      this.figures.of(unknown).observe(envelope.status, this.#msSince(begun));
      return envelope;
    }
    const { message, correlationId } = envelope;
    const { random, logger } = this.#parts;
    const { only, signal } = asking;
    const served = this.#servedFor(message.type, only);
    // Names of types are ours only if there is such a type.
    const type = served?.row.type ?? unknown;
    const given = envelope.traceparent ?? asking.traceparent;
    const span = requestSpan(type, given);
    const traceparent = traceparentIn(span) ?? traceparentOf(traceOf(given, random), random);
    const asked = only === undefined ? envelope : withPath(envelope, only);
    const done =
      served === undefined || served.row.kind !== kind
        ? unknownType(message.type, kind)
        : await within(span, () => this.#carryOut(served, asked, caller, traceparent, signal));
    const failed = done instanceof Failed ? done.error : undefined;
    span?.setAttribute("ledge.result", failed?.code ?? "ok").end();
    const ms = this.#msSince(begun);
    this.figures.of(type).observe(failed?.code ?? "ok", ms);
    logger.info(
      {
        type,
        ...(failed && { code: failed.code }),
        ms: Math.round(ms),
        traceparent,
        ...(correlationId !== undefined && { correlationId }),
      },
      "a message",
    );
    const result = { type: `${message.type}Result`, ...(failed ? { error: failed } : done) };
    return { result, ...(correlationId !== undefined && { correlationId }), traceparent };
  }

  /**
   * Counts a request of a user. `answer` counts its own.
   * @returns 429 after too many of them
   */
  count(account: string): Refused | undefined {
    const seconds = this.#rates.take(account, this.#parts.clock.monotonic());
    if (seconds === 0) return undefined;
    return new Refused(429, "you have sent too many requests", [], seconds);
  }

  /** Names its limit to what counts it over several processes. */
  shareRates(share: ShareRate): void {
    share("graph", this.#rates);
  }

  /** Stops what works in the background; operations go on with the next start. */
  stop(): void {
    this.#parts.operations.stop();
    this.#parts.leaving.stop();
    this.#parts.registers.stop();
  }

  /** Returns the envelope of a request, unless the user has sent too many or it has none. */
  #admitted(request: unknown, caller: GraphCaller, kind: Kind): Envelope | Refused {
    return this.count(caller.account) ?? envelopeIn(request, kind);
  }

  #msSince(begun: number): number {
    return this.#parts.clock.monotonic() - begun;
  }

  #servedFor(type: string, only: Only | undefined): Served | undefined {
    const served = this.#served.get(type);
    return only === undefined || served?.row.base === only.base ? served : undefined;
  }

  async #carryOut(
    { row, fields }: Served,
    asked: Envelope | Failed,
    caller: GraphCaller,
    traceparent: string,
    signal: AbortSignal,
  ): Promise<object> {
    if (asked instanceof Failed) return asked;
    const { message, correlationId } = asked;
    const { cloud, logger } = this.#parts;
    try {
      const narrowed = scopeFailure(row, caller);
      if (narrowed !== undefined) return narrowed;
      if (!fields.fit(message)) return invalidFields(fields.problems(message));
      const target = targetOf(row.scope, row.right, message, caller, cloud);
      if (target instanceof Failed) return target;
      if (row.addsToLog && cloud.logShares.secondsUntil(caller.account) > 0)
        return new Failed("E_LIMIT", "you have reached the limit of changes per day");
      const parts = this.#parts;
      if (row.kind === "command") noteWrite(message, parts.clock);
      return await row.handle({ caller, fields: message, target, parts, correlationId, traceparent, signal });
    } catch (error) {
      const failed = failedByError(error);
      if (failed !== undefined) return failed;
      logger.error({ error, type: row.type }, "a message failed");
      return new Failed("E_UNKNOWN", "internal error");
    }
  }
}

/** Returns a message with the field that the path has; it may repeat the field, and say nothing else. */
function withPath(envelope: Envelope, { field, value }: Only): Envelope | Failed {
  if (field === undefined) return envelope;
  const { message } = envelope;
  if (message[field] !== undefined && message[field] !== value)
    return invalidFields([{ field, message: "is not that of the path" }]);
  return { ...envelope, message: { ...message, [field]: value } };
}

/** Returns the schema of a message's fields, the target's included. */
export function schemaOf({ scope, fields }: Pick<Row, "scope" | "fields">): Type.TObject {
  return Type.Object({ ...targetFields[scope], ...fields });
}

function unknownType(type: string, kind: Kind): Failed {
  return new Failed("E_UNKNOWN_TYPE", `there is no ${kind} of this type`, { type });
}
