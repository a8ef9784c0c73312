import assert from "node:assert/strict";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { afterEach, beforeEach, test } from "node:test";
import { verifyHubKey } from "@ledge/link";
import { features, limits, roles } from "@ledge/model";
import { until } from "@ledge/testkit";
import type { GraphResponse } from "./graph.ts";
import { Served } from "../http/test-served.ts";
import type { TestHub } from "../testdata/open-cloud.ts";

let served: Served;
let hub: TestHub;
let hubToken: string;
let owner: string;
beforeEach(async () => {
  served = await Served.start();
  const home = await served.claimed("owner@example.org", { features: [features.REMOTE_USAGE] });
  ({ hub, hubToken, owner } = home);
});
afterEach(() => served.stop());

type Result = GraphResponse["result"];

const send = (message: object, token = owner): Promise<Result> =>
  served.graph(token, { type: "CallHubQuery", hubId: hub.id, path: "/hub/tz", ...message });
const codeOf = async (message: object = {}, token = owner): Promise<string | undefined> =>
  (await send(message, token)).error?.code;

/** Dials as a hub that answers every request with this. */
const answering = (status: number, body: string, type = "application/json") =>
  served.dial(hubToken, (stream) => {
    stream.respond({ ":status": status, "content-type": type });
    stream.end(body);
  });

test("a hub is called for its user with a key of five minutes, which is used again", async () => {
  const heard: IncomingHttpHeaders[] = [];
  const bodies: string[] = [];
  await served.dial(hubToken, (stream, headers) => {
    heard.push(headers);
    let body = "";
    stream.on("data", (chunk: Buffer) => (body += chunk.toString()));
    stream.on("end", () => {
      bodies.push(body);
      stream.respond({ ":status": 200, "content-type": "application/json" });
      stream.end(JSON.stringify({ at: headers[":path"] }));
    });
  });
  const body = [{ type: "CMD_ROOM", name: "Attic" }];
  const call = { type: "CallHubCommand", method: "PUT", path: "/rooms", query: { a: "b c", n: 1 }, body };
  const result = await served.graph(owner, { hubId: hub.id, ...call });
  assert.deepEqual(result["value"], { at: "/cc/1.14/rooms?a=b+c&n=1" });
  await send({});
  const [first = assert.fail(), second] = heard;
  assert.deepEqual([first[":method"], bodies], ["PUT", [JSON.stringify(body), ""]]);
  const key = String(first["x-hub-key"]);
  assert.equal(second?.["x-hub-key"], key);
  assert.equal(first.authorization, undefined);
  assert.match(String(first["traceparent"]), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const { cloud, clock } = served.test;
  const issuer = { name: cloud.issuer, keys: cloud.signingKeys.keySet, lifetimeMs: limits.hubCallKeyMs };
  const verified = await verifyHubKey(key, { issuers: [issuer], hubId: hub.id }, clock.wall());
  assert.deepEqual([verified.problem, verified.key?.role], [undefined, roles.OWNER_ADMIN]);
});

test("a key that is nearly over is signed anew", async () => {
  const keys: string[] = [];
  await served.dial(hubToken, (stream, headers) => {
    keys.push(String(headers["x-hub-key"]));
    stream.respond({ ":status": 200, "content-type": "application/json" });
    stream.end("1");
  });
  await send({});
  served.test.clock.stepWall(limits.hubCallKeyMs - limits.hubCallKeySpareMs - 1);
  await served.test.clock.pass(2 * limits.clockCheckMs);
  await send({});
  assert.equal(new Set(keys).size, 2);
});

test("a hub that is not connected, or lets nobody in from afar, says so", async () => {
  assert.equal(await codeOf(), "E_HUB_OFFLINE");
  const other = await served.claimed("other@example.org");
  assert.equal(await codeOf({ hubId: other.hub.id }, other.owner), "E_REMOTE_DISABLED");
});

test("a hub's refusal has its status and message; any other answer is not passed on", async () => {
  const cases: readonly [status: number, body: string, type: string, code: string | undefined][] = [
    [200, "7", "application/json", undefined],
    [200, "text", "text/plain", undefined],
    [403, '{"message":"no"}', "application/json", "E_HUB_REFUSED"],
    [500, "oops", "text/plain", "E_HUB_REFUSED"],
    [302, "", "text/plain", "E_HUB_REFUSED"],
    [200, "{", "application/json", "E_HUB_REFUSED"],
    [200, "[".repeat(limits.hubAnswerDepth + 1), "application/json", "E_HUB_REFUSED"],
    [200, `"${"x".repeat(limits.hubAnswerBytes)}"`, "application/json", "E_LIMIT"],
  ];
  for (const [status, body, type, code] of cases) {
    const tunnel = await answering(status, body, type);
    const { error, value } = (await send({})) as Result & { value?: unknown };
    assert.equal(error?.code, code, `${status} ${body.slice(0, 20)}`);
    if (status === 403) assert.deepEqual([error?.message, error?.details], ["no", { status: "403" }]);
    if (status === 200 && type === "text/plain") assert.equal(value, "text");
    tunnel.kill();
    await until("the end of the tunnel", () => !served.isConnected(hub.id));
  }
});

test("a query that is too long for a head is refused, and the tunnel stays", async () => {
  const sizes: number[] = [];
  await served.dial(hubToken, (stream, headers) => {
    sizes.push(String(headers[":path"]).length);
    stream.respond({ ":status": 200, "content-type": "application/json" });
    stream.end("true");
  });
  const long = (chars: number): object => ({ query: { groupId: "x".repeat(chars) } });
  assert.equal(await codeOf(long(limits.headerBytes / 2)), undefined);
  for (const chars of [limits.headerBytes, 65_536, 500_000])
    assert.equal(await codeOf(long(chars)), "E_LIMIT");
  const devices = { type: "DevicesHubQuery", groupId: "\u00e4".repeat(limits.headerBytes / 2) };
  assert.equal(await codeOf(devices), "E_LIMIT");
  assert.equal(await codeOf({ query: { "a\r\nb": "\ud800\r\n" } }), undefined);
  assert.ok(served.isConnected(hub.id));
  assert.equal(sizes.length, 2);
});

test("a key named __proto__ in a hub's answer reaches no prototype", async () => {
  await answering(200, '{"__proto__":{"polluted":true},"a":1}');
  const { value } = (await send({})) as Result & { value: object };
  assert.deepEqual(value, { a: 1 });
  assert.equal("polluted" in {}, false);
});

test("a hub that does not answer in time fails the call", async () => {
  const streams: ServerHttp2Stream[] = [];
  await served.dial(hubToken, (stream) => void streams.push(stream));
  const late = codeOf();
  await until("the request", () => streams.length === 1);
  served.test.clock.advance(limits.relayAnswerMs);
  assert.equal(await late, "E_HUB_TIMEOUT");
});

test("a hub that dies before or amid its answer fails the call, so that no part is taken for the whole", async () => {
  for (const begins of [false, true]) {
    const asked = Promise.withResolvers<void>();
    const tunnel = await served.dial(hubToken, (stream) => {
      if (!begins) return asked.resolve();
      stream.respond({ ":status": 200, "content-type": "text/plain" });
      stream.write("half", () => asked.resolve());
    });
    const died = codeOf();
    await asked.promise;
    tunnel.kill();
    assert.equal(await died, "E_HUB_OFFLINE");
    await until("the end of the tunnel", () => !served.isConnected(hub.id));
  }
});

test("a user has as many calls pending as through the relay", async () => {
  const streams: ServerHttp2Stream[] = [];
  await served.dial(hubToken, (stream) => void streams.push(stream));
  const pending = Array.from({ length: limits.tunnelStreamsPerUser }, () => codeOf());
  await until("the requests", () => streams.length === limits.tunnelStreamsPerUser);
  assert.equal(await codeOf(), "E_BUSY");
  for (const stream of streams) {
    stream.respond({ ":status": 200, "content-type": "application/json" });
    stream.end("1");
  }
  assert.deepEqual(new Set(await Promise.all(pending)), new Set([undefined]));
});

test("a user's answers take only so much memory at once, and then give it back", async () => {
  const streams: ServerHttp2Stream[] = [];
  await served.dial(hubToken, (stream) => {
    streams.push(stream);
    stream.respond({ ":status": 200, "content-type": "text/plain" });
    stream.write(Buffer.alloc(limits.hubAnswerBytes));
  });
  const most = Math.floor(limits.hubAnswersBytesPerUser / limits.hubAnswerBytes);
  const codes = Array.from({ length: most + 1 }, () => codeOf());
  assert.equal(await Promise.race(codes), "E_BUSY");
  for (const stream of streams) stream.end();
  // Pieces of several answers may meet the limit together.
  const found = new Set(await Promise.all(codes));
  assert.deepEqual(found, new Set(["E_BUSY", undefined]));
  const again = codeOf();
  await until("the request", () => streams.length === most + 2);
  streams.at(-1)?.end();
  assert.equal(await again, undefined);
});
