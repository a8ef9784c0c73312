import { type ClientHttp2Session, constants } from "node:http2";
import { PassThrough, pipeline, type Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import type { Clock } from "@ledge/kernel";
import { privatePaths } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import { beginRequest } from "../relay/request.ts";
import { ChangesError, readChanges, type ReadChanges } from "./read-changes.ts";

/**
 * Asks a hub for what has changed in the home, and waits a while for it.
 * @param after the stored cursor; null for everything
 * @returns undefined when the hub is of a release that tells nothing
 * @throws ChangesError, or an Error of the tunnel
 */
export async function pullChanges(
  session: ClientHttp2Session,
  after: string | null,
  clock: Pick<Clock, "after">,
  signal: AbortSignal,
): Promise<ReadChanges | undefined> {
  const { changesAtOnce, changesWaitS, changesAnswerMs } = limits;
  const query = `after=${encodeURIComponent(after ?? "")}&max=${changesAtOnce}&wait=${changesWaitS}`;
  const head = { ":path": `${privatePaths.changes}?${query}`, "accept-encoding": "zstd" };
  const stream = beginRequest(session, head, { endStream: true, signal });
  if (stream === undefined) throw new ChangesError("the tunnel takes no more requests");
  const cancel = (): void => stream.close(constants.NGHTTP2_CANCEL);
  // node:http2 fails a read that begins after the stream has closed, so it begins at once.
  const arriving = new PassThrough();
  pipeline(stream, arriving, () => {});
  const cancelTimer = clock.after(changesWaitS * 1000 + changesAnswerMs, cancel);
  try {
    const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    stream.once("response", resolve);
    stream.once("error", reject);
    stream.once("close", () => reject(new ChangesError("the hub gave no answer")));
    const { ":status": status, "content-encoding": encoding } = await promise;
    if (status === 404) return undefined;
    if (status !== 200) throw new ChangesError(`the hub answers ${String(status)}`);
    if (encoding !== undefined && encoding !== "zstd") throw new ChangesError("an unknown encoding");
    // The end of a session also ends its streams, as if their answers were complete: the last line tells.
    return await readChanges(encoding === "zstd" ? decompressed(arriving) : arriving);
  } finally {
    cancelTimer();
    if (!stream.closed) cancel();
  }
}

function decompressed(compressed: Readable): AsyncIterable<Buffer> {
  const plain = createZstdDecompress();
  // Its reader gets the error.
  pipeline(compressed, plain, () => {});
  return plain;
}
