import type { ClientMessage, Frame, Outcome } from "./messages.ts";
import type { Serialized } from "./serialized.ts";

export interface ReadLimits {
  /** Bytes of one message. */
  readonly maxMessageBytes: number;
  /** Levels of lists and objects in one message. */
  readonly maxDepth: number;
}

/** Splits what arrives into messages. A message may arrive in pieces, and many may arrive at once. */
export interface MessageReader {
  /** Adds bytes that arrived. */
  push(chunk: Uint8Array): void;
  /**
   * Takes the next whole message; undefined if none is there. Messages of unknown types are left out.
   * @throws ProtocolError
   */
  next(): ClientMessage | undefined;
}

/** One encoding of the hub protocol. Encoders throw what the serialiser throws for values without an encoding. */
export interface Codec {
  /** As clients name it in the handshake. */
  readonly name: "json" | "messagepack";
  /** Whether transports carry it as bytes instead of text. */
  readonly isBinary: boolean;
  reader(limits: ReadLimits): MessageReader;
  invocation(target: string, args: readonly unknown[], invocationId?: string): Frame;
  streamItem(invocationId: string, item: unknown): Frame;
  completion(invocationId: string, outcome: Outcome | undefined): Frame;
  readonly ping: Frame;
  close(error: string | undefined, allowReconnect: boolean): Frame;
  ack(sequenceId: number): Frame;
  sequence(sequenceId: number): Frame;
}

export type Item<T = unknown> = T | Serialized<T>;
