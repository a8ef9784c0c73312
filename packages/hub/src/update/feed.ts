import { createWriteStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { limits } from "@ledge/model";
import Type from "typebox";
import { Check } from "typebox/value";
import { UpdateError } from "./update-error.ts";
import { isVersion } from "./version-order.ts";

/** The newest release for a board, as who makes releases publishes it beside its bundle. */
const Newest = Type.Object({
  version: Type.String({ maxLength: limits.nameChars }),
  /** The bundle's file, in the folder of this one. */
  bundle: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$" }),
  bytes: Type.Integer({ minimum: 1, maximum: limits.updateBundleBytes }),
});

export interface Available {
  readonly version: string;
  readonly url: string;
  readonly bytes: number;
}

/**
 * Reads which release a feed offers. What it says is believed of nothing but where to fetch: the bundle is signed.
 * @throws UpdateError
 */
export async function readFeed(url: string): Promise<Available> {
  const response = await get(url);
  const text = await textOf(response, url);
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    said = undefined;
  }
  if (!Check(Newest, said) || !isVersion(said.version))
    throw new UpdateError(`${url} does not say which release there is`);
  return { version: said.version, url: new URL(said.bundle, url).href, bytes: said.bytes };
}

/**
 * Fetches a bundle into a file.
 * @param onBytes called with how many bytes are there
 * @throws UpdateError when it is not as long as announced, or nothing comes for a while
 */
export async function fetchBundle(
  { url, bytes }: Available,
  file: string,
  onBytes: (count: number) => void,
): Promise<void> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), limits.updateSilenceMs);
  let count = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      timer.refresh();
      count += chunk.length;
      onBytes(count);
      done(count > bytes ? new UpdateError(`${url} is longer than announced`) : null, chunk);
    },
  });
  try {
    const response = await get(url, silence.signal);
    if (response.body === null) throw new UpdateError(`${url} is empty`);
    await pipeline(
      Readable.fromWeb(response.body as never),
      counted,
      createWriteStream(file, { mode: 0o600, flush: true }),
      {
        signal: silence.signal,
      },
    );
  } catch (error) {
    if (error instanceof UpdateError) throw error;
    const how = silence.signal.aborted ? "nothing comes any more" : (error as Error).message;
    throw new UpdateError(`${url} could not be fetched: ${how}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  if (count !== bytes) throw new UpdateError(`${url} ended after ${count} of ${bytes} bytes`);
}

async function get(
  url: string,
  signal: AbortSignal = AbortSignal.timeout(limits.updateSilenceMs),
): Promise<Response> {
  try {
    const response = await fetch(url, { redirect: "error", signal });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new UpdateError(`${url} answered ${response.status}`);
  } catch (error) {
    if (error instanceof UpdateError) throw error;
    throw new UpdateError(`${url} does not answer`, { cause: error });
  }
}

async function textOf(response: Response, url: string): Promise<string> {
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.length > limits.updateFeedChars) throw new UpdateError(`${url} is too long`);
  }
  return text;
}
