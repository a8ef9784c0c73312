import {
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { continuedBy } from "../graph/trace.ts";

const name = "ledge-cloud";

/** Absent unless an SDK of OpenTelemetry was loaded before the cloud (docs/cloud.md): then a request costs no more. */
const tracer = hasSdk() ? trace.getTracer(name) : undefined;

function hasSdk(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(name) !== undefined;
}

/** A command that is recorded, for the pushes that it brings about. */
interface Write {
  readonly cause: SpanContext;
  /** By the wall clock (ms), as spans are. */
  readonly at: number;
}

/** The last recorded command about a thing, by its id; empty when nothing is recorded. */
const writes = new Map<string, Write>();

/** Fields of messages that name what can be watched. */
const watched = ["siteId", "deviceRegisterId", "hubId", "operationId"] as const;

/**
 * Begins the span of a request.
 * @param traceparent valid or not; only a valid one is continued
 * @returns undefined when nothing is traced
 */
export function requestSpan(type: string, traceparent: string | undefined): Span | undefined {
  if (tracer === undefined) return undefined;
  const parent = traceparent === undefined ? undefined : contextIn(traceparent);
  const around = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  return tracer.startSpan(type, { kind: SpanKind.SERVER }, around);
}

/** Returns the `traceparent` of a span; undefined when it is not recorded. */
export function traceparentIn(span: Span | undefined): string | undefined {
  if (!span?.isRecording()) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Runs with a span as the parent of those that begin meanwhile. */
export function within<T>(span: Span | undefined, run: () => Promise<T>): Promise<T> {
  if (span === undefined) return run();
  return context.with(trace.setSpan(context.active(), span), run);
}

/** Runs as a span below the present one. */
export function spanned<T>(title: string, run: () => Promise<T>): Promise<T> {
  if (tracer === undefined) return run();
  const span = tracer.startSpan(title);
  return run().finally(() => span.end());
}

/**
 * Notes that the request of the present span may change what its message names.
 * @param message checked: its fields fit, and the caller may change what they name
 */
export function noteWrite(message: Readonly<Record<string, unknown>>, clock: Pick<Clock, "wall">): void {
  const span = tracer && trace.getActiveSpan();
  if (!span?.isRecording()) return;
  const write = { cause: span.spanContext(), at: clock.wall() };
  for (const field of watched) {
    const id = message[field];
    if (typeof id !== "string") continue;
    writes.delete(id);
    writes.set(id, write);
    const [oldest] = writes.keys();
    if (writes.size > limits.tracedWrites && oldest !== undefined) writes.delete(oldest);
  }
}

/**
 * Records a push as a span from the last command about its thing until now. A push has what several changes left, so it
 * belongs to the last one.
 */
export function notePush(thing: string, type: string, clock: Pick<Clock, "wall">): void {
  if (tracer === undefined || writes.size === 0) return;
  const write = writes.get(thing);
  if (write === undefined || clock.wall() - write.at > limits.tracedWriteMs) return;
  const parent = trace.setSpanContext(ROOT_CONTEXT, write.cause);
  tracer.startSpan(type, { kind: SpanKind.PRODUCER, startTime: write.at }, parent).end();
}

/** Returns the context of a `traceparent` that W3C allows. */
function contextIn(traceparent: string): SpanContext | undefined {
  const continued = continuedBy(traceparent);
  if (continued === undefined) return undefined;
  const { id: traceId, span: spanId, flags } = continued;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
