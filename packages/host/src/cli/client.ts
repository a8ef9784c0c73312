import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { socketPath } from "../lock.ts";

/** An answer of the console. `json` is undefined when the body is not JSON. */
export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** What a command talks to: a running process through its socket, or a stopped one through its folder. */
export interface Console {
  /** Asks again while the process answers that it is too busy for a second. */
  call(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<Answer>;
  /** Like `call`, with text as the bodies. */
  text(
    method: "GET" | "POST",
    path: string,
    body?: string,
  ): Promise<{ readonly status: number; readonly text: string }>;
  /** Yields the complete lines of a streamed answer, until it ends or `signal` aborts. */
  lines(path: string, signal: AbortSignal): AsyncIterable<string>;
  close(): Promise<void>;
}

/** Returns whether nobody took the request: the process has gone, or does not answer yet. */
export function isUnanswered(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ECONNREFUSED" || code === "ENOENT" || code === "ECONNRESET" || code === "EPIPE";
}

/** Returns the console of the process that runs on the folder. */
export function socketConsole(folder: string): Console {
  // A restarted process has another socket.
  const path = (): string => socketPath(folder);
  return {
    call: (method, target, body) => call(path(), method, target, body),
    text: (method, target, body) => exchange(path(), method, target, body),
    lines: (target, signal) => lines(path(), target, signal),
    close: () => Promise.resolve(),
  };
}

/** How often a process is asked that is busy. One that reads the past goes on where it stopped. */
const triesMax = 30;

async function call(socket: string, method: string, path: string, body: unknown): Promise<Answer> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  for (let tries = 1; ; tries++) {
    const { status, text, retryAfterS } = await exchange(socket, method, path, sent);
    const isBusy = status === 503 && retryAfterS <= 1;
    if (!isBusy || tries === triesMax) return { status, json: parse(text) };
    await setTimeout(retryAfterS * 1000);
  }
}

async function exchange(
  socket: string,
  method: string,
  path: string,
  body: string | undefined,
): Promise<{ readonly status: number; readonly text: string; readonly retryAfterS: number }> {
  const response = await send(socket, method, path, body);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const retryAfterS = Number(response.headers["retry-after"]);
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), retryAfterS };
}

async function* lines(socket: string, path: string, signal: AbortSignal): AsyncGenerator<string, void> {
  const response = await send(socket, "GET", path, undefined, signal);
  if (response.statusCode !== 200) {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const { message } = (parse(Buffer.concat(chunks).toString()) ?? {}) as { message?: string };
    throw new Error(message ?? `it answers ${response.statusCode}`);
  }
  let begun: string[] = [];
  try {
    for await (const chunk of response.setEncoding("utf8")) {
      const [first = "", ...more] = String(chunk).split("\n");
      begun.push(first);
      for (const next of more) {
        yield begun.join("");
        begun = [next];
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function send(
  path: string,
  method: string,
  target: string,
  body: string | undefined,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { host: "localhost", ...(body !== undefined && { "content-type": "application/json" }) };
    const outgoing = request(
      { socketPath: path, method, path: target, headers, ...(signal && { signal }) },
      resolve,
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Parses JSON; undefined for anything else. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
