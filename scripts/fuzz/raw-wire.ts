// Sends raw bytes and reads the answers.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { RawRequest } from "./raw.ts";

/** One answer. */
export interface RawAnswer {
  readonly status: number;
  /** The header lines. */
  readonly head: readonly string[];
  readonly body: string;
}

export interface RawSent {
  readonly answers: readonly RawAnswer[];
  /** Bytes after the last answer that are not an answer. */
  readonly rest: string;
}

/** How long to wait for a required answer, and how long to listen when none is required. */
const patienceMs = 30_000;
const listenMs = 100;
const stepMs = 10;

/** Sends bytes over a new connection. */
export async function sendRaw({ bytes, owed }: RawRequest, port: number): Promise<RawSent> {
  const socket = connect({ port, host: "127.0.0.1" });
  let received = "";
  socket.on("error", () => {});
  socket.setEncoding("latin1").on("data", (text: string) => (received += text));
  await Promise.race([once(socket, "connect").catch(() => {}), once(socket, "close")]);
  socket.write(bytes);
  const until = owed > 0 ? patienceMs : listenMs;
  for (let waited = 0; !socket.closed && waited < until; waited += stepMs) {
    if (owed > 0 && answersIn(received).answers.length >= owed) break;
    await sleep(stepMs);
  }
  socket.destroy();
  return answersIn(received);
}

function answersIn(text: string): RawSent {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const [answer, behind] = first(rest) ?? [];
    if (answer === undefined || behind === undefined) return { answers, rest };
    // An informational response precedes the answer.
    if (answer.status >= 200) answers.push(answer);
    rest = behind;
  }
}

/** Returns the first answer and the text after it; undefined while it is incomplete. */
function first(text: string): readonly [answer: RawAnswer, rest: string] | undefined {
  const [, status] = /^HTTP\/1\.1 (\d{3})[ \r]/.exec(text) ?? [];
  const split = text.indexOf("\r\n\r\n");
  if (status === undefined || split === -1) return undefined;
  const [, ...head] = text.slice(0, split).split("\r\n");
  const from = split + 4;
  const of = (to: number, body: string): readonly [RawAnswer, string] => {
    return [{ status: Number(status), head, body }, text.slice(to)];
  };
  const length = head.find((line) => /^content-length:/i.test(line))?.slice(15);
  if (length !== undefined) {
    const to = from + Number(length);
    return text.length < to ? undefined : of(to, text.slice(from, to));
  }
  if (!head.some((line) => /^transfer-encoding:.*chunked/i.test(line))) return of(from, "");
  let at = from;
  let body = "";
  for (;;) {
    const [line, size] = /^([0-9a-f]+)\r\n/i.exec(text.slice(at, at + 20)) ?? [];
    if (line === undefined || size === undefined) return undefined;
    const start = at + line.length;
    const to = start + Number.parseInt(size, 16);
    if (text.length < to + 2) return undefined;
    if (to === start) return of(to + 2, body);
    body += text.slice(start, to);
    at = to + 2;
  }
}
