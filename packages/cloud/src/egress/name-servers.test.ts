import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { Outgoing } from "@ledge/link/outgoing";
import { askNameServers } from "./name-servers.ts";
import { Receivers } from "./receivers.ts";

/** Addresses by name and type (1: A, 28: AAAA); what is not there is answered with nothing, `silent` not at all. */
const zone: Readonly<Record<string, Readonly<Record<number, readonly number[]>>>> = {
  "four.example": { 1: [8, 8, 8, 8] },
  "both.example": { 1: [8, 8, 4, 4], 28: [0x26, 6, 0x47, 0, ...Array.from({ length: 11 }, () => 0), 1] },
  "inside.example": { 1: [10, 0, 0, 1] },
  "none.example": {},
};
let server: Socket;
let asked = 0;
before(async () => {
  server = createSocket("udp4");
  server.on("message", (message, { port, address }) => {
    asked++;
    const answer = answerTo(message);
    if (answer !== undefined) server.send(answer, port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
});
after(() => void server.close());

/** Answers a question as RFC 1035 says. */
function answerTo(message: Buffer): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("ascii", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = message.readUInt16BE(at + 1);
  const name = labels.join(".").toLowerCase();
  if (name.startsWith("silent")) return undefined;
  const data = zone[name]?.[type];
  const question = message.subarray(12, at + 5);
  const head = Buffer.alloc(12);
  message.copy(head, 0, 0, 2);
  head.writeUInt16BE(name in zone ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data === undefined ? 0 : 1, 6);
  if (data === undefined) return Buffer.concat([head, question]);
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]);
  return Buffer.concat([head, question, record]);
}

const resolve = () => askNameServers([`127.0.0.1:${server.address().port}`]);

function resolved(name: string): Promise<string> {
  return new Promise((settle) =>
    resolve()(name, { all: true }, (error, found) =>
      settle(error ? (error.code ?? "") : found.map(({ address }) => address).join()),
    ),
  );
}

test("tells all addresses of a name, of both families, or why there are none", async () => {
  assert.equal(await resolved("four.example"), "8.8.8.8");
  assert.equal(await resolved("both.example"), "8.8.4.4,2606:4700::1");
  assert.equal(await resolved("none.example"), "ENODATA");
  assert.equal(await resolved("absent.example"), "ENOTFOUND");
});

test("names of this machine are refused without a question", async () => {
  const askedBefore = asked;
  const outgoing = new Outgoing(new Receivers(), { resolve: resolve() });
  const post = { method: "POST", headers: {}, body: "{}", timeoutMs: 5000, bytesMax: 10 } as const;
  for (const name of ["localhost", "LOCALHOST.", "a.localhost"])
    await assert.rejects(outgoing.exchange(`https://${name}/`, post), { name: "ForbiddenAddress" }, name);
  assert.equal(asked, askedBefore);
  await assert.rejects(outgoing.exchange("https://inside.example/", post), { name: "ForbiddenAddress" });
  outgoing.close();
});

test("names whose server is silent keep no other name waiting", async () => {
  const hanging = Array.from({ length: 100 }, (_, at) => resolved(`silent${at}.example`));
  assert.equal(await resolved("four.example"), "8.8.8.8");
  const pending = Symbol();
  assert.equal(await Promise.race([...hanging, Promise.resolve(pending)]), pending);
});
