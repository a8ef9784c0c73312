import { type ClientHttp2Session, constants } from "node:http2";
import { PassThrough, pipeline } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { constants as zlib, zstdDecompressSync } from "node:zlib";
import type { Clock } from "@ledge/kernel";
import { privatePaths } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import { beginRequest } from "../relay/request.ts";
import { ChangesError, readChanges, type ReadChanges } from "./read-changes.ts";

/** An answer of a hub that has begun to arrive. Until it is read, the rest waits at the hub. */
export interface BegunChanges {
  /** @throws ChangesError, or an Error of the tunnel */
  read(): Promise<ReadChanges>;
  /** Ends the request; an answer that is not read is left. */
  end(): void;
}

/**
 * Asks a hub for what has changed in the home, and waits until it has something to tell, or a while.
 * @param after the stored cursor; null for everything
 * @returns undefined when the hub is of a release that tells nothing
 * @throws ChangesError, or an Error of the tunnel
 */
export async function beginChanges(
  session: ClientHttp2Session,
  after: string | null,
  clock: Pick<Clock, "after">,
  signal: AbortSignal,
): Promise<BegunChanges | undefined> {
  const { changesAtOnce, changesWaitS, changesAnswerMs, changesReadMs } = limits;
  const query = `after=${encodeURIComponent(after ?? "")}&max=${changesAtOnce}&wait=${changesWaitS}`;
  const head = { ":path": `${privatePaths.changes}?${query}`, "accept-encoding": "zstd" };
  const stream = beginRequest(session, head, { endStream: true, signal });
  if (stream === undefined) throw new ChangesError("the tunnel takes no more requests");
  // node:http2 fails a read that begins after the stream has closed, so it begins at once.
  const arriving = new PassThrough();
  pipeline(stream, arriving, () => {});
  let isLate = false;
  const giveUp = (): void => {
    isLate = true;
    stream.close(constants.NGHTTP2_CANCEL);
  };
  let cancelTimer = clock.after(changesWaitS * 1000 + changesAnswerMs, giveUp);
  const end = (): void => {
    cancelTimer();
    if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
  };
  try {
    const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    stream.once("response", resolve);
    stream.once("error", reject);
    stream.once("close", () => reject(new ChangesError("the hub gave no answer")));
    const { ":status": status, "content-encoding": encoding } = await promise;
    cancelTimer();
    if (status !== 200 || (encoding !== undefined && encoding !== "zstd")) {
      end();
      if (status === 404) return undefined;
      throw new ChangesError(status === 200 ? "an unknown encoding" : `the hub answers ${String(status)}`);
    }
    const read = async (): Promise<ReadChanges> => {
      cancelTimer = clock.after(changesReadMs, giveUp);
      try {
        // The end of a session also ends its streams, as if their answers were complete: the last line tells.
        return await readChanges(encoding === "zstd" ? decompressed(arriving) : arriving, after);
      } catch (error) {
        throw isLate ? new ChangesError("the answer takes too long") : error;
      } finally {
        end();
      }
    };
    return { read, end };
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * Yields what a compressed answer holds. An honest one takes less than a millisecond to decompress, so it waits for no
 * other thread.
 * @throws ChangesError
 */
async function* decompressed(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of compressed) {
    size += chunk.length;
    if (size > limits.changesBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const plain = plainOf(Buffer.concat(chunks));
  const { changesReadSliceBytes: slice } = limits;
  for (let at = 0; at < plain.length; at += slice) {
    yield plain.subarray(at, at + slice);
    await setImmediate();
  }
}

function plainOf(compressed: Buffer): Buffer {
  const { changesWindowLog, changesBytes: maxOutputLength, changesReadSliceBytes: chunkSize } = limits;
  const params = { [zlib.ZSTD_d_windowLogMax]: changesWindowLog };
  try {
    return zstdDecompressSync(compressed, { maxOutputLength, chunkSize, params });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === "ERR_BUFFER_TOO_LARGE"
      ? tooLarge()
      : new ChangesError(`the answer is no zstd: ${message}`);
  }
}

function tooLarge(): ChangesError {
  return new ChangesError("the answer is too large");
}
