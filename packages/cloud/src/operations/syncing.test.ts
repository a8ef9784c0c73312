import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { until } from "@ledge/testkit";
import { Served } from "../http/test-served.ts";
import type { Operation } from "../model/operation.ts";
import { deviceLine, linesOf, send, TestHome } from "../replication/test-home.ts";

let served: Served;
let home: TestHome;
before(async () => {
  served = await Served.start();
  home = await TestHome.open(served, "owner@example.org");
});
after(() => served.stop());

async function sync(): Promise<() => Operation> {
  const { operation } = await served.graph(home.owner, { type: "SyncHubCommand", hubId: home.hub.id });
  const { operationId } = operation as { operationId: string };
  return () => served.test.cloud.kernel.get("operation", operationId) ?? assert.fail("it is gone");
}

const placed = (id: string) => ({ kind: "device", id });
const paged = { full: true, share: "states" } as const;

test("a hub says what it shares with its first answer", async () => {
  assert.equal((await home.object())["share"], null);
  const first = await home.next(1);
  send(first, linesOf(first, [], { next: "n.0", more: false }, { share: "none" }));
  await home.stored("n.0");
  assert.equal((await home.object())["share"], "none");
  const second = await home.next(2);
  send(second, linesOf(second, [deviceLine("a")], { next: "s.1", more: false }, paged));
  await home.stored("s.1");
  assert.equal((await home.object())["share"], "states");
  const { data } = await served.graph(home.owner, { type: "ListHubsQuery" });
  assert.deepEqual(
    (data as { share: unknown }[]).map(({ share }) => share),
    ["states"],
  );
});

test("a sync is done when the hub has told all pages anew, and its rows stay meanwhile", async () => {
  await home.next(3);
  const operation = await sync();
  const first = await home.next(4);
  assert.notEqual(first.after, "s.1");
  assert.deepEqual(await home.ids(), ["a"]);
  send(first, linesOf(first, [deviceLine("b")], { next: "f.b", more: true, upto: placed("b") }, paged));
  const second = await home.next(5);
  await home.stored("f.b");
  assert.deepEqual([second.after, operation().state, await home.ids()], ["f.b", "Running", ["b"]]);
  const rest = linesOf(
    second,
    [deviceLine("c")],
    { next: "s.2", more: false },
    { ...paged, from: placed("b") as never },
  );
  send(second, rest);
  await until("the end", () => operation().state === "Succeeded");
  assert.deepEqual([operation().result, await home.ids()], [{ hubId: home.hub.id }, ["b", "c"]]);
});

test("a sync of a home that is no longer shared is done with its end", async () => {
  await home.next(6);
  const operation = await sync();
  const asked = await home.next(7);
  send(asked, linesOf(asked, [], { next: "n.0", more: false }, { share: "none" }));
  await until("the end", () => operation().state === "Succeeded");
  assert.deepEqual([await home.ids(), (await home.object())["share"]], [[], "none"]);
});

test("a sync fails when the hub does not tell its home in time", async () => {
  await home.next(8);
  const operation = await sync();
  await home.next(9);
  await served.test.clock.pass(limits.hubSyncMs);
  await until("the end", () => operation().state === "Failed");
  assert.equal(operation().error?.code, "E_HUB_TIMEOUT");
});

test("only who administers a hub may sync it, while it is connected", async () => {
  const stranger = await served.logIn("stranger@example.org");
  const codeOf = async (token: string, hubId = home.hub.id): Promise<string | undefined> =>
    (await served.graph(token, { type: "SyncHubCommand", hubId })).error?.code;
  assert.equal(await codeOf(stranger), "E_NOT_FOUND");
  const { hub, owner } = await served.claimed("other@example.org");
  assert.equal(await codeOf(owner, hub.id), "E_HUB_OFFLINE");
});
