import type { HubRequest } from "../api.ts";

/** A request with its body, wherever it comes from. */
export interface HttpRequest extends HubRequest {
  /** Reads the body; undefined if it is longer than allowed, or the client has left. */
  readBody(bytesMax: number): Promise<Uint8Array | undefined>;
  /** Calls back if the client leaves before it was answered. */
  onGone(callback: () => void): void;
}

/** An answer that is known as a whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** An answer that stays open. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the headers are on their way. */
  open(sink: Sink): SinkListener;
}

/** The body of an answer that stays open. */
export interface Sink {
  /** Bytes that were written here and have not left the process. */
  readonly bufferedAmount: number;
  write(bytes: Uint8Array): void;
  /** Ends after what was written. */
  end(): void;
  /** Ends at once. */
  destroy(): void;
}

export interface SinkListener {
  drained(): void;
  /** The body has ended, by either side. */
  closed(): void;
}

/** An answer for people: a line of text that says what is wrong. */
export function textAnswer(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body: text };
}

export function jsonAnswer(body: object): Answer {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { status: 200, headers, body: JSON.stringify(body) };
}

/** Joins the pieces of a body; undefined if they are longer than allowed, or reading fails. */
export async function readWhole(
  pieces: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of pieces) {
      length += chunk.byteLength;
      if (length > bytesMax) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** The token of a request: of a header, or where a browser cannot send one, of the query. */
export function tokenIn(authorization: string | undefined, url: URL): string | undefined {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
  return bearer ?? url.searchParams.get("access_token") ?? undefined;
}
