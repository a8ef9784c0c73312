// What users of the package see: connections, calls, methods, options.
import type { IncomingMessage } from "node:http";
import type { Clock } from "./clock.ts";
import type { Item } from "./protocol/codec.ts";
import type { HubSettings } from "./settings.ts";
import type { TransportName } from "./transports/transport.ts";

/** Whoever is at the other end, as `authenticate` says. */
export interface HubUser {
  /** Says whether two requests come from the same user. */
  readonly id: string;
}

/** A request to negotiate, to open a transport, or to send. */
export interface HubRequest {
  readonly method: string;
  readonly url: URL;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
  /** The bearer token: from the header Authorization, or else from `?access_token=`. Keep it out of logs. */
  readonly token: string | undefined;
  /** The address of the peer, if the server knows it. */
  readonly remoteAddress: string | undefined;
  /** The request as the server got it: of node:http, or of the Fetch standard if it came by `hub.fetch`. */
  readonly raw: IncomingMessage | Request;
}

/** One client, from its handshake to its end. It may change sockets in between, if it asked for that. */
export interface Connection<User extends HubUser = HubUser> {
  /** Public: other clients may know it. */
  readonly id: string;
  readonly user: User;
  readonly transport: TransportName;
  readonly protocol: "json" | "messagepack";
  /** Aborted when the connection has ended. */
  readonly signal: AbortSignal;
  /** Bytes that were sent to the client and have not left this process. */
  readonly bufferedAmount: number;
  /** Whether more is unsent, or unacknowledged, than the client should have to catch up with. */
  readonly isCongested: boolean;
  /** Resolves as soon as the connection is not congested, or has ended. */
  ready(): Promise<void>;
  /** Calls a method of the client and expects no answer. */
  send(target: string, ...args: readonly unknown[]): void;
  /**
   * Calls a method of the client.
   * @returns what it answers
   * @throws Error if the client answers with an error, not in time, or leaves
   */
  invoke(target: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Says goodbye, after what was sent before. With `allowReconnect`, a client that reconnects does so now. */
  close(options?: { readonly error?: string; readonly allowReconnect?: boolean }): void;
  /** Ends at once. What was not sent is lost. */
  abort(): void;
}

/** What a method is given before its arguments. */
export interface Call<User extends HubUser = HubUser> {
  readonly connection: Connection<User>;
  /** Aborted when the client cancels the call, or its connection ends. */
  readonly signal: AbortSignal;
}

/** What a stream is given before its arguments. */
export interface StreamCall<User extends HubUser = HubUser> extends Call<User> {
  /** As that of the connection: while true, hold back items, or keep only the newest. */
  readonly isCongested: boolean;
  /** Sends an item. Returns false if the connection is congested, and after the end. */
  write(item: Item): boolean;
  /** Resolves as soon as the stream takes more, or has ended. */
  ready(): Promise<void>;
}

/**
 * A method of the hub. What it returns, or resolves to, is the client's result. Arguments are whatever the client
 * sent: check them.
 */
export type Method<User extends HubUser = HubUser> = {
  bivarianceHack(call: Call<User>, ...args: unknown[]): unknown;
}["bivarianceHack"];

/**
 * A stream of the hub: an async generator, or a function that writes items and returns when the stream is over.
 * Stop when the signal is aborted: a generator that awaits something else does not notice a cancel.
 */
export type Stream<User extends HubUser = HubUser> = {
  bivarianceHack(call: StreamCall<User>, ...args: unknown[]): StreamResult | Promise<StreamResult>;
}["bivarianceHack"];

/** Items to send one by one, or nothing if the stream wrote its items itself. */
export type StreamResult = AsyncIterable<Item> | Iterable<Item> | void;

export interface HubOptions<User extends HubUser = HubUser> extends Partial<HubSettings> {
  /** Where the hub is, such as `/chat`. */
  readonly path: string;
  /** By name. Clients may write names in any case. */
  readonly methods?: Readonly<Record<string, Method<User>>>;
  readonly streams?: Readonly<Record<string, Stream<User>>>;
  /**
   * Says who sends a request, before anything else happens; nothing is answered with 401. Called for every
   * request: negotiate, socket, poll, POST. Throw a RefusedError to answer with another status.
   */
  readonly authenticate?: (request: HubRequest) => User | undefined | Promise<User | undefined>;
  /** Sends a client elsewhere while it negotiates, perhaps with a token for that place. */
  readonly redirect?: (
    request: HubRequest,
    user: User,
  ) => Redirect | undefined | Promise<Redirect | undefined>;
  /**
   * Whether a web page of another origin may use the hub. By default none may. With `() => true` all may, which is
   * right if every request has a token, and wrong if cookies say who the user is.
   */
  readonly allowOrigin?: (origin: string) => boolean;
  /**
   * Called after the handshake, when the connection is in `hub.connections` already. Calls of the client wait until
   * it has resolved, however long: give up when `connection.signal` is aborted. If it throws, the connection ends,
   * and the client reads the message of a HubError.
   */
  readonly onConnected?: (connection: Connection<User>) => void | Promise<void>;
  /** Called once for each connection that `onConnected` was called for, when both have ended. */
  readonly onDisconnected?: (connection: Connection<User>, error: Error | undefined) => void | Promise<void>;
  /** Told what methods, streams and the functions above throw, except HubError and RefusedError. */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
  /** Random bytes for ids and for the key that signs tokens. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

export interface Redirect {
  readonly url: string;
  readonly accessToken?: string;
}
