import { until } from "@ledge/testkit";
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "@ledge/model";
import type { ServerBounds } from "./server.ts";
import { closeServer, createServer, keyShown, listen } from "./server.ts";

type Fetch = Parameters<typeof createServer>[0];

const megabyte = 1_048_576;
const hello: Fetch = () => Response.json({ hello: true });
const get = (path = "/", ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, "Host: localhost", ...headers, "", ""].join("\r\n");

let server: Server | undefined;
let port = 0;
const sockets: Socket[] = [];

async function serve(fetch: Fetch, bounds: Partial<ServerBounds> = {}): Promise<void> {
  server = createServer(fetch, { bounds: { ...limits, ...bounds } });
  port = Number(new URL(await listen(server, "127.0.0.1", 0)).port);
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  if (server !== undefined) await closeServer(server, 0);
});

/** A client that reads unless it is told not to. */
class Client {
  readonly socket: Socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  heard = "";
  closed = false;

  constructor() {
    sockets.push(this.socket);
    this.socket.on("error", () => {});
    this.socket.on("close", () => (this.closed = true));
    this.socket.on("end", () => (this.closed = true));
    this.socket.on("data", (chunk: Buffer) => (this.heard += chunk.toString("latin1")));
  }

  async connected(): Promise<this> {
    if (this.socket.connecting) await once(this.socket, "connect");
    return this;
  }

  send(bytes: string | Buffer): this {
    this.socket.write(bytes);
    return this;
  }

  get answers(): number {
    return this.heard.split("HTTP/1.1 200").length - 1;
  }
}

/** Checks that other clients are still served. */
async function assertServes(path = "/"): Promise<void> {
  const client = await new Client().connected();
  client.send(get(path, "Connection: close"));
  await until("an answer", () => client.answers === 1);
}

describe("an error in a handler", () => {
  const faults: readonly [string, Fetch][] = [
    [
      "before it answers",
      () => {
        throw new Error("inside");
      },
    ],
    ["in a promise", () => Promise.reject(new Error("inside"))],
    ["with a text instead of an error", () => Promise.reject("inside")],
    ["by returning nothing", () => undefined],
  ];
  for (const [how, fault] of faults) {
    test(`${how} is a 500, and the server keeps running`, async () => {
      await serve((request, env) =>
        request.url.endsWith("/bad") ? fault(request, env) : hello(request, env),
      );
      const client = new Client().send(get("/bad", "Connection: close"));
      await until("the answer", () => client.closed);
      assert.match(client.heard, /^HTTP\/1\.1 500 /);
      await assertServes("/good");
    });
  }

  test("in the middle of an answer ends only that connection", async () => {
    await serve((request, env) => {
      if (!request.url.endsWith("/bad")) return hello(request, env);
      let pulls = 0;
      const body = new ReadableStream({
        pull(controller) {
          pulls += 1;
          if (pulls > 2) controller.error(new Error("inside"));
          else controller.enqueue(Buffer.alloc(1000, 0x61));
        },
      });
      return new Response(body);
    });
    const client = new Client().send(get("/bad"));
    await until("its end", () => client.closed);
    await assertServes("/good");
  });
});

describe("slow clients", () => {
  // The other clients have the same time, which must be enough on a busy machine.
  const quick = { headerTimeoutMs: 1000, requestTimeoutMs: 1500, connectionCheckMs: 50 };

  for (const [what, begin, drip] of [
    ["a head", "GET / HTTP/1.1\r\n", "X-A: b\r\n"],
    ["a head that never begins", "", ""],
    ["a body", "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n", "x"],
    [
      "a chunked body",
      "PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
      "1\r\nx\r\n",
    ],
  ] as const) {
    test(`with ${what} are cut off and delay nobody`, async () => {
      await serve(async (request) => Response.json((await request.text()).length), quick);
      const slow = await Promise.all(Array.from({ length: 50 }, () => new Client().connected()));
      for (const client of slow) client.send(begin);
      const dripping = setInterval(() => {
        for (const { socket } of slow) if (drip !== "" && socket.writable) socket.write(drip);
      }, 20);
      try {
        await assertServes();
        await until("their end", () => slow.every(({ closed }) => closed));
      } finally {
        clearInterval(dripping);
      }
      for (const { answers } of slow) assert.equal(answers, 0);
    });
  }

  test("are disconnected after keepAliveMs between two requests", async () => {
    await serve(hello, { keepAliveMs: 100 });
    const client = new Client().send(get());
    await until("the answer", () => client.answers === 1);
    await until("the end", () => client.closed);
  });

  test("that never read are cut off, and their answers do not pile up", async () => {
    const answer = Buffer.alloc(megabyte, 0x61);
    let asked = 0;
    await serve(
      (request, env) => {
        if (!request.url.endsWith("/large")) return hello(request, env);
        asked += 1;
        return new Response(answer);
      },
      { socketSilenceMs: 2000 },
    );
    const deaf = await new Client().connected();
    deaf.socket.pause();
    // In one piece, so that the server has all of them before it has sent anything.
    deaf.send(get("/large").repeat(200));
    await assertServes();
    await until("the connection to be cut", () => deaf.socket.destroyed || deaf.closed || isCut(deaf));
    assert.ok(asked < 100, `${asked} answers of a megabyte were made for a client that does not read`);
    await assertServes();
  });
});

/** A client that does not read learns only from a write that the other side has closed the connection. */
function isCut({ socket }: Client): boolean {
  socket.write("\r\n");
  return socket.destroyed;
}

describe("bytes that are not a request", () => {
  const garbage: readonly [string, string | Buffer][] = [
    ["TLS on the plain port", Buffer.from("16030100c8010000c403030102030405060708", "hex")],
    ["noise", Buffer.alloc(10_000, 0xa5)],
    ["an endless path", `GET /${"a".repeat(limits.headerBytes)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ["a huge header", get("/", `X-A: ${"a".repeat(limits.headerBytes)}`)],
    ["headers without end", get("/", ...Array.from({ length: 5000 }, (_, index) => `X-${index}: b`))],
    ["two lengths", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"],
    ["a negative length", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"],
    [
      "a length and chunks",
      "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a tunnel", "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n"],
    ["another version", "GET / HTTP/9.9\r\n\r\n"],
  ];
  for (const [what, bytes] of garbage) {
    test(`ends the connection at ${what}, and serves others`, async () => {
      await serve(hello);
      const client = new Client().send(bytes);
      await until("its end", () => client.closed);
      assert.equal(client.answers, 0);
      await assertServes();
    });
  }

  const headersOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `X-${index}: b`);

  test(`accepts a head of ${limits.headers} headers, and refuses more with 431`, async () => {
    await serve(hello);
    const fits = new Client().send(get("/", ...headersOf(limits.headers - 1)));
    await until("the answer", () => fits.answers === 1);
    const beyond = new Client().send(get("/", ...headersOf(limits.headers)));
    await until("its end", () => beyond.closed);
    assert.match(beyond.heard, /^HTTP\/1\.1 431 /);
  });

  for (const [what, status, bytes] of [
    ["garbage", 422, "\u0000\u0001 nothing\r\n\r\n"],
    ["a head that is too large", 431, get(`/?${"a".repeat(limits.headerBytes)}`)],
  ] as const) {
    test(`answers ${what} with ${status} and a message`, async () => {
      await serve(hello);
      const client = new Client().send(bytes);
      await until("its end", () => client.closed);
      const [head = "", body = ""] = client.heard.split("\r\n\r\n");
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(typeof (JSON.parse(body) as { message: unknown }).message, "string");
    });
  }

  test("sends no error into an answer that has begun", async () => {
    const { promise: rest, resolve: end } = Promise.withResolvers<void>();
    const pull = async (controller: ReadableStreamDefaultController): Promise<void> => {
      controller.enqueue(Buffer.from("begun"));
      await rest;
      controller.close();
    };
    await serve(() => new Response(new ReadableStream({ pull }, { highWaterMark: 0 })));
    const client = new Client().send(get());
    await until("the beginning", () => client.heard.includes("begun"));
    client.send("\u0000\r\n\r\n");
    await until("its end", () => client.closed);
    end();
    assert.equal(client.heard.split("HTTP/1.1").length, 2, client.heard);
  });

  test(`accepts a head of up to ${limits.headerBytes} bytes`, async () => {
    await serve(hello);
    const client = new Client().send(get("/", `X-A: ${"a".repeat(limits.headerBytes - 200)}`));
    await until("the answer", () => client.answers === 1);
  });
});

describe("connections", () => {
  test("a half-closed connection ends after its answer, and affects no other", async () => {
    let begun = 0;
    await serve(async (request, env) => {
      if (!request.url.endsWith("/slow")) return hello(request, env);
      begun += 1;
      await sleep(20);
      return Response.json(true);
    });
    const client = new Client();
    client.socket.end(get("/slow"));
    await until("its end", () => client.closed);
    assert.equal(begun, 1);
    await assertServes();
  });

  test("answers a hundred requests in one packet in order", async () => {
    await serve((request) => new Response(new URL(request.url).pathname));
    const paths = Array.from({ length: 100 }, (_, index) => `/number-${index};`);
    const client = new Client().send(paths.map((path) => get(path)).join(""));
    await until("all answers", () => client.answers === paths.length);
    assert.deepEqual(client.heard.match(/\/number-\d+;/g), paths);
  });

  test("answers requests with bodies in order, one at a time, also when the last body comes late", async () => {
    let atOnce = 0;
    let most = 0;
    await serve(async (request) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      const { length } = await request.text();
      await sleep(20);
      atOnce -= 1;
      return new Response(`<${length}>`);
    });
    const put = (length: number): string =>
      `PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`;
    const client = await new Client().connected();
    client.send(`${[10, 20, 30].map((length) => put(length) + "x".repeat(length)).join("")}${put(megabyte)}`);
    await until("the first answer", () => client.answers === 1);
    client.send("x".repeat(megabyte));
    await until("all answers", () => client.answers === 4);
    assert.deepEqual(client.heard.match(/<\d+>/g), ["<10>", "<20>", "<30>", `<${megabyte}>`]);
    assert.equal(most, 1);
    client.send(get());
    await until("one more", () => client.answers === 5);
  });

  test("resets in the middle of requests do no harm", async () => {
    await serve(async (request) => {
      await sleep(1);
      return Response.json((await request.text()).length);
    });
    for (let round = 0; round < 20; round += 1) {
      const client = await new Client().connected();
      client.send(round % 2 === 0 ? get() : "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf");
      await sleep(round % 4);
      client.socket.resetAndDestroy();
    }
    await assertServes();
  });
});

describe("many connections", () => {
  test("two thousand silent ones delay nobody, and their address keeps only its limit", async () => {
    await serve(hello, { headerTimeoutMs: 300_000, requestTimeoutMs: 600_000 });
    const idle: Client[] = [];
    // At most as many at once as the listen queue takes; the server would not know of others yet.
    while (idle.length < 2000)
      idle.push(...(await Promise.all(Array.from({ length: 200 }, () => new Client().connected()))));
    for (let round = 0; round < 20; round += 1) await assertServes();
    const left = (): number => idle.filter(({ closed }) => !closed).length;
    await until("their bound", () => left() <= limits.strangersPerAddress);
    assert.ok(left() > limits.strangersPerAddress / 2, String(left()));
    assert.ok(idle[0]?.closed && !idle.at(-1)?.closed, "the oldest are closed");
  });

  test("when full, a silent one is closed first, then one that waits", async () => {
    await serve(hello, { connections: 10 });
    const waiting = await Promise.all(Array.from({ length: 9 }, () => new Client().connected()));
    for (const client of waiting) client.send(get());
    await until("their answers", () => waiting.every(({ answers }) => answers === 1));
    const silent = await new Client().connected();
    await assertServes();
    await until("its end", () => silent.closed);
    assert.ok(waiting.every(({ closed }) => !closed));
    for (let round = 0; round < 2; round += 1) {
      const more = new Client().send(get());
      await until("the answer", () => more.answers === 1);
    }
    await until("the end of the oldest", () => waiting[0]?.closed === true);
    assert.equal(waiting.filter(({ closed }) => closed).length, 1);
  });

  test("one with a valid key survives a flood from its address", async () => {
    const bounds = { connections: 6, strangersPerAddress: 2, connectionsPerUser: 2 };
    await serve((request, env) => {
      const { incoming } = env as { readonly incoming: IncomingMessage };
      keyShown(incoming, request.headers.get("authorization") ?? undefined);
      return hello(request, env);
    }, bounds);
    const holders = [new Client(), new Client()];
    for (const client of holders) {
      client.send(get("/", "Authorization: ada"));
      await until("the answer", () => client.answers === 1);
    }
    const flood = Array.from({ length: 40 }, () => new Client().send("GET / HT"));
    await until("most to be closed", () => flood.filter(({ closed }) => !closed).length <= 2);
    for (const client of holders) client.send(get("/", "Authorization: ada"));
    await until("their answers", () => holders.every(({ answers }) => answers === 2));
    const third = new Client().send(get("/", "Authorization: ada"));
    await until("the answer", () => third.answers === 1);
    await until("the oldest to be closed", () => holders[0]?.closed === true);
    assert.deepEqual([holders[1]?.closed, third.closed], [false, false]);
  });
});
