import type { IncomingMessage } from "node:http";
import { limits } from "@ledge/model";
import { invalid, Refused } from "./refused.ts";

type Chunks = AsyncIterable<Uint8Array>;

/** Reads a JSON body, whatever its content type says (wire-facts 4): its value, or 413 or 422. */
export async function readJson(
  request: Request,
  incoming: IncomingMessage | undefined,
  bytesMax: number,
): Promise<{ readonly value: unknown } | Refused> {
  const body = await readBody(request, incoming, bytesMax);
  return body instanceof Refused ? body : parseJson(body);
}

/** Reads a body as text in UTF-8, every character of it: the text, or 413 or 422. */
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
 * Reads a body. Stops reading at the limit, with or without a content length.
 * @param incoming the request of node:http where there is one: it spares the detour over web streams.
 * @returns the bytes, none where there is no body
 */
export async function readBody(
  request: Request,
  incoming: IncomingMessage | undefined,
  bytesMax: number,
): Promise<Uint8Array | Refused> {
  const announced = Number(incoming?.headers["content-length"] ?? request.headers.get("content-length") ?? 0);
  if (announced > bytesMax) return tooLarge(bytesMax);
  // What a refused body has left is for the server to drain, so that the connection can go on.
  const source = incoming?.iterator({ destroyOnReturn: false }) ?? request.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of (source ?? []) as Chunks) {
      size += chunk.length;
      if (size > bytesMax) return tooLarge(bytesMax);
      chunks.push(chunk);
    }
  } catch {
    return invalid([{ field: "", message: "the body ended early" }]);
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

function tooLarge(bytesMax: number): Refused {
  return new Refused(413, `a body has at most ${bytesMax} bytes`);
}

/**
 * Parses JSON that came from outside.
 * @returns the value, free of keys that reach a prototype and not too deep to walk
 */
export function parseJson(bytes: Uint8Array): { readonly value: unknown } | Refused {
  if (bytes.length === 0) return invalid([{ field: "", message: "a JSON body is needed" }]);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return invalid([{ field: "", message: "the body is not JSON in UTF-8" }]);
  }
  if (!isTame(value, limits.bodyDepth)) {
    return invalid([{ field: "", message: `the body is nested more than ${limits.bodyDepth} deep` }]);
  }
  return { value };
}

/** Takes `__proto__` keys out of a value; false when it is nested too deep. */
function isTame(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isTame(item, depth - 1));
  if (Object.hasOwn(value, "__proto__")) delete (value as { __proto__?: unknown }).__proto__;
  return Object.values(value).every((item) => isTame(item, depth - 1));
}
