import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, beforeEach, test } from "node:test";
import { limits } from "@ledge/model";
import type { ChannelError, OutgoingMessage } from "./channel.ts";
import { Outgoing } from "@ledge/link/outgoing";
import { profileGuard } from "../network/profile-guard.ts";
import { webhookChannel } from "./webhook.ts";

interface Received {
  readonly signature: string;
  readonly body: string;
}

const received: Received[] = [];
let answer: (response: ServerResponse, request: IncomingMessage) => void;
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => {
    received.push({ signature: String(request.headers["ledge-signature"]), body });
    answer(response, request);
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/messages`;

after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received.length = 0;
  answer = (response) => response.writeHead(204).end();
});

const message: OutgoingMessage = {
  id: "m1",
  level: "warn",
  text: "Öppen",
  textId: "MESSAGE",
  sourceId: "rule-1",
  queuedAt: 5,
  hub: "Home",
  to: { user: "ann", email: "ann@example.org", phone: "+358 1", clients: ["c1"] },
};
const outgoing = new Outgoing(profileGuard({ localTargets: true }));
const options = { name: "push", url, secret: "s3cret", seconds: () => 1_800_000_000, outgoing } as const;

async function fault(fields: object = {}): Promise<Pick<ChannelError, "fault" | "message"> | null> {
  try {
    await webhookChannel({ ...options, ...fields }).send(message);
    return null;
  } catch (error) {
    const { fault: kind, message: text } = error as ChannelError;
    return { fault: kind, message: text };
  }
}

test("posts a message with the fields of its channel and a signature over time and body", async () => {
  assert.equal(await fault(), null);
  assert.equal(await fault({ name: "sms" }), null);
  const [push = assert.fail(), sms = assert.fail()] = received;
  const digest = createHmac("sha256", "s3cret").update(`1800000000.${push.body}`).digest("hex");
  assert.equal(push.signature, `t=1800000000,v1=${digest}`);
  assert.deepEqual(JSON.parse(push.body), {
    type: "MESSAGE",
    channel: "push",
    id: "m1",
    level: "warn",
    text: "Öppen",
    textId: "MESSAGE",
    sourceId: "rule-1",
    queuedAt: 5,
    hub: "Home",
    to: { user: "ann", clients: ["c1"] },
  });
  assert.deepEqual((JSON.parse(sms.body) as { to: unknown }).to, { user: "ann", phone: "+358 1" });
});

for (const [status, kind] of [
  [400, "refused"],
  [404, "refused"],
  [408, "down"],
  [429, "down"],
  [500, "later"],
  [501, "later"],
  [503, "down"],
] as const) {
  test(`takes an answer of ${status} as ${kind}`, async () => {
    answer = (response) => response.writeHead(status).end("ann@example.org");
    assert.deepEqual(await fault(), { fault: kind, message: `answered ${status}` });
  });
}

test("does not follow a redirect", async () => {
  answer = (response) => response.writeHead(307, { location: url }).end();
  assert.deepEqual(await fault(), { fault: "refused", message: "a redirect, which is not followed" });
  assert.equal(received.length, 1);
});

test("reports a server that answers never or only in part as down", async () => {
  answer = () => {};
  assert.deepEqual(await fault({ timeoutMs: 50 }), { fault: "down", message: "did not answer in time" });
  answer = (response) => void response.writeHead(200).write("…");
  assert.deepEqual(await fault({ timeoutMs: 50 }), { fault: "down", message: "did not answer in time" });
});

test("reports a closed port and a broken connection as down", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const dead = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/`;
  closed.close();
  await once(closed, "close");
  assert.deepEqual(await fault({ url: dead }), {
    fault: "down",
    message: "could not be reached: ECONNREFUSED",
  });
  answer = (_, request) => request.socket.destroy();
  assert.equal((await fault())?.fault, "down");
});

test("reads only the start of a long answer, and counts the message as taken", async () => {
  let written = 0;
  const chunk = Buffer.alloc(16_384);
  const closed = Promise.withResolvers<void>();
  answer = (response) => {
    response.on("close", () => closed.resolve());
    const write = (): void => {
      while (!response.destroyed && written < 1000 * chunk.length) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", write);
      }
      response.end();
    };
    write();
  };
  assert.equal(await fault(), null);
  await closed.promise;
  assert.ok(
    written < 1000 * chunk.length,
    `${written} of an endless answer, of ${limits.channelAnswerBytes}`,
  );
});

test("push reaches every user, and sms the users with a number", () => {
  const user = (phone: string | null) => ({ user_info: { user: { phone } } }) as never;
  const push = webhookChannel(options);
  const sms = webhookChannel({ ...options, name: "sms" });
  assert.deepEqual(
    [push.reaches?.(user(null)), sms.reaches?.(user(null)), sms.reaches?.(user("1"))],
    [true, false, true],
  );
});

test("sends nothing to a webhook on this machine unless the profile allows it", async () => {
  assert.deepEqual(await fault({ outgoing: new Outgoing(profileGuard({})) }), {
    fault: "down",
    message: "is not asked: the profile does not allow localTargets",
  });
  assert.equal(received.length, 0);
});
