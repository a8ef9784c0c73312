// The JSON encoding of the hub protocol: one object per message, each with 0x1E behind it.
import type { Codec } from "./codec.ts";
import { MessageReader, type Reading } from "./message-reader.ts";
import { type ClientCall, type ClientMessage, type Frame, messageType, ProtocolError } from "./messages.ts";
import { type Kept, keptFrame, Serialized } from "./serialized.ts";
import { countOf, listOf, optionalText, refuseHarmful, textOf, textsOf } from "./untrusted.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

const reading: Reading = {
  takeRecord: (arrived, bytesMax) => arrived.takeRecord(bytesMax),
  messageIn: (record, depthMax) => messageIn(jsonOf(record), depthMax),
};

/** JSON leaves out what is undefined, and so the encoders below need not. */
export const jsonCodec: Codec = {
  name: "json",
  isBinary: false,
  reader: (limits) => new MessageReader(reading, limits),
  invocation: (target, args, invocationId) =>
    framed({ type: messageType.invocation, invocationId, target, arguments: args }),
  streamItem(invocationId, item) {
    if (!(item instanceof Serialized)) return itemFrame(invocationId, textFor(item));
    const kept: Kept = item.json((value) => Buffer.from(textFor(value)));
    return keptFrame(kept, invocationId, () => itemFrame(invocationId, kept.bytes));
  },
  completion: (invocationId, outcome) => framed({ type: messageType.completion, invocationId, ...outcome }),
  ping: framed({ type: messageType.ping }),
  close: (error, allowReconnect) =>
    framed({ type: messageType.close, error, ...(allowReconnect && { allowReconnect }) }),
  ack: (sequenceId) => framed({ type: messageType.ack, sequenceId }),
  sequence: (sequenceId) => framed({ type: messageType.sequence, sequenceId }),
};

/** An object as one record. */
export function framed(message: object): Frame {
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

function messageIn(record: Readonly<Record<string, unknown>>, depthMax: number): ClientMessage | undefined {
  refuseHarmful(record, depthMax);
  const { type, invocationId, error } = record;
  switch (type) {
    case messageType.invocation:
      return { type, invocationId: optionalText(invocationId, "invocationId"), ...callIn(record) };
    case messageType.streamInvocation:
      return { type, invocationId: textOf(invocationId, "invocationId"), ...callIn(record) };
    case messageType.streamItem:
    case messageType.cancelInvocation:
      return { type, invocationId: textOf(invocationId, "invocationId") };
    case messageType.completion:
      return {
        type,
        invocationId: textOf(invocationId, "invocationId"),
        error: optionalText(error, "error"),
        result: record["result"],
      };
    case messageType.ping:
      return { type };
    case messageType.close:
      return { type, error: optionalText(error, "error") };
    case messageType.ack:
    case messageType.sequence:
      return { type, sequenceId: countOf(record["sequenceId"], "sequenceId") };
    default:
      if (typeof type !== "number") throw new ProtocolError("a message has no type");
      return undefined;
  }
}

function callIn(record: Readonly<Record<string, unknown>>): ClientCall {
  return {
    target: textOf(record["target"], "target"),
    args: listOf(record["arguments"] ?? [], "arguments"),
    streamIds: textsOf(record["streamIds"], "streamIds"),
  };
}
