import type { MessageReader, ReadLimits } from "./message-reader.ts";
import type { Frame, Outcome } from "./messages.ts";
import type { Serialized } from "./serialized.ts";

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
