import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type Answer, call, inTurn, unanswered } from "./call.ts";

async function answered(listener: RequestListener): Promise<Answer<unknown>> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answer = await call(`http://127.0.0.1:${port}/rooms`, { unversioned: true });
  server.close();
  return answer;
}

test("keeps what the hub says of the fields of a request", async () => {
  const errors = [{ index: 1, field: "name", message: "must not be empty" }];
  const answer = await answered((_request, response) => {
    response.writeHead(422, { "content-type": "application/json" });
    response.end(JSON.stringify({ message: "invalid", errors }));
  });
  assert.deepEqual(answer, {
    ok: false,
    status: 422,
    message: "invalid",
    retryAfterS: undefined,
    oldest: undefined,
    errors,
  });
});

test("knows no field when the hub names none, or does not answer", async () => {
  const busy = await answered((_request, response) => {
    response.writeHead(429, { "retry-after": "7" });
    response.end("too many");
  });
  assert.deepEqual(busy, {
    ok: false,
    status: 429,
    message: "",
    retryAfterS: 7,
    oldest: undefined,
    errors: [],
  });
  const none = await answered((_request, response) => response.destroy());
  assert.deepEqual(none, {
    ok: false,
    status: 0,
    message: "",
    retryAfterS: undefined,
    oldest: undefined,
    errors: [],
  });
});

test("asks for one after the other, up to a refusal", async () => {
  const asked: number[] = [];
  const ask = async (one: number): Promise<Answer<number>> => {
    asked.push(one);
    return one === 3 ? unanswered(422, "no") : { ok: true, value: one * 10 };
  };
  assert.deepEqual(await inTurn([1, 2], ask), { ok: true, value: [10, 20] });
  assert.deepEqual(await inTurn([2, 3, 4], ask), unanswered(422, "no"));
  assert.deepEqual(asked, [1, 2, 2, 3]);
});
