import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";

/** A request that a hub got through its tunnel: method, path, body. */
export type Asked = [method: string, path: string, body: unknown];

/**
 * Returns a hub's side of a tunnel: it notes what it is asked, and answers as it is told to. It has nothing to
 * replicate.
 * @param answer returns status and body of the next answer
 */
export function answering(
  asked: Asked[],
  answer: () => readonly [status: number, value: unknown],
): (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void {
  return (stream, headers) => {
    let text = "";
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    stream.on("end", () => {
      if (headers[":path"]?.startsWith("/.ledge/"))
        return stream.respond({ ":status": 204 }, { endStream: true });
      asked.push([String(headers[":method"]), String(headers[":path"]), text && JSON.parse(text)]);
      const [status, value] = answer();
      stream.respond({ ":status": status, "content-type": "application/json" });
      stream.end(JSON.stringify(value));
    });
  };
}
