import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";

/**
 * Begins a request through a tunnel. Errors of the stream end with its event `close`.
 *
 * Ends a session whose hub answers with a status 1xx (RFC 9110 15.2). No hub needs to, because `Expect` is
 * not passed on, and a hub that sends endless ones would keep the cloud busy for as long as the request
 * lasts.
 * @returns undefined when the session takes no more requests: it has ended, or has used up its stream numbers
 */
export function beginRequest(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  options?: ClientSessionRequestOptions,
): ClientHttp2Stream | undefined {
  let stream: ClientHttp2Stream;
  try {
    stream = session.request(headers, options);
  } catch {
    return undefined;
  }
  stream.once("headers", () => session.destroy());
  stream.on("error", () => {});
  return stream;
}

/**
 * Returns whether an answer that has ended is whole: the end of a session also ends its streams, as if their
 * answers were complete.
 */
export function isWhole(session: ClientHttp2Session, stream: ClientHttp2Stream): boolean {
  return stream.rstCode === constants.NGHTTP2_NO_ERROR && !session.destroyed;
}
