import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { readBody } from "./body.ts";
import { Refused } from "./refused.ts";

const most = 10;

/** A server of node:http that reads bodies, and a client that has sent the given bytes. */
async function sent(
  t: TestContext,
  bytes: string,
  before: (incoming: IncomingMessage) => Promise<unknown> = () => Promise.resolve(),
): Promise<{ readonly client: Socket; readonly read: () => Promise<Uint8Array | Refused> }> {
  const results: Promise<Uint8Array | Refused>[] = [];
  const server = createServer((incoming, outgoing) => {
    const result = before(incoming).then(() => readBody(new Request("http://h/"), incoming, most));
    results.push(result);
    void result.then((body) => outgoing.end(body instanceof Refused ? String(body.status) : "taken"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const asked = once(server, "request");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  t.after(() => {
    client.destroy();
    server.close();
  });
  client.write(bytes);
  await asked;
  return {
    client,
    read: async () => (await results.shift()) ?? assert.fail("the server was asked nothing more"),
  };
}

const head = (field: string): string => `PUT / HTTP/1.1\r\nhost: h\r\n${field}\r\n\r\n`;
const textOf = (body: Uint8Array | Refused): string => {
  assert.ok(!(body instanceof Refused), "refused");
  return Buffer.from(body).toString();
};
const statusOf = (body: Uint8Array | Refused): number => {
  assert.ok(body instanceof Refused, "taken");
  return body.status;
};

for (const [what, bytes] of [
  ["with its head", `${head("content-length: 4")}"ab"`],
  [
    "in chunks of no announced length",
    `${head("transfer-encoding: chunked")}2\r\n"a\r\n2\r\nb"\r\n0\r\n\r\n`,
  ],
] as const) {
  test(`takes a body that arrives ${what}`, async (t) => {
    const { read } = await sent(t, bytes);
    assert.equal(textOf(await read()), '"ab"');
  });
}

test("takes a body that arrives in pieces at its last byte", async (t) => {
  const { client, read } = await sent(t, `${head("content-length: 4")}"a`);
  client.write('b"');
  assert.equal(textOf(await read()), '"ab"');
});

test("takes no bytes of a request without a body", async (t) => {
  const { read } = await sent(t, head("accept: */*"));
  assert.equal(textOf(await read()), "");
});

test("refuses a body over the limit, and reads the next request of the connection", async (t) => {
  const chunk = `6\r\n123456\r\n`;
  const { client, read } = await sent(t, `${head("transfer-encoding: chunked")}${chunk}${chunk}`);
  assert.equal(statusOf(await read()), 413);
  await once(client, "data");
  const answered = once(client, "data");
  client.write(`${chunk}0\r\n\r\n${head("content-length: 10")}1234567890`);
  await answered;
  assert.equal(textOf(await read()), "1234567890");
});

test("refuses a body that breaks off, before and after the hub begins to read it", async (t) => {
  const half = `${head("content-length: 4")}"a`;
  const reading = await sent(t, half);
  reading.client.destroy();
  assert.equal(statusOf(await reading.read()), 422);
  const late = await sent(t, half, (incoming) => once(incoming, "close").catch(() => undefined));
  late.client.destroy();
  assert.equal(statusOf(await late.read()), 422);
});
