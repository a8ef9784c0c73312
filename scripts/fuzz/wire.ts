// Sends a request as bytes, including malformed ones that no client library would send.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "./requests.ts";

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly row: { readonly method: string; readonly body?: unknown; readonly stream?: boolean };
  /** Includes the query. */
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly delivery: Delivery;
}

/** The answer. `status` is undefined when the connection ended without one. */
export interface Sent {
  readonly status: number | undefined;
  readonly isJson: boolean;
  /** The header lines. */
  readonly head: readonly string[];
  readonly body: string;
}

/** How long to wait for an answer: longer than the hub waits for a request. */
const patienceMs = 90_000;
const dripBytes = 7;
const dripsMax = 40;

/**
 * Sends a request over a new connection.
 * @param localAddress the address by which the hub limits unknown callers
 * @param credentials header lines in addition to those of the request
 */
export async function send(
  request: WireRequest,
  port: number,
  localAddress: string,
  credentials: readonly string[],
): Promise<Sent> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  let received = "";
  socket.setTimeout(patienceMs, () => socket.destroy());
  // The hub may have answered and closed while the body is still being sent.
  socket.on("error", () => {});
  const ended = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
    // A persistent connection and a stream do not end on their own.
    if (isWhole(received, request.row.stream === true)) socket.destroy();
  });
  await Promise.race([once(socket, "connect").catch(() => {}), ended]);
  await deliver(socket, request, credentials);
  await ended;
  return read(received);
}

async function deliver(
  socket: ReturnType<typeof connect>,
  { row, path, headers, body, delivery }: WireRequest,
  credentials: readonly string[],
): Promise<void> {
  const lines = [`${row.method} ${path} HTTP/1.1`, "Host: localhost", ...headers, ...credentials];
  if (delivery === "chunked") lines.push("Transfer-Encoding: chunked");
  else if (row.body !== undefined || body.length > 0)
    lines.push(`Content-Length: ${announced(body, delivery)}`);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  switch (delivery) {
    case "whole":
      socket.write(body);
      break;
    case "chunked":
      for (const piece of pieces(body))
        socket.write(`${piece.length.toString(16)}\r\n${piece.toString("latin1")}\r\n`, "latin1");
      socket.write("0\r\n\r\n");
      break;
    case "dripped":
      for (const piece of pieces(body)) {
        socket.write(piece);
        await sleep(0);
      }
      break;
    case "aborted":
      socket.write(body.subarray(0, body.length >> 1), () => socket.destroy());
      break;
    case "more":
      socket.end(body);
      break;
    case "less":
      socket.write(body);
      break;
  }
}

function announced({ length }: Buffer, delivery: Delivery): number {
  if (delivery === "more") return length + 10;
  return delivery === "less" ? length >> 1 : length;
}

function pieces(body: Buffer): Buffer[] {
  const step = Math.max(dripBytes, Math.ceil(body.length / dripsMax));
  const count = Math.ceil(body.length / step);
  return Array.from({ length: count }, (_, at) => body.subarray(at * step, (at + 1) * step));
}

/** Returns the text after informational responses such as `100 Continue`. */
function finalOf(text: string): string {
  return text.replace(/^(?:HTTP\/1\.1 1\d\d [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)+/, "");
}

function isWhole(received: string, isStream: boolean): boolean {
  const text = finalOf(received);
  const split = text.indexOf("\r\n\r\n");
  if (split === -1) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, split))?.[1];
  return length === undefined
    ? isStream || text.endsWith("0\r\n\r\n")
    : text.length >= split + 4 + Number(length);
}

function read(received: string): Sent {
  const text = finalOf(received);
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  const split = text.indexOf("\r\n\r\n");
  const head = text.slice(0, split);
  return {
    status: status === undefined ? undefined : Number(status),
    head: split === -1 ? [] : head.split("\r\n"),
    isJson: /^content-type: application\/json/im.test(head),
    body: split === -1 ? "" : text.slice(split + 4),
  };
}
