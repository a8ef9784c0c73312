import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect, constants, createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, test } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import { limits } from "@ledge/model";
import { until } from "@ledge/testkit";
import { answerChanges } from "./changes-answer.ts";
import type { ChangesRequest } from "./changes.ts";

let server: Http2Server;
let session: ClientHttp2Session;
let asked: ChangesRequest[];
let errors: Error[];
let signals: AbortSignal[];
let tell: (signal: AbortSignal) => AsyncGenerator<object>;

beforeEach(async () => {
  [asked, errors, signals] = [[], [], []];
  tell = async function* few() {
    yield { head: 1 };
    yield { next: "s.0.1", more: false };
  };
  const pieces = (request: ChangesRequest, signal: AbortSignal): AsyncGenerator<string> => {
    asked.push(request);
    signals.push(signal);
    return texts(tell(signal));
  };
  server = createServer((request, response) => {
    void answerChanges({ pieces }, request, response, (error) => errors.push(error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(() => {
  session.destroy();
  server.close();
});

interface Answer {
  readonly status: number;
  readonly encoding: unknown;
  readonly body: Buffer;
}

async function ask(query: string, headers: Record<string, string> = {}): Promise<Answer> {
  const stream = session.request({ ":path": `/.ledge/changes${query}`, ...headers }, { endStream: true });
  const [[answer], chunks] = await Promise.all([once(stream, "response"), stream.toArray()]);
  const { ":status": status, "content-encoding": encoding } = answer as Record<string, unknown>;
  return { status: Number(status), encoding, body: Buffer.concat(chunks as Buffer[]) };
}

async function* texts(lines: AsyncGenerator<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

async function* many(): AsyncGenerator<object> {
  for (let count = 0; count < 20_000; count++) yield { count };
}

test("an answer is lines of JSON", async () => {
  const { status, encoding, body } = await ask("?after=s.0.0&max=1000&wait=25", {
    "accept-encoding": "zstd",
  });
  assert.deepEqual([status, encoding], [200, undefined]);
  assert.equal(body.toString(), '{"head":1}\n{"next":"s.0.1","more":false}\n');
  assert.deepEqual(asked, [{ after: "s.0.0", max: 1000, waitMs: 25_000 }]);
});

test("a long answer is compressed for a cloud that takes it, and for no other", async () => {
  tell = many;
  const { encoding, body } = await ask("?after=&max=1&wait=0", { "accept-encoding": "gzip, zstd" });
  assert.equal(encoding, "zstd");
  const text = zstdDecompressSync(body).toString();
  assert.equal(text.split("\n").length, 20_001);
  const plain = await ask("?after=&max=1&wait=0");
  assert.deepEqual([plain.encoding, plain.body.toString() === text], [undefined, true]);
  assert.ok(body.length < text.length / 4);
});

test("a request that is not understood is refused", async () => {
  const { changesAtOnce, changesWaitMaxS, changeCursorChars } = limits;
  for (const query of [
    "",
    "?after=&max=0&wait=1",
    `?after=&max=${changesAtOnce + 1}&wait=1`,
    `?after=&max=1&wait=${changesWaitMaxS + 1}`,
    "?after=&max=1&wait=-1",
    "?after=&max=1e2&wait=1",
    "?after=&max=&wait=1",
    `?after=${"x".repeat(changeCursorChars + 1)}&max=1&wait=1`,
  ])
    assert.equal((await ask(query)).status, 422, query);
  assert.equal(
    (await ask(`?after=${"x".repeat(changeCursorChars)}&max=${changesAtOnce}&wait=1`)).status,
    200,
  );
});

test("an answer that fails on the way ends with an error, and without its last line", async () => {
  tell = async function* broken() {
    yield* many();
    throw new Error("unreadable");
  };
  const stream = session.request({ ":path": "/.ledge/changes?after=&max=1&wait=0" }, { endStream: true });
  stream.resume();
  await assert.rejects(once(stream, "end"), /NGHTTP2_INTERNAL_ERROR/);
  assert.equal(stream.rstCode, constants.NGHTTP2_INTERNAL_ERROR);
  assert.deepEqual(
    errors.map(({ message }) => message),
    ["unreadable"],
  );
});

test("a cloud that leaves ends the reading", async () => {
  tell = async function* endless(signal) {
    while (!signal.aborted) yield { text: "x".repeat(1000) };
  };
  const stream = session.request({ ":path": "/.ledge/changes?after=&max=1&wait=0" }, { endStream: true });
  stream.on("error", () => {});
  await once(stream, "response");
  stream.close(constants.NGHTTP2_CANCEL);
  await until(() => signals[0]?.aborted === true);
  assert.deepEqual(errors, []);
});
