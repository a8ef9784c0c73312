import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type Batch, memoryBus, memoryRegisterStore } from "@ledge/fleet";
import { limits } from "@ledge/model";
import { SimulatedClock, until } from "@ledge/testkit";
import { Replication } from "./replication.ts";
import { gatewayRow } from "./rows.ts";
import { deviceLine, linesOf, send } from "./test-home.ts";

test("an answer that says nothing is not stored again, until something of the hub has changed", async (t) => {
  const asked: { after: string | null; stream: ServerHttp2Stream }[] = [];
  const server = createServer();
  server.on("stream", (stream, headers) => {
    const after = new URL(String(headers[":path"]), "http://hub").searchParams.get("after") || null;
    asked.push({ after, stream });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const clock = new SimulatedClock();
  const store = memoryRegisterStore(() => 0);
  const stored: Batch[] = [];
  const apply = store.apply.bind(store);
  store.apply = (batch) => {
    stored.push(batch);
    return apply(batch);
  };
  let name = "Cabin";
  const onError = (error: unknown): never => assert.fail(JSON.stringify(error));
  const replication = new Replication({
    tunnels: { of: () => session, onChanged: () => () => {} },
    store,
    bus: memoryBus({ after: (ms, callback) => clock.after(ms, callback), onError }),
    gatewaysOf: (hubId) => [gatewayRow(hubId, hubId, { name, version: "1", at: 1 })],
    registersOf: () => [],
    described: (row) => row,
    egress: { messagesFor: () => [], stored: () => {} },
    now: () => 1,
    clock,
    random: () => 0,
    logger: { error: onError, warn: onError, info: () => {} },
  });
  t.after(() => {
    replication.stop();
    session.destroy();
    server.close();
  });

  let answers = 0;
  /** Answers the next question, and returns what is stored once the one after it has come. */
  const answered = async (lines: readonly object[], next: string, more: object = {}): Promise<number> => {
    const question = await until("the cloud asks", () => asked[answers]);
    answers++;
    send(question, linesOf(question, lines, { next, more: false }, more));
    await until("the cloud asks on", async () => {
      if (asked.length <= answers) await clock.pass(limits.changesIdleMs);
      return asked.length > answers;
    });
    return stored.length;
  };
  replication.begin("hub");
  assert.equal(await answered([deviceLine("d1")], "s.1", { full: true }), 1);
  assert.equal(await answered([], "s.1"), 1);
  assert.equal(await answered([], "s.1"), 1, "nothing has changed");
  name = "Villa";
  assert.equal(await answered([], "s.1"), 2, "the hub has another name");
  assert.equal(stored[1]?.upserts[0]?.id, "hub");
  assert.equal(await answered([], "s.1"), 2);
  assert.equal(await answered([], "s.2"), 3, "the cursor has moved");
  assert.equal(await answered([deviceLine("d1", 2)], "s.2"), 4, "a device has changed");
  assert.equal(await answered([], "s.2", { share: "none" }), 5, "the owner shares nothing more");
  assert.equal(await answered([], "s.2", { share: "none" }), 5);
  assert.equal(await answered([], "s.2", { share: "none", generation: 1 }), 6, "the hub has begun anew");
});
