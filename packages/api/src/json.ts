import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { limits } from "@ledge/model";
import { accepts, openHeaders, preflightHeaders } from "@ledge/link";
import { Refused } from "./refused.ts";

const json = { "content-type": "application/json", ...openHeaders };
/** Up to here an answer goes out as text. */
const shortBytes = 1024;

const ok = { status: 200, headers: json };

export function preflight(): Response {
  return new Response(null, { status: 204, headers: preflightHeaders });
}

/** A result as a response: JSON bytes as they are, anything else as its JSON. Never without a body. */
export function respond(result: unknown): Response {
  if (result instanceof Uint8Array) return new Response(bodyOf(result), ok);
  if (result instanceof Refused) return respondRefused(result);
  if (result instanceof Response) return result;
  return new Response(jsonOf(result), ok);
}

function jsonOf(result: unknown): string {
  const text = JSON.stringify(result) as string | undefined;
  if (text === undefined) throw new TypeError("a handler answered nothing");
  return text;
}

/** The bytes that were answered last, and their text: idle polls get the same bytes until something changes. */
let lastBytes: Uint8Array | undefined;
let lastText = "";

/** Node writes a head and a short text in one piece, but a head and bytes in two, which costs more than the text. */
function bodyOf(bytes: Uint8Array): string | Uint8Array<ArrayBuffer> {
  if (bytes.length > shortBytes) return bytes as Uint8Array<ArrayBuffer>;
  if (bytes !== lastBytes) {
    lastText = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    lastBytes = bytes;
  }
  return lastText;
}

const zip = promisify(gzip);
const fast = { level: constants.Z_BEST_SPEED };
/** Packed forms of bytes that are answered more than once, such as the description of the API. */
const packedForms = new WeakMap<Uint8Array, Promise<Buffer>>();
const zipped = { ...json, "content-encoding": "gzip", vary: "accept-encoding" };

/** Makes responses of results. */
export type Respond = (result: unknown) => Response | Promise<Response>;

let lastAccepted: string | undefined;
let lastRespond: Respond = respond;

/** Returns how to answer a client that accepts these encodings. All clients of a kind send the same header. */
export function responding(acceptEncoding: string | undefined): Respond {
  if (acceptEncoding === undefined) return respond;
  if (acceptEncoding !== lastAccepted) {
    lastRespond = accepts(acceptEncoding, "gzip") ? respondZipped : respond;
    lastAccepted = acceptEncoding;
  }
  return lastRespond;
}

/** Like `respond`, with long JSON as gzip. */
function respondZipped(result: unknown): Response | Promise<Response> {
  if (result instanceof Refused || result instanceof Response) return respond(result);
  const body = result instanceof Uint8Array ? result : jsonOf(result);
  if (Buffer.byteLength(body) <= limits.plainAnswerBytes)
    return new Response(typeof body === "string" ? body : bodyOf(body), ok);
  return packed(body).then(
    (bytes) => new Response(bytes as Uint8Array<ArrayBuffer>, { status: 200, headers: zipped }),
  );
}

function packed(body: string | Uint8Array): Promise<Buffer> {
  if (typeof body === "string") return zip(body, fast);
  let form = packedForms.get(body);
  if (form === undefined) packedForms.set(body, (form = zip(body, fast)));
  return form;
}

function respondRefused(refused: Refused): Response {
  const { status, retryAfterS } = refused;
  const headers = retryAfterS === undefined ? json : { ...json, "retry-after": String(retryAfterS) };
  return new Response(refused.body(), { status, headers });
}

/** A result with the time (s) after which to ask again. */
export function respondAgain(bytes: Uint8Array, afterS: number): Response {
  return new Response(bodyOf(bytes), { status: 200, headers: { ...json, "retry-after": String(afterS) } });
}

/** A result of what was carried out and stands in no log. */
export function respondUnrecorded(result: unknown): Response {
  return new Response(JSON.stringify(result), {
    status: 200,
    headers: { ...json, "ledge-recorded": "false" },
  });
}

/** Sends a response whose request the server has forgotten. */
export async function send(
  outgoing: Pick<ServerResponse, "writeHead" | "end" | "destroyed">,
  response: Response,
): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  if (outgoing.destroyed) return;
  const headers = { ...Object.fromEntries(response.headers), "content-length": body.length };
  outgoing.writeHead(response.status, headers);
  outgoing.end(body);
}

/** The answer to a request on which we failed. What went wrong stands in the log, under the id. */
export function respondFault(id: string): Response {
  const message = `the hub failed on this request; its log has more under ${id}`;
  return new Response(JSON.stringify({ message, id }), { status: 500, headers: json });
}

/** An answer with a text or a stream as its body. */
export function respondAs(
  contentType: string,
  body: string | ReadableStream<Uint8Array> | null,
  status = 200,
): Response {
  return new Response(body, { status, headers: { ...openHeaders, "content-type": contentType } });
}
