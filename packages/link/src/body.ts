import type { IncomingMessage } from "node:http";
import { limits } from "@ledge/model";
import { excessIn, type JsonBounds } from "./json-bounds.ts";
import { dropPrototypeKeys, mayHavePrototypeKeys } from "./prototype-keys.ts";
import { invalid, Refused } from "./refused.ts";

/** The default limits of a request's body. */
export const bodyBounds: JsonBounds = {
  depth: limits.bodyDepth,
  keys: limits.bodyObjectKeys,
  items: limits.bodyArrayItems,
  values: limits.bodyValues,
};

type Chunks = AsyncIterable<Uint8Array>;

/** Throws at bytes that are not UTF-8, and skips a byte order mark. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON body, whatever its content type says (wire-facts 4).
 * @returns its value and size, or a refusal with 413 or 422
 */
export function readJson(
  request: Request,
  incoming: IncomingMessage | undefined,
  bytesMax: number,
  bounds: JsonBounds = bodyBounds,
): Promise<ReadJson | Refused> {
  return readAs(request, incoming, bytesMax, (body) => {
    const parsed = parseJson(body, bounds);
    return parsed instanceof Refused ? parsed : { value: parsed.value, bytes: body.length };
  });
}

/** A value, and the size of the body that it came in. */
export interface ReadJson {
  readonly value: unknown;
  readonly bytes: number;
}

/**
 * Reads a body as UTF-8 text, with every character as it is.
 * @returns the text, or a refusal with 413 or 422
 */
export async function readText(
  request: Request,
  incoming: IncomingMessage | undefined,
  bytesMax: number,
): Promise<string | Refused> {
  const body = await readBody(request, incoming, bytesMax);
  if (body instanceof Refused) return body;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return invalid([{ field: "", message: "the body is not UTF-8" }]);
  }
}

/**
 * Reads a body, at most up to the limit, with or without a content length.
 * @param incoming the request of node:http if there is one, which avoids the detour over web streams
 * @returns the bytes; none without a body
 */
export function readBody(
  request: Request,
  incoming: IncomingMessage | undefined,
  bytesMax: number,
): Promise<Uint8Array | Refused> {
  return readAs(request, incoming, bytesMax, (body) => body);
}

/**
 * Reads a body and makes something of it at its last byte: a command waits for as few promises as possible.
 * @param make must not throw
 */
function readAs<T>(
  request: Request,
  incoming: IncomingMessage | undefined,
  bytesMax: number,
  make: (body: Uint8Array) => T,
): Promise<T | Refused> {
  const announced = Number(incoming?.headers["content-length"] ?? request.headers.get("content-length") ?? 0);
  if (announced > bytesMax) return Promise.resolve(tooLarge(bytesMax));
  if (incoming !== undefined) return received(incoming, announced, bytesMax, make);
  return collected(request, bytesMax).then((body) => (body instanceof Refused ? body : make(body)));
}

async function collected(request: Request, bytesMax: number): Promise<Uint8Array | Refused> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of (request.body ?? []) as Chunks) {
      size += chunk.length;
      if (size > bytesMax) return tooLarge(bytesMax);
      chunks.push(chunk);
    }
  } catch {
    return endedEarly();
  }
  return joined(chunks);
}

/**
 * Returns the body of a request of node:http as soon as its last byte is there: most bodies arrive with their head,
 * and an iterator over the stream would take longer than the rest of a short request.
 * @param announced the length in the head; 0 if it has none
 */
function received<T>(
  incoming: IncomingMessage,
  announced: number,
  bytesMax: number,
  make: (body: Uint8Array) => T,
): Promise<T | Refused> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const end = (body: Uint8Array | Refused): void => {
      incoming.off("data", take).off("end", ended).off("error", broken).off("close", broken);
      resolve(body instanceof Refused ? body : make(body));
    };
    const take = (chunk: Uint8Array): void => {
      size += chunk.length;
      if (size > bytesMax) {
        // The server drains the rest with its answer, so that the connection can be used again.
        incoming.pause();
        end(tooLarge(bytesMax));
        return;
      }
      chunks.push(chunk);
      if (size === announced) end(joined(chunks));
    };
    const ended = (): void => end(joined(chunks));
    const broken = (): void => end(endedEarly());
    if (incoming.destroyed) broken();
    else incoming.on("data", take).on("end", ended).on("error", broken).on("close", broken);
  });
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

function endedEarly(): Refused {
  return invalid([{ field: "", message: "the body ended early" }]);
}

function tooLarge(bytesMax: number): Refused {
  return new Refused(413, `a body has at most ${bytesMax} bytes`);
}

/**
 * Parses JSON from outside. Refuses what exceeds a limit before it builds a value.
 * @param malformed the HTTP status for what is no JSON at all
 * @returns the value, without keys that reach a prototype
 */
export function parseJson(
  bytes: Uint8Array,
  bounds: JsonBounds = bodyBounds,
  malformed: 400 | 422 = 422,
): { readonly value: unknown } | Refused {
  if (bytes.length === 0) return notJson(malformed, "a JSON body is needed");
  const excess = excessIn(bytes, bounds);
  if (excess !== undefined) return invalid([{ field: "", message: excess }]);
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (mayHavePrototypeKeys(text)) dropPrototypeKeys(value);
    return { value };
  } catch {
    return notJson(malformed, "the body is not JSON in UTF-8");
  }
}

function notJson(status: number, message: string): Refused {
  return new Refused(status, message, [{ field: "", message }]);
}
