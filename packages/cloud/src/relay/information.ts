import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";

/**
 * Ends a session whose hub answers with a status 1xx (RFC 9110 15.2). No hub needs to, because `Expect` is
 * not passed on, and a hub that sends endless ones would keep the cloud busy for as long as the request
 * lasts.
 */
export function endOnInformation(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
  stream.once("headers", () => session.destroy());
}
