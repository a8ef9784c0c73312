/** A W3C trace context: the trace that a request belongs to, and the flags of its header. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** Two hexadecimal digits. */
  readonly flags: string;
}

/** The shape of a `traceparent` (platform-api 2.1); W3C forbids some values of this shape. */
export const traceparentShape = /^[0-9A-Fa-f]{2}-[0-9A-Fa-f]{32}-[0-9A-Fa-f]{16}-[0-9A-Fa-f]{2}$/;
const allowed =
  /^(?!ff)[0-9a-f]{2}-(?<id>(?!0{32})[0-9a-f]{32})-(?<span>(?!0{16})[0-9a-f]{16})-(?<flags>[0-9a-f]{2})$/;

/** Sampled: whoever asks for a trace wants it recorded. */
const usualFlags = "01";

/**
 * Returns what a `traceparent` continues, with the 16 hexadecimal digits of its span; undefined for anything that W3C
 * forbids (version ff, zero ids, upper case).
 */
export function continuedBy(traceparent: string): (Trace & { readonly span: string }) | undefined {
  const { id, span, flags } = allowed.exec(traceparent)?.groups ?? {};
  return id === undefined || span === undefined || flags === undefined ? undefined : { id, span, flags };
}

/**
 * Returns the trace that a `traceparent` continues. One that `continuedBy` does not accept starts a new trace.
 * @param random returns random bytes
 */
export function traceOf(traceparent: string | undefined, random: (size: number) => Uint8Array): Trace {
  const continued = traceparent === undefined ? undefined : continuedBy(traceparent);
  return continued ?? { id: hex(random(16)), flags: usualFlags };
}

/** Returns the `traceparent` of an answer: the request's trace with a span of our own. */
export function traceparentOf({ id, flags }: Trace, random: (size: number) => Uint8Array): string {
  return `00-${id}-${hex(random(8))}-${flags}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
