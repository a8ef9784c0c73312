/** Limits and times of a hub. Every one is an option. */
export interface HubSettings {
  /** Longest message of a client, in bytes. */
  readonly maxMessageBytes: number;
  /** Most bytes that arrive at once: a WebSocket message or the body of a POST. It may hold many messages. */
  readonly maxChunkBytes: number;
  /** Deepest nesting of lists and objects in a message. */
  readonly maxDepth: number;
  /** Most method calls of one connection that run at the same time; the next ones wait. */
  readonly maxParallelCalls: number;
  /** Most calls of one connection that wait for their turn; then the hub reads no more from it. */
  readonly maxWaitingCalls: number;
  /** Most bytes of the calls that wait, as they came; a value in memory may take many times its bytes. */
  readonly maxWaitingBytes: number;
  /** Most open streams of one connection; the next one is refused. */
  readonly maxStreams: number;
  /** Most connections; negotiation and sockets beyond are answered with 503. */
  readonly maxConnections: number;
  /** Unsent bytes from which a connection counts as congested: its streams are not asked for more. */
  readonly congestedBytes: number;
  /** Unsent bytes with which a connection ends: its client reads too slowly for what is sent. */
  readonly maxUnsentBytes: number;
  /** Bytes kept for a client that may reconnect and has not acknowledged them; then the connection is congested. */
  readonly maxUnacknowledgedBytes: number;
  /** Time between two writes to a connection while much is sent; messages in between are joined. */
  readonly joinMs: number;
  /** Silence after which the hub sends a ping. */
  readonly keepAliveMs: number;
  /** Silence of a client after which its connection ends. */
  readonly clientTimeoutMs: number;
  /** Time for a connection to send its handshake, and for a negotiated connection to be opened. */
  readonly handshakeMs: number;
  /** Time for a lost stateful connection to come back, and for a long-polling client to send its next poll. */
  readonly reconnectMs: number;
  /** Time for which a poll is held while there is nothing to send. */
  readonly pollMs: number;
  /** Time for a client to answer `connection.invoke`. */
  readonly clientResultMs: number;
  /** Time for clients to leave after `hub.drain()`; then the hub ends their connections. */
  readonly drainMs: number;
}

export const defaultSettings: HubSettings = {
  maxMessageBytes: 65_536,
  maxChunkBytes: 1_048_576,
  maxDepth: 64,
  maxParallelCalls: 10,
  maxWaitingCalls: 100,
  maxWaitingBytes: 262_144,
  maxStreams: 100,
  maxConnections: 100_000,
  congestedBytes: 65_536,
  maxUnsentBytes: 1_048_576,
  maxUnacknowledgedBytes: 100_000,
  joinMs: 10,
  keepAliveMs: 15_000,
  clientTimeoutMs: 30_000,
  handshakeMs: 15_000,
  reconnectMs: 30_000,
  pollMs: 50_000,
  clientResultMs: 30_000,
  drainMs: 5_000,
};
