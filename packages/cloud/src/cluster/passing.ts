import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "@ledge/kernel";
import type { PeerAddress, PeerLink } from "./peer-link.ts";

/** A client's request that another process of the cloud answers. */
export interface Passing {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly headers: IncomingHttpHeaders;
  /** Headers of every answer to this client. */
  readonly always?: Readonly<Record<string, string>>;
  /** How long the answer may take to begin. */
  readonly waitMs: number;
}

/** Header that tells a process of the cloud for which address another one passes a request on. */
export const clientHeader = "x-ledge-client";

const passed = new WeakMap<object, string>();

/** Notes for which address another process has passed a request on. @returns that address */
export function notePassed(incoming: IncomingMessage): string {
  const address = String(incoming.headers[clientHeader] ?? "unknown");
  delete incoming.headers[clientHeader];
  passed.set(incoming, address);
  return address;
}

/** Returns for which address another process has passed a request on; undefined when none has. */
export function passedFor(incoming: object): string | undefined {
  return passed.get(incoming);
}

/** Headers that are about one connection (RFC 9110, 7.6.1). */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function without(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)));
}

/**
 * Passes a request on, and the answer back, as they come. Breaks off the client's connection when the answer stays
 * incomplete.
 * @returns why there is no answer; undefined when it has begun, or the client has left
 */
export function passOn(
  link: Pick<PeerLink, "begin">,
  address: PeerAddress,
  { incoming, outgoing, headers, always = {}, waitMs }: Passing,
  clock: Pick<Clock, "after">,
): Promise<"timeout" | "lost" | undefined> {
  const { promise, resolve } = Promise.withResolvers<"timeout" | "lost" | undefined>();
  const { method = "GET", url = "/" } = incoming;
  const asked = link.begin(address, { method, path: url, headers: without(headers) });
  const fail = (why: "timeout" | "lost"): void => {
    resolve(outgoing.headersSent ? undefined : why);
    asked.destroy();
  };
  const cancel = clock.after(waitMs, () => fail("timeout"));
  const leave = (): void => {
    cancel();
    if (!outgoing.writableFinished) asked.destroy();
    resolve(undefined);
  };
  outgoing.once("close", leave);
  asked.once("error", () => {
    cancel();
    fail("lost");
    if (outgoing.headersSent && !outgoing.writableEnded) outgoing.destroy();
  });
  asked.once("response", (answer) => {
    cancel();
    if (outgoing.destroyed) return void answer.resume();
    outgoing.writeHead(answer.statusCode ?? 502, { ...without(answer.headers), ...always });
    resolve(undefined);
    outgoing.flushHeaders();
    answer.pipe(outgoing, { end: false });
    answer.once("close", () => {
      if (answer.complete) outgoing.end();
      else outgoing.destroy();
    });
  });
  incoming.pipe(asked);
  incoming.once("close", () => {
    if (!incoming.complete) asked.destroy();
  });
  return promise;
}

/** Passes a connection on that changes its protocol, and everything that either end sends. */
export function passUpgrade(
  link: Pick<PeerLink, "begin">,
  address: PeerAddress,
  {
    incoming,
    socket,
    head,
    headers,
  }: { incoming: IncomingMessage; socket: Duplex; head: Buffer; headers: IncomingHttpHeaders },
): void {
  const { url = "/" } = incoming;
  const { connection = "upgrade", upgrade } = incoming.headers;
  const all = { ...without(headers), connection, ...(upgrade !== undefined && { upgrade }) };
  const asked = link.begin(address, { method: "GET", path: url, headers: all, agent: false });
  const end = (): void => {
    asked.destroy();
    socket.destroy();
  };
  socket.on("error", end);
  socket.once("close", end);
  asked.once("error", end);
  asked.once("response", (answer) => {
    const { statusCode = 502, statusMessage = "" } = answer;
    socket.end(`HTTP/1.1 ${statusCode} ${statusMessage}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    answer.resume();
  });
  asked.once("upgrade", (answer, other, first) => {
    const lines = answer.rawHeaders.flatMap((name, at, raw) =>
      at % 2 === 0 ? [`${name}: ${raw[at + 1] ?? ""}`] : [],
    );
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
    if (first.length > 0) socket.write(first);
    if (head.length > 0) other.write(head);
    socket.pipe(other);
    other.pipe(socket);
    const both = (): void => {
      socket.destroy();
      other.destroy();
    };
    for (const each of [socket, other]) {
      each.on("error", both);
      each.once("close", both);
    }
  });
  asked.end();
}
