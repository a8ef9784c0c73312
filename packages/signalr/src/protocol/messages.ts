// The messages of the hub protocol, by both of its encodings.
// Source: HubProtocol.md of ASP.NET Core SignalR; numbers as on the wire.

export const messageType = {
  invocation: 1,
  streamItem: 2,
  completion: 3,
  streamInvocation: 4,
  cancelInvocation: 5,
  ping: 6,
  close: 7,
  ack: 8,
  sequence: 9,
} as const;

/** What a client calls of the hub. */
export interface ClientCall {
  readonly target: string;
  readonly args: readonly unknown[];
  /** Streams that the client would send up. */
  readonly streamIds: readonly string[];
}

/** A call of a method of the hub. Without an invocation id, the client expects no answer. */
export interface InvocationMessage extends ClientCall {
  readonly type: 1;
  readonly invocationId: string | undefined;
}

/** A call of a stream of the hub. */
export interface StreamInvocationMessage extends ClientCall {
  readonly type: 4;
  readonly invocationId: string;
}

/** The client's answer to a call of ours, or the end of a stream that it sends up. */
export interface CompletionMessage {
  readonly type: 3;
  readonly invocationId: string;
  readonly error: string | undefined;
  readonly result: unknown;
}

/** What a client may send, after the handshake. */
export type ClientMessage =
  | InvocationMessage
  | StreamInvocationMessage
  | CompletionMessage
  | { readonly type: 2; readonly invocationId: string }
  | { readonly type: 5; readonly invocationId: string }
  | { readonly type: 6 }
  | { readonly type: 7; readonly error: string | undefined }
  | { readonly type: 8 | 9; readonly sequenceId: number };

/** Whether a message has a number in the order of a stateful connection. */
export function isNumbered({ type }: Pick<ClientMessage, "type">): boolean {
  return type <= messageType.cancelInvocation;
}

/** One encoded message, as it goes over a transport. */
export type Frame = Uint8Array;

/** How a call of the client ended. */
export type Outcome = { readonly result: unknown } | { readonly error: string };

/** The client broke the protocol; its connection ends with the message. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}
