// The MessagePack encoding of the hub protocol: one array per message, with its length before it.
import { Encoder } from "@msgpack/msgpack";
import { takeMeasured, withLength } from "./binary-records.ts";
import type { Codec } from "./codec.ts";
import { MessageReader, type Reading } from "./message-reader.ts";
import { decodeMessagePack } from "./decode-messagepack.ts";
import { type ClientCall, type ClientMessage, type Frame, messageType, ProtocolError } from "./messages.ts";
import { type Kept, keptFrame, Serialized } from "./serialized.ts";
import { countOf, listOf, optionalText, textOf, textsOf } from "./untrusted.ts";

const encoder = new Encoder({ ignoreUndefined: true });

/** How a completion carries its result. */
const resultKind = { error: 1, void: 2, value: 3 } as const;
const noHeaders = {};

const reading: Reading = {
  takeRecord: takeMeasured,
  messageIn: (record, depthMax) => messageIn(decodeMessagePack(record, depthMax)),
};

export const messagePackCodec: Codec = {
  name: "messagepack",
  isBinary: true,
  reader: (limits) => new MessageReader(reading, limits),
  invocation: (target, args, invocationId) =>
    framed([messageType.invocation, noHeaders, invocationId ?? null, target, args.map(nullIfAbsent), []]),
  streamItem(invocationId, item) {
    if (!(item instanceof Serialized)) return itemFrame(invocationId, encoder.encode(nullIfAbsent(item)));
    const kept: Kept = item.messagePack((value) => encoder.encode(nullIfAbsent(value)));
    return keptFrame(kept, invocationId, () => itemFrame(invocationId, kept.bytes));
  },
  completion(invocationId, outcome) {
    const head = [messageType.completion, noHeaders, invocationId];
    if (outcome !== undefined && "error" in outcome)
      return framed([...head, resultKind.error, outcome.error]);
    if (outcome?.result === undefined) return framed([...head, resultKind.void]);
    return framed([...head, resultKind.value, outcome.result]);
  },
  ping: framed([messageType.ping]),
  close: (error, allowReconnect) => framed([messageType.close, error ?? null, allowReconnect]),
  ack: (sequenceId) => framed([messageType.ack, sequenceId]),
  sequence: (sequenceId) => framed([messageType.sequence, sequenceId]),
};

function framed(message: readonly unknown[]): Frame {
  return withLength([encoder.encode(message)]);
}

function itemFrame(invocationId: string, item: Uint8Array): Frame {
  // An array of four: type, no headers, id, item.
  return withLength([Uint8Array.of(0x94, messageType.streamItem, 0x80), encoder.encode(invocationId), item]);
}

function nullIfAbsent(value: unknown): unknown {
  return value === undefined ? null : value;
}

function messageIn(message: unknown): ClientMessage | undefined {
  const fields = listOf(message, "a message");
  const [type] = fields;
  switch (type) {
    case messageType.invocation:
      return { type, invocationId: optionalText(fields[2], "invocationId"), ...callIn(fields) };
    case messageType.streamInvocation:
      return { type, invocationId: textOf(fields[2], "invocationId"), ...callIn(fields) };
    case messageType.streamItem:
    case messageType.cancelInvocation:
      return { type, invocationId: textOf(fields[2], "invocationId") };
    case messageType.completion:
      return completionIn(fields);
    case messageType.ping:
      return { type };
    case messageType.close:
      return { type, error: optionalText(fields[1], "error") };
    case messageType.ack:
    case messageType.sequence:
      return { type, sequenceId: countOf(fields[1], "sequenceId") };
    default:
      if (typeof type !== "number") throw new ProtocolError("a message has no type");
      return undefined;
  }
}

function callIn(fields: readonly unknown[]): ClientCall {
  return {
    target: textOf(fields[3], "target"),
    args: listOf(fields[4], "arguments"),
    streamIds: textsOf(fields[5], "streamIds"),
  };
}

function completionIn(fields: readonly unknown[]): ClientMessage {
  const invocationId = textOf(fields[2], "invocationId");
  const kind = fields[3];
  const type = messageType.completion;
  if (kind === resultKind.error)
    return { type, invocationId, error: textOf(fields[4], "error"), result: undefined };
  if (kind === resultKind.void) return { type, invocationId, error: undefined, result: undefined };
  if (kind === resultKind.value) return { type, invocationId, error: undefined, result: fields[4] };
  throw new ProtocolError("a completion has no result kind");
}
