import { type ClientHttp2Session, constants } from "node:http2";
import type { Clock } from "@ledge/kernel";
import { beginRequest } from "./request.ts";

/**
 * Sends a request of the cloud itself to a hub.
 * @param json body of a POST; without it the request is a GET
 * @returns whether the hub has answered with success
 */
export function ask(
  session: ClientHttp2Session,
  path: string,
  json: object | undefined,
  clock: Pick<Clock, "after">,
  answerMs: number,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const method = json === undefined ? "GET" : "POST";
  const head = { ":method": method, ":path": path, "content-type": "application/json" };
  const stream = beginRequest(session, head);
  if (stream === undefined) return Promise.resolve(false);
  const close = (): void => stream.close(constants.NGHTTP2_CANCEL);
  const cancelTimer = clock.after(answerMs, close);
  stream.once("response", ({ ":status": status = 0 }) => {
    resolve(status >= 200 && status < 300);
    close();
    // Read the part of the answer that has already arrived: until then neither the stream nor its session
    // ends.
    stream.resume();
  });
  stream.once("close", () => {
    cancelTimer();
    resolve(false);
  });
  stream.end(json && JSON.stringify(json));
  return promise;
}
