import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, beforeEach, describe, test } from "node:test";
import { isOwnOrLinkAddress } from "./addresses.ts";
import { ChangedProtocol, ForbiddenAddress, type Guard, Outgoing, type Resolve } from "./outgoing.ts";

let asked = 0;
let location: string | undefined;
/** A server on every address of the machine, in both families. */
const server = createServer((_, response) => {
  asked += 1;
  response
    .writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { location })
    .end("inside");
});
server.listen(0, "::");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = 0;
  location = undefined;
});

const get = { method: "GET", headers: {}, timeoutMs: 5000, bytesMax: 100 } as const;

const closed: Guard = { mayAsk: (address) => !isOwnOrLinkAddress(address), refusal: "is refused" };
const open: Guard = { mayAsk: () => true, refusal: "" };

/** A name server that gives these answers in turn. */
function answering(...answers: readonly (readonly string[])[]): Resolve {
  let count = 0;
  return (_, __, callback) => {
    const found = answers[Math.min(count++, answers.length - 1)] ?? [];
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
}

describe("this machine and its links", () => {
  for (const host of [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "0.0.0.0",
    "169.254.169.254",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:7f00:1::1]",
    "[fe80::1]",
    "localhost",
    "LOCALHOST",
  ]) {
    test(`refuses ${host}`, async () => {
      await assert.rejects(new Outgoing(closed).exchange(`http://${host}:${port}/`, get), ForbiddenAddress);
      await assert.rejects(new Outgoing(closed).exchange(`https://${host}:${port}/`, get), ForbiddenAddress);
      assert.equal(asked, 0);
    });
  }

  test("allows them where the guard does", async () => {
    const outgoing = new Outgoing(open);
    for (const host of ["127.0.0.1", "localhost"]) {
      const { status, body } = await outgoing.exchange(`http://${host}:${port}/`, get);
      assert.deepEqual([status, body], [200, "inside"]);
    }
  });
});

describe("a name", () => {
  const url = `http://prices.example:${port}/`;

  for (const addresses of [
    ["127.0.0.1"],
    ["::1"],
    ["::ffff:127.0.0.1"],
    ["169.254.169.254"],
    ["fe80::1"],
    ["192.0.2.1", "127.0.0.1"],
  ]) {
    test(`that resolves to ${addresses.join(" and ")} is refused`, async () => {
      const outgoing = new Outgoing(closed, { resolve: answering(addresses) });
      await assert.rejects(outgoing.exchange(url, get), ForbiddenAddress);
      assert.equal(asked, 0);
    });
  }

  test("is checked at each connection, by the addresses that it resolves to then", async () => {
    // The first answer passes the check; the second is this machine. Nobody listens at the first.
    const outgoing = new Outgoing(closed, { resolve: answering(["198.51.100.1"], ["127.0.0.1"]) });
    await assert.rejects(outgoing.exchange(url, { ...get, timeoutMs: 200 }), (error: Error) => {
      return !(error instanceof ForbiddenAddress);
    });
    await assert.rejects(outgoing.exchange(url, get), ForbiddenAddress);
    assert.equal(asked, 0);
  });
});

test("returns a redirect as an answer and does not follow it", async () => {
  location = `http://127.0.0.1:${port}/next`;
  const { status } = await new Outgoing(open).exchange(`http://127.0.0.1:${port}/`, get);
  assert.deepEqual([status, asked], [302, 1]);
});

test("an answer in another protocol ends the exchange and its connection", async () => {
  const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
  const switching = createTcpServer((socket) => {
    socket.once("close", () => leave());
    socket.once("data", () => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nmore");
    });
  });
  switching.listen(0, "127.0.0.1");
  await once(switching, "listening");
  const { port: at } = switching.address() as AddressInfo;
  await assert.rejects(new Outgoing(open).exchange(`http://127.0.0.1:${at}/`, get), ChangedProtocol);
  await gone;
  switching.close();
});
