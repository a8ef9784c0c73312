import type { IncomingMessage, ServerResponse } from "node:http";
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
import { endOnInformation } from "./information.ts";

/** Why there is no answer of the hub's. */
export type Failure = "hub-died" | "no-answer" | "timeout";

/** A request as it goes to a hub, and where the answer goes. */
export interface Forwarding {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Path and query at the hub. */
  readonly path: string;
  /** The client's, as the cloud sees it. */
  readonly address: string;
  /** Counts what goes through. */
  readonly traffic: Traffic;
}

export interface ForwardTimes {
  /** How long the hub may take until its answer begins; of a short one until its stream has ended. */
  readonly relayAnswerMs: number;
  /** How long an answer whose client has left may take before it is cancelled at the hub. */
  readonly relayLeaveMs: number;
}

/** What has gone through the relay since the start. */
export interface Traffic {
  requests: number;
  /** Bytes of bodies. */
  toHubs: number;
  fromHubs: number;
}

export interface Forwarded {
  /** Undefined when the answer has begun, or the client is gone. */
  readonly failure: Promise<Failure | undefined>;
  /** Nothing of the request is under way any more. */
  readonly ended: Promise<void>;
}

/**
 * Sends a request through a tunnel, and the answer to the client. Bodies are streamed both ways: whoever reads slowly
 * slows down the other end. The request is cancelled at the hub when the client goes. An answer whose rest does not
 * come breaks the client's connection off: a part must not be taken for the whole.
 */
export function forward(
  session: ClientHttp2Session,
  { incoming, outgoing, path, address, traffic }: Forwarding,
  clock: Pick<Clock, "after">,
  { relayAnswerMs, relayLeaveMs }: ForwardTimes = limits,
): Forwarded {
  const { method = "GET", headers: asked } = incoming;
  const hasBody = asked["transfer-encoding"] !== undefined || Number(asked["content-length"] ?? 0) > 0;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: failure, resolve } = Promise.withResolvers<Failure | undefined>();
  const head = { ":method": method, ":path": path, ...headersToHub(asked, address) };
  // Closing a stream that still sends ends the body first: the hub would take a part for the whole.
  const sending = hasBody ? new AbortController() : undefined;
  let stream: ClientHttp2Stream;
  try {
    stream = session.request(head, { endStream: !hasBody, ...(sending && { signal: sending.signal }) });
  } catch {
    // The session takes no more requests: it has ended, or has used up its numbers of streams.
    return { failure: Promise.resolve("hub-died"), ended: Promise.resolve() };
  }
  traffic.requests++;
  endOnInformation(session, stream);
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
    // Whose answer is whole has it from a stream that ends by itself.
    if (outgoing.writableFinished) return;
    if (sending !== undefined && !stream.writableEnded) return cancel();
    // An answer that comes meanwhile ends the stream by itself. Frames of streams that were reset count as faults of
    // the hub's (nghttp2), and enough of them end the tunnel: clients who leave at once could do that to everybody.
    stream.resume();
    cancelLater = clock.after(relayLeaveMs, cancel);
  };
  outgoing.once("close", leave);
  stream.once("response", (headers) => {
    if (outgoing.destroyed) return;
    const begun = (isAnswer: boolean): void => {
      // A hub may be anybody's, and say what is no answer at all.
      if (isAnswer || outgoing.destroyed) resolve(undefined);
      else fail("no-answer");
    };
    answer({ session, stream, headers, method, outgoing }, begun, cancelTimer);
    stream.on("data", (chunk: Buffer) => (traffic.fromHubs += chunk.length));
  });
  stream.on("error", () => {});
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

/** A hub that has heard enough ends the sending; the client may go on for a while, so that it reads the answer. */
function send(
  incoming: IncomingMessage,
  stream: ClientHttp2Stream,
  cancel: () => void,
  clock: Pick<Clock, "after">,
): void {
  incoming.pipe(stream);
  // Behind what else the end of an answer leads to: closing the stream would look as if the hub had not ended.
  stream.once("end", () => setImmediate(cancel));
  stream.once("close", () => {
    incoming.unpipe(stream);
    if (incoming.complete) return;
    incoming.resume();
    const cancelTimer = clock.after(limits.closeGraceMs, () => incoming.destroy());
    incoming.once("close", cancelTimer);
  });
}

/** What has begun to come of a request. */
interface Begun {
  readonly session: ClientHttp2Session;
  readonly stream: ClientHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly outgoing: ServerResponse;
}

/**
 * @param begun told whether there is an answer: when it has begun, or, of a short one, when all of it is there
 * @param awaitEnd the answer has begun and may take as long as it wants
 */
function answer(
  { session, stream, headers, method, outgoing }: Begun,
  begun: (isAnswer: boolean) => void,
  awaitEnd: () => void,
): void {
  const status = Number(headers[":status"]);
  const begin = (): boolean => {
    const isAnswer = isBegun(outgoing, status, headers);
    begun(isAnswer);
    return isAnswer;
  };
  const length = Number(headers["content-length"] ?? Infinity);
  if (method === "HEAD" || status === 204 || status === 304) {
    stream.resume();
    if (begin()) outgoing.end();
  } else if (length <= limits.tunnelPieceBytes) {
    gather(stream, length, (body) => begin() && outgoing.end(body));
  } else if (begin()) {
    awaitEnd();
    outgoing.flushHeaders();
    stream.pipe(outgoing, { end: false });
    stream.once("end", () => {
      // The end of a session ends its streams as if their answers were whole.
      if (stream.rstCode === constants.NGHTTP2_NO_ERROR && !session.destroyed) outgoing.end();
    });
  }
}

/**
 * Begins an answer; false for what HTTP does not know, and for a redirect: a client that followed one would call the
 * cloud, or somebody else, with its cloud token.
 */
function isBegun(outgoing: ServerResponse, status: number, headers: IncomingHttpHeaders): boolean {
  const isAnswer = (status >= 200 && status < 300) || status === 304 || (status >= 400 && status <= 599);
  if (!isAnswer || outgoing.headersSent || outgoing.destroyed) return false;
  const passed = { ...headersFromHub(headers), ...ofRelay };
  try {
    outgoing.writeHead(status, passed);
    return true;
  } catch {
    for (const name of Object.keys(passed)) outgoing.removeHeader(name);
    return false;
  }
}

/** What the relay says itself, whatever the hub says: a page that a hub serves runs nothing in the cloud's name. */
const ofRelay = {
  ...openHeaders,
  ...securityHeaders,
  "content-security-policy": `sandbox; ${securityHeaders["content-security-policy"]}`,
} as const;

/**
 * A short body, once all of it is there: it goes out in one piece with its head, and of a hub that does not end it the
 * client hears by a status. The end of the stream, which comes a little later, is not waited for.
 */
function gather(stream: ClientHttp2Stream, length: number, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let left = length;
  const take = (chunk: Buffer): void => {
    chunks.push(chunk);
    left -= chunk.length;
    if (left === 0) done(Buffer.concat(chunks));
  };
  stream.on("data", take);
  if (length === 0) take(Buffer.alloc(0));
}
