import { once } from "node:events";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { Writable } from "node:stream";
import { createZstdCompress } from "node:zlib";
import { limits } from "@ledge/model";
import type { Changes, ChangesRequest } from "./changes.ts";

/**
 * Answers a request of the cloud for changes, as lines of JSON. A long answer is compressed if the cloud takes
 * that. An answer that fails ends without its last line.
 * @param onError gets what reading the home has thrown
 */
export async function answerChanges(
  changes: Pick<Changes, "pieces">,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  onError: (error: Error) => void,
): Promise<void> {
  const asked = requestIn(request.url);
  if (asked === undefined) {
    response.writeHead(422, { "content-type": "application/json" });
    return void response.end(JSON.stringify({ message: "after, max and wait are not understood" }));
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const takesZstd = /\bzstd\b/.test(String(request.headers["accept-encoding"]));
    await send(changes.pieces(asked, gone.signal), takesZstd, { response, signal: gone.signal });
  } catch (error) {
    if (!gone.signal.aborted) onError(error as Error);
    response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}

interface Receiver {
  readonly response: Http2ServerResponse;
  readonly signal: AbortSignal;
}

async function send(
  pieces: AsyncIterable<string>,
  takesZstd: boolean,
  { response, signal }: Receiver,
): Promise<void> {
  const { changesPlainBytes, changesPackedBytes } = limits;
  const enough = takesZstd ? changesPackedBytes : changesPlainBytes;
  let [text, target]: [string, Writable | undefined] = ["", undefined];
  for await (const piece of pieces) {
    if (signal.aborted) return;
    text += piece;
    if (text.length < enough) continue;
    target ??= begin(response, takesZstd);
    if (!target.write(text)) await once(target, "drain", { signal });
    text = "";
  }
  target ??= begin(response, takesZstd && text.length >= changesPlainBytes);
  target.end(text);
}

/** Begins the answer. Returns where its text goes. */
function begin(response: Http2ServerResponse, isCompressed: boolean): Writable {
  const encoding = isCompressed ? { "content-encoding": "zstd" } : {};
  response.writeHead(200, { "content-type": "application/x-ndjson", ...encoding });
  if (!isCompressed) return response;
  const compressing = createZstdCompress();
  compressing.pipe(response);
  return compressing;
}

/** Returns what a request asks for; undefined for anything that the cloud does not send. */
function requestIn(url: string): ChangesRequest | undefined {
  const { searchParams: query } = new URL(url, "http://hub");
  const [max, wait] = [
    whole(query.get("max"), limits.changesAtOnce),
    whole(query.get("wait"), limits.changesWaitMaxS),
  ];
  const after = query.get("after") ?? "";
  if (max === undefined || max < 1 || wait === undefined || after.length > limits.changeCursorChars)
    return undefined;
  return { after: after === "" ? undefined : after, max, waitMs: wait * 1000 };
}

function whole(text: string | null, most: number): number | undefined {
  const value = Number(text);
  return text !== null && /^\d+$/.test(text) && value <= most ? value : undefined;
}
