// Many hubs tell their homes at once, over real HTTP/2, and the store takes its time.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { memoryBus, memoryRegisterStore } from "@ledge/fleet";
import { systemClock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { until } from "@ledge/testkit";
import { Replication } from "./replication.ts";
import { gatewayRow } from "./rows.ts";
import { deviceLine, linesOf, send } from "./test-home.ts";

const hubs = limits.changesUnderWay + 6;
/** Longer than what a stream of HTTP/2 takes before somebody reads it. */
const padding = "x".repeat(1_000_000 / 20);

test("so many answers are stored at once as the limit says, and the others wait at their hubs", async (t) => {
  let [given, left] = [0, 0];
  const server = createServer();
  server.on("stream", (stream, headers) => {
    const after = new URL(String(headers[":path"]), "http://hub").searchParams.get("after") || null;
    if (after !== null) return;
    given++;
    stream.on("finish", () => left++);
    const devices = Array.from({ length: 20 }, (_, at) => deviceLine(`d${at}`, 1, { padding }));
    send({ after, stream }, linesOf({ after }, devices, { next: "s.1", more: false }, { full: true }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sessions = new Map<string, ClientHttp2Session>();
  for (let hub = 0; hub < hubs; hub++) sessions.set(`hub${hub}`, connect(address));

  const store = memoryRegisterStore(() => 0);
  const held: (() => void)[] = [];
  const apply = store.apply.bind(store);
  store.apply = async (batch) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return apply(batch);
  };
  const onError = (error: unknown): never => assert.fail(JSON.stringify(error));
  const replication = new Replication({
    tunnels: { of: (hubId) => sessions.get(hubId), onChanged: () => () => {} },
    store,
    bus: memoryBus({ after: (ms, callback) => systemClock.after(ms, callback), onError }),
    gatewaysOf: (hubId) => [gatewayRow(hubId, hubId, { name: hubId, version: "1", at: 1 })],
    registersOf: () => [],
    described: (row) => row,
    egress: { messagesFor: () => [], stored: () => {} },
    now: () => 1,
    clock: systemClock,
    random: () => 0,
    logger: { error: onError, warn: onError, info: () => {} },
  });
  t.after(() => {
    replication.stop();
    for (const session of sessions.values()) session.destroy();
    server.close();
  });
  for (const hubId of sessions.keys()) replication.begin(hubId);

  await until("all hubs have been asked", () => given === hubs);
  await until("the store is full of work", () => held.length === limits.changesUnderWay);
  await until("what is stored has left its hub", () => left === limits.changesUnderWay);
  assert.deepEqual([held.length, left], [limits.changesUnderWay, limits.changesUnderWay]);
  for (let more = 1; more <= hubs - limits.changesUnderWay; more++) {
    held[more - 1]?.();
    await until("the next answer comes", () => held.length === limits.changesUnderWay + more);
    await until("it has left its hub", () => left === limits.changesUnderWay + more);
  }
  for (const resolve of held) resolve();
  await until("all homes are stored", async () => (await store.sources()).length === hubs);
});
