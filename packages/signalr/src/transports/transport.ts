export type TransportName = "WebSockets" | "ServerSentEvents" | "LongPolling";

/** One way to a client. It carries bytes in both directions and knows no messages. */
export interface Transport {
  readonly name: TransportName;
  /** Bytes that were sent here and have not left the process. */
  readonly bufferedAmount: number;
  /** Whether the transport keeps the connection alive by itself, so that neither side pings. */
  readonly keepsAlive: boolean;
  /** Whether the transport cannot carry bytes that are not text. */
  readonly isTextOnly: boolean;
  /** Sends these bytes as one unit. */
  send(bytes: Uint8Array, isBinary: boolean): void;
  /** Ends after what was sent before. */
  end(): void;
  /** Ends at once. */
  destroy(): void;
  /** Reads no more until `resume`. */
  pause(): void;
  resume(): void;
}

/** What a transport reports to the connection that it carries. A connection may have left it for another. */
export interface TransportListener {
  received(chunk: Uint8Array, from: Transport): void;
  /** Unsent bytes have left the process. */
  drained(from: Transport): void;
  /** The transport has ended, by either side. Called once. */
  closed(from: Transport): void;
}
