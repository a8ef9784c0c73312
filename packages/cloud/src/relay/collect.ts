import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Failure, ForwardTimes } from "./forward.ts";
import { beginRequest, isWhole } from "./request.ts";

/** A request of the cloud itself for a user of a hub. */
export interface Collecting {
  readonly method: string;
  /** Path and query at the hub. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Takes room for a piece of an answer, until the request has ended. @returns false when there is none */
export type TakeRoom = (bytes: number) => boolean;

/** A hub's whole answer. */
export interface Collected {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Why there is no whole answer: as for forwarded requests; or the request has a head that is too large, the answer is
 * too large, there is no room for it, or nobody waits for it. */
export type CollectFailure = Failure | "large-head" | "too-large" | "no-room" | "left";

export interface Collection {
  readonly answer: Promise<Collected | CollectFailure>;
  /** Resolves when nothing of the request is pending any more. */
  readonly ended: Promise<void>;
}

/**
 * Sends a request through a tunnel and collects its answer, up to `limits.hubAnswerBytes`. An answer counts
 * only if it is whole. A request that is given up goes on for a while, as for `forward`.
 */
export function collect(
  session: ClientHttp2Session,
  { method, path, headers, body, signal }: Collecting,
  clock: Pick<Clock, "after">,
  take: TakeRoom,
  { relayAnswerMs, relayLeaveMs }: ForwardTimes = limits,
): Collection {
  const { promise: answer, resolve } = Promise.withResolvers<Collected | CollectFailure>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const content = body === undefined ? {} : { "content-type": "application/json" };
  const head = { ":method": method, ":path": path, ...headers, ...content };
  // A larger one ends the session of HTTP/2, and with it the requests of everybody else.
  if (sizeOf(head) > limits.headerBytes)
    return { answer: Promise.resolve("large-head"), ended: Promise.resolve() };
  // Without `endStream`, node:http2 sends no body with a DELETE.
  const stream = beginRequest(session, head, { endStream: body === undefined });
  if (stream === undefined) return { answer: Promise.resolve("hub-died"), ended: Promise.resolve() };
  const cancel = (): void => stream.close(constants.NGHTTP2_CANCEL);
  const cancels = [clock.after(relayAnswerMs, () => fail("timeout"))];
  const fail = (why: CollectFailure): void => {
    resolve(why);
    cancel();
  };
  const leave = (): void => {
    resolve("left");
    cancels.push(clock.after(relayLeaveMs, cancel));
  };
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  gather({ session, stream, take }, resolve, fail);
  stream.once("close", () => {
    for (const each of cancels) each();
    signal.removeEventListener("abort", leave);
    resolve("hub-died");
    end();
  });
  if (body !== undefined) stream.end(body);
  return { answer, ended };
}

/** Returns the bytes of a head, as clients of HTTP may send them. */
function sizeOf(head: Readonly<Record<string, string>>): number {
  return Object.entries(head).reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);
}

interface Gathering {
  readonly session: ClientHttp2Session;
  readonly stream: ClientHttp2Stream;
  readonly take: TakeRoom;
}

/** Collects the answer of a stream. */
function gather(
  { session, stream, take }: Gathering,
  done: (collected: Collected) => void,
  failed: (why: CollectFailure) => void,
): void {
  let head: { readonly status: number; readonly contentType: string } | undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  stream.once("response", (received) => {
    const status = Number(received[":status"]);
    head = { status, contentType: received["content-type"] ?? "" };
    // The hub may belong to anybody; a redirect would lead elsewhere.
    if (status < 200 || (status >= 300 && status < 400) || status > 599) failed("no-answer");
  });
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > limits.hubAnswerBytes) failed("too-large");
    else if (!take(chunk.length)) failed("no-room");
    else chunks.push(chunk);
  });
  stream.once("end", () => {
    if (head !== undefined && isWhole(session, stream)) done({ ...head, body: Buffer.concat(chunks) });
    else failed("hub-died");
  });
}
