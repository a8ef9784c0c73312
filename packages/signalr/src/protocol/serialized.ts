import type { Frame } from "./messages.ts";

/** What a protocol keeps of a value: its bytes, and the frames made of them. */
export interface Kept {
  readonly bytes: Uint8Array;
  /** By invocation id. */
  readonly frames: Map<string, Frame>;
}

/** A value that is serialised once for each protocol, however many streams or connections it goes to. */
export class Serialized<T = unknown> {
  readonly value: T;
  #json: Kept | undefined;
  #messagePack: Kept | undefined;

  constructor(value: T) {
    this.value = value;
  }

  /** The bytes of the value in JSON; `encode` makes them at the first call. */
  json(encode: (value: unknown) => Uint8Array): Kept {
    return (this.#json ??= { bytes: encode(this.value), frames: new Map() });
  }

  /** The bytes of the value in MessagePack; `encode` makes them at the first call. */
  messagePack(encode: (value: unknown) => Uint8Array): Kept {
    return (this.#messagePack ??= { bytes: encode(this.value), frames: new Map() });
  }
}

/** Most frames that are kept of one value: most clients call a stream with one of few invocation ids. */
const framesMax = 64;

/** The frame for an invocation id, made at most once while there is room to keep it. */
export function keptFrame(kept: Kept, invocationId: string, make: () => Frame): Frame {
  const known = kept.frames.get(invocationId);
  if (known !== undefined) return known;
  const frame = make();
  if (kept.frames.size < framesMax) kept.frames.set(invocationId, frame);
  return frame;
}

/**
 * Wraps a value so that it is serialised once for each protocol. Yield or write the same wrapper in many streams.
 * The value must not change afterwards.
 */
export function serializeOnce<T>(value: T): Serialized<T> {
  return new Serialized(value);
}
