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
  return within(span, run).finally(() => span.end());
}

/** Returns the `traceparent` of the present span; undefined when there is none that is recorded. */
export function presentTraceparent(): string | undefined {
  return tracer && traceparentIn(trace.getActiveSpan());
}

/** Runs as a span below that of another process, if it has sent one. */
export function spannedBelow<T>(
  title: string,
  traceparent: string | undefined,
  run: () => Promise<T>,
): Promise<T> {
  const span = traceparent === undefined ? undefined : requestSpan(title, traceparent);
  return within(span, run).finally(() => span?.end());
}

/** A command that another process records. */
export interface NotedElsewhere {
  readonly traceparent: string;
  readonly at: number;
  readonly things: readonly string[];
}

let tellOthers: ((noted: NotedElsewhere) => void) | undefined;

/** Tells what this process records, so that pushes of other processes join the trace. Nothing is told without an SDK. */
export function shareWrites(tell: (noted: NotedElsewhere) => void): void {
  if (tracer !== undefined) tellOthers = tell;
}

/** Learns what another process records. */
export function learnWrite({ traceparent, at, things }: NotedElsewhere): void {
  const cause = tracer && contextIn(traceparent);
  if (cause !== undefined) remember(things, { cause, at });
}

/**
 * Notes that the request of the present span may change what its message names.
 * @param message checked: its fields fit, and the caller may change what they name
 */
export function noteWrite(message: Readonly<Record<string, unknown>>, clock: Pick<Clock, "wall">): void {
  const span = tracer && trace.getActiveSpan();
  if (!span?.isRecording()) return;
  const at = clock.wall();
  const things = watched.map((field) => message[field]).filter((id) => typeof id === "string");
  remember(things, { cause: span.spanContext(), at });
  const traceparent = traceparentIn(span);
  // What it tells is no part of the trace.
  if (tellOthers !== undefined && traceparent !== undefined && things.length > 0)
    context.with(ROOT_CONTEXT, tellOthers, undefined, { traceparent, at, things });
}

function remember(things: readonly string[], write: Write): void {
  for (const id of things) {
    writes.delete(id);
    writes.set(id, write);
    if (writes.size <= limits.tracedWrites) continue;
    const [oldest] = writes.keys();
    if (oldest !== undefined) writes.delete(oldest);
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
