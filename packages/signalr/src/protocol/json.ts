// The JSON encoding of the hub protocol: one object per message, each with 0x1E behind it.
import type { Codec, MessageReader, ReadLimits } from "./codec.ts";
import { type ClientMessage, type Frame, messageType, ProtocolError } from "./messages.ts";
import { type Kept, keptFrame, Serialized } from "./serialized.ts";
import { Arrived } from "./text-records.ts";
import { countOf, listOf, optionalText, refuseHarmful, textOf, textsOf } from "./untrusted.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

export const jsonCodec: Codec = {
  name: "json",
  isBinary: false,
  reader: (limits) => new JsonReader(limits),
  invocation: (target, args, invocationId) =>
    framed({
      type: messageType.invocation,
      ...(invocationId !== undefined && { invocationId }),
      target,
      arguments: args,
    }),
  streamItem(invocationId, item) {
    if (!(item instanceof Serialized)) return itemFrame(invocationId, textFor(item));
    const kept: Kept = item.json((value) => Buffer.from(textFor(value)));
    return keptFrame(kept, invocationId, () => itemFrame(invocationId, kept.bytes));
  },
  completion(invocationId, outcome) {
    if (outcome === undefined) return framed({ type: messageType.completion, invocationId });
    if ("error" in outcome)
      return framed({ type: messageType.completion, invocationId, error: outcome.error });
    return framed({ type: messageType.completion, invocationId, result: outcome.result });
  },
  ping: framed({ type: messageType.ping }),
  close: (error, allowReconnect) =>
    framed({
      type: messageType.close,
      ...(error !== undefined && { error }),
      ...(allowReconnect && { allowReconnect }),
    }),
  ack: (sequenceId) => framed({ type: messageType.ack, sequenceId }),
  sequence: (sequenceId) => framed({ type: messageType.sequence, sequenceId }),
};

function framed(message: object): Frame {
  return Buffer.from(`${JSON.stringify(message)}\x1e`);
}

/** The client refuses an item that is absent, so nothing becomes null. */
function textFor(item: unknown): string {
  return JSON.stringify(item) ?? "null";
}

function itemFrame(invocationId: string, item: string | Uint8Array): Frame {
  const head = `{"type":2,"invocationId":${JSON.stringify(invocationId)},"item":`;
  if (typeof item === "string") return Buffer.from(`${head}${item}}\x1e`);
  return Buffer.concat([Buffer.from(head), item, Buffer.from("}\x1e")]);
}

class JsonReader implements MessageReader {
  readonly #limits: ReadLimits;
  readonly #arrived = new Arrived();

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  push(chunk: Uint8Array): void {
    this.#arrived.push(chunk);
  }

  next(): ClientMessage | undefined {
    for (;;) {
      const record = this.#arrived.takeRecord(this.#limits.maxMessageBytes);
      if (record === undefined) return undefined;
      const message = messageIn(jsonOf(record), this.#limits.maxDepth);
      if (message !== undefined) return message;
    }
  }
}

/** @throws ProtocolError */
export function jsonOf(record: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(record));
  } catch {
    throw new ProtocolError("a message is no JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ProtocolError("a message is no JSON object");
  }
  return value as Readonly<Record<string, unknown>>;
}

function messageIn(record: Readonly<Record<string, unknown>>, maxDepth: number): ClientMessage | undefined {
  refuseHarmful(record, maxDepth);
  switch (record["type"]) {
    case messageType.invocation:
      return {
        type: messageType.invocation,
        invocationId: optionalText(record["invocationId"], "invocationId"),
        ...callIn(record),
      };
    case messageType.streamInvocation:
      return {
        type: messageType.streamInvocation,
        invocationId: textOf(record["invocationId"], "invocationId"),
        ...callIn(record),
      };
    case messageType.streamItem:
    case messageType.cancelInvocation:
      return { type: record["type"], invocationId: textOf(record["invocationId"], "invocationId") };
    case messageType.completion:
      return {
        type: messageType.completion,
        invocationId: textOf(record["invocationId"], "invocationId"),
        error: optionalText(record["error"], "error"),
        result: record["result"],
      };
    case messageType.ping:
      return { type: messageType.ping };
    case messageType.close:
      return { type: messageType.close, error: optionalText(record["error"], "error") };
    case messageType.ack:
    case messageType.sequence:
      return { type: record["type"], sequenceId: countOf(record["sequenceId"], "sequenceId") };
    default:
      if (typeof record["type"] !== "number") throw new ProtocolError("a message has no type");
      return undefined;
  }
}

function callIn(record: Readonly<Record<string, unknown>>): {
  readonly target: string;
  readonly args: readonly unknown[];
  readonly streamIds: readonly string[];
} {
  return {
    target: textOf(record["target"], "target"),
    args: listOf(record["arguments"] ?? [], "arguments"),
    streamIds: textsOf(record["streamIds"], "streamIds"),
  };
}
