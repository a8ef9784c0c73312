import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import type { Clock } from "@ledge/kernel";
import { openHeaders } from "@ledge/link";
import { headersFromHub, headersToHub } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import { securityHeaders } from "../http/security-headers.ts";
import { beginRequest, isWhole } from "./request.ts";

/** Why the hub gave no answer. */
export type Failure = "hub-died" | "no-answer" | "timeout";

/** A request for a hub, and where its answer goes. */
export interface Forwarding {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Path and query at the hub. */
  readonly path: string;
  /** The client's address, as the cloud sees it. */
  readonly address: string;
  /** Headers of every answer to this client. */
  readonly headers: Readonly<Record<string, string>>;
  /** Counts the relayed bytes. */
  readonly traffic: Traffic;
}

export interface ForwardTimes {
  /** How long the hub may take until its answer begins; for a short answer, until all of it is there. */
  readonly relayAnswerMs: number;
  /** How long an answer may take after its client has left, before the relay cancels it at the hub. */
  readonly relayLeaveMs: number;
}

/** Relayed traffic since the start. */
export interface Traffic {
  requests: number;
  /** Bytes of bodies. */
  toHubs: number;
  fromHubs: number;
}

export interface Forwarded {
  /** Undefined when the answer has begun, or the client has left. */
  readonly failure: Promise<Failure | undefined>;
  /** Resolves when nothing of the request is pending any more. */
  readonly ended: Promise<void>;
}

/**
 * Sends a request through a tunnel, and the answer to the client. Streams bodies both ways: a slow reader
 * slows down the sender. Cancels the request at the hub when the client leaves. Breaks off the client's
 * connection when the answer stays incomplete, so that the client never takes a part for the whole.
 */
export function forward(
  session: ClientHttp2Session,
  { incoming, outgoing, path, address, headers: always, traffic }: Forwarding,
  clock: Pick<Clock, "after">,
  { relayAnswerMs, relayLeaveMs }: ForwardTimes = limits,
): Forwarded {
  const { method = "GET", headers: asked } = incoming;
  const hasBody = asked["transfer-encoding"] !== undefined || Number(asked["content-length"] ?? 0) > 0;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: failure, resolve } = Promise.withResolvers<Failure | undefined>();
  const head = { ":method": method, ":path": path, ...headersToHub(asked, address) };
  // Closing a stream that still sends would end its body normally: the hub would take a part for the whole.
  const sending = hasBody ? new AbortController() : undefined;
  const options = { endStream: !hasBody, ...(sending && { signal: sending.signal }) };
  const stream = beginRequest(session, head, options);
  if (stream === undefined) return { failure: Promise.resolve("hub-died"), ended: Promise.resolve() };
  traffic.requests++;
  const cancel = (): void => {
    if (sending === undefined || stream.writableEnded) stream.close(constants.NGHTTP2_CANCEL);
    else sending.abort();
  };
  const fail = (why: Failure): void => {
    resolve(why);
    cancel();
  };
  const cancelTimer = clock.after(relayAnswerMs, () => fail("timeout"));
  let cancelLater: (() => void) | undefined;
  const leave = (): void => {
    resolve(undefined);
    // With a complete answer, the stream ends by itself.
    if (outgoing.writableFinished) return;
    if (sending !== undefined && !stream.writableEnded) return cancel();
    // An answer that comes meanwhile ends the stream by itself. nghttp2 counts frames of streams that were
    // reset as the hub's faults, and enough of them end the tunnel: clients who leave at once could end it
    // for everybody.
    stream.resume();
    cancelLater = clock.after(relayLeaveMs, cancel);
  };
  outgoing.once("close", leave);
  stream.once("response", (headers) => {
    if (outgoing.destroyed) return;
    const begun = (isAnswer: boolean): void => {
      // The hub may belong to anybody, and answer with something that is no valid response.
      if (isAnswer || outgoing.destroyed) resolve(undefined);
      else fail("no-answer");
    };
    answer({ session, stream, headers, method, outgoing, always, traffic }, begun, cancelTimer);
  });
  stream.once("close", () => {
    cancelTimer();
    cancelLater?.();
    outgoing.off("close", leave);
    if (outgoing.headersSent && !outgoing.writableEnded) outgoing.destroy();
    resolve("hub-died");
    end();
  });
  if (hasBody) incoming.on("data", (chunk: Buffer) => (traffic.toHubs += chunk.length));
  if (hasBody) send(incoming, stream, cancel, clock);
  return { failure, ended };
}

/**
 * Sends a body until the hub stops reading; the client may then go on for a while, so that it reads the
 * answer.
 */
function send(
  incoming: IncomingMessage,
  stream: ClientHttp2Stream,
  cancel: () => void,
  clock: Pick<Clock, "after">,
): void {
  incoming.pipe(stream);
  // Only after the other handlers of the end: closing the stream now would look as if the hub had not ended
  // it.
  stream.once("end", () => setImmediate(cancel));
  stream.once("close", () => {
    incoming.unpipe(stream);
    if (incoming.complete) return;
    incoming.resume();
    const cancelTimer = clock.after(limits.closeGraceMs, () => incoming.destroy());
    incoming.once("close", cancelTimer);
  });
}

/** A request whose answer has begun. */
interface Begun {
  readonly session: ClientHttp2Session;
  readonly stream: ClientHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly outgoing: ServerResponse;
  /** Headers of every answer to this client. */
  readonly always: Readonly<Record<string, string>>;
  readonly traffic: Traffic;
}

/**
 * Passes the hub's answer to the client.
 * @param begun gets whether there is a valid answer: when it has begun or, for a short one, when it is
 * complete
 * @param awaitEnd called when the answer has begun and may take as long as it wants
 */
function answer(
  { session, stream, headers, method, outgoing, always, traffic }: Begun,
  begun: (isAnswer: boolean) => void,
  awaitEnd: () => void,
): void {
  const status = Number(headers[":status"]);
  const begin = (): boolean => {
    const isAnswer = isBegun(outgoing, status, { ...headersFromHub(headers), ...always, ...ofRelay });
    begun(isAnswer);
    return isAnswer;
  };
  const length = Number(headers["content-length"] ?? Infinity);
  if (method === "HEAD" || status === 204 || status === 304) {
    stream.resume();
    if (begin()) outgoing.end();
  } else if (length <= limits.tunnelPieceBytes) {
    gather(stream, length, (body) => {
      traffic.fromHubs += body.length;
      if (begin()) outgoing.end(body);
    });
  } else if (begin()) {
    awaitEnd();
    outgoing.flushHeaders();
    stream.on("data", (chunk: Buffer) => (traffic.fromHubs += chunk.length));
    stream.pipe(outgoing, { end: false });
    stream.once("end", () => {
      if (isWhole(session, stream)) outgoing.end();
    });
  }
}

/**
 * Begins an answer. Returns false for an answer that HTTP does not allow, and for a redirect: a client that
 * follows it would send its cloud token to the cloud or to somebody else.
 */
function isBegun(outgoing: ServerResponse, status: number, headers: OutgoingHttpHeaders): boolean {
  const isAnswer = (status >= 200 && status < 300) || status === 304 || (status >= 400 && status <= 599);
  if (!isAnswer || outgoing.headersSent || outgoing.destroyed) return false;
  try {
    outgoing.writeHead(status, headers);
    return true;
  } catch {
    return false;
  }
}

/**
 * Headers of the relay, which override the hub's: a page from a hub runs no script under the cloud's name.
 */
const ofRelay = {
  ...openHeaders,
  "content-security-policy": `sandbox; ${securityHeaders["content-security-policy"]}`,
} as const;

/**
 * Collects a short body, so that it goes out in one piece with its head, and so that the client gets an error
 * status if the hub never completes it. Does not wait for the end of the stream, which comes a little later.
 */
function gather(stream: ClientHttp2Stream, length: number, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let left = length;
  const take = (chunk: Buffer): void => {
    chunks.push(chunk);
    left -= chunk.length;
    if (left === 0) done(chunks.length === 1 ? chunk : Buffer.concat(chunks));
  };
  stream.on("data", take);
  if (length === 0) take(Buffer.alloc(0));
}
