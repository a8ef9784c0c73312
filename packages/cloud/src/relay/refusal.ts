import type { ServerResponse } from "node:http";
import { openHeaders } from "@ledge/link";

/** An answer of the relay itself. */
export interface Refusal {
  /** 400 or 408 for a hub without a tunnel, 429 for too many requests. */
  readonly status: number;
  readonly message: string;
  readonly retryAfterS?: number;
}

export function refusal(status: number, message: string, retryAfterS?: number): Refusal {
  return { status, message, ...(retryAfterS !== undefined && { retryAfterS }) };
}

/** @param headers of every answer to this client */
export function refuse(
  outgoing: ServerResponse,
  { status, message, retryAfterS }: Refusal,
  headers: Readonly<Record<string, string>>,
): void {
  const again = retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) };
  const body = JSON.stringify({ message });
  const length = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  outgoing.writeHead(status, { ...headers, ...openHeaders, ...again, ...length }).end(body);
}
