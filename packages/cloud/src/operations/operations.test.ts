import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { limits } from "@ledge/model";
import { until } from "@ledge/testkit";
import { Failed } from "../graph/errors.ts";
import type { Operation } from "../model/operation.ts";
import { TestCloud } from "../testdata/open-cloud.ts";
import { Operations, type OperationBounds, type Work } from "./operations.ts";

let world: TestCloud;
let opened: Operations[];
beforeEach(async () => {
  world = await TestCloud.open();
  opened = [];
});
afterEach(async () => {
  for (const each of opened) each.stop();
  await world.remove();
});

const never: Work = () => new Promise(() => {});

function open(works: Record<string, Work>, bounds: Partial<OperationBounds> = {}): Operations {
  const { cloud, clock } = world;
  const logger = createLogger("silent");
  const options = { cloud, clock, logger, newId: randomUUID, works, bounds: { ...limits, ...bounds } };
  const operations = new Operations(options);
  opened.push(operations);
  return operations;
}

const begin = (operations: Operations, command = "Work", owner = "ada"): Promise<Operation | Failed> =>
  operations.begin({ command, owner, target: { hubId: "hub" }, input: { step: 1 }, correlationId: null });

async function begun(operations: Operations, command?: string, owner?: string): Promise<string> {
  const operation = await begin(operations, command, owner);
  return operation instanceof Failed ? assert.fail(operation.error.message) : operation.id;
}

const stateOf = (id: string): Operation["state"] | undefined =>
  world.cloud.kernel.get("operation", id)?.state;

test("an account has its own limit of open operations, and parallel ones count", async () => {
  const operations = open({ Work: never }, { operationsOpen: 3 });
  const all = await Promise.all(Array.from({ length: 5 }, () => begin(operations)));
  const refused = all.filter((each) => each instanceof Failed);
  assert.deepEqual(
    refused.map(({ error }) => error.code),
    ["E_LIMIT", "E_LIMIT"],
  );
  await begun(operations, "Work", "eve");
  const [first] = operations.index.ofOwner("ada");
  assert.equal(await operations.cancel(first?.id ?? "", "ada"), undefined);
  await begun(operations);
});

test("beyond the limit of kept operations the oldest that has ended goes, never an open one", async () => {
  const operations = open({ Work: async () => ({}), Never: never }, { operationsKept: 3 });
  const open_ = await begun(operations, "Never");
  const ids: string[] = [];
  for (let count = 0; count < 4; count++) {
    await world.clock.pass(1);
    const id = await begun(operations);
    await until("the end", () => stateOf(id) === "Succeeded");
    ids.push(id);
  }
  assert.deepEqual(ids.map(stateOf), [undefined, undefined, "Succeeded", "Succeeded"]);
  assert.equal(stateOf(open_), "NotStarted");
  assert.equal(operations.index.ofOwner("ada").length, 3);
  assert.equal(operations.index.aboutTarget("hub").length, 3);
});

test("an operation that ended is dropped after its time, and one that is open stays", async () => {
  const operations = open({ Work: async () => ({ done: 1 }), Never: never });
  const [ended, going] = [await begun(operations), await begun(operations, "Never")];
  await until("the end", () => stateOf(ended) === "Succeeded");
  await world.goForward(limits.operationKeptMs - limits.operationSweepMs);
  await world.clock.pass(limits.operationSweepMs);
  assert.equal(stateOf(ended), "Succeeded");
  await world.clock.pass(limits.operationSweepMs + 1);
  await until("the sweep", () => stateOf(ended) === undefined);
  assert.equal(stateOf(going), "NotStarted");
});

test("work that fails or throws ends its operation with an error", async () => {
  const operations = open({
    Fails: async () => new Failed("E_HUB_TIMEOUT", "late", { hubId: "hub" }),
    Throws: () => Promise.reject(new Error("a secret of the cloud")),
  });
  const [failed, threw] = [await begun(operations, "Fails"), await begun(operations, "Throws")];
  await until("the ends", () => stateOf(failed) === "Failed" && stateOf(threw) === "Failed");
  const errorOf = (id: string): Operation["error"] | undefined =>
    world.cloud.kernel.get("operation", id)?.error;
  assert.deepEqual(errorOf(failed), { code: "E_HUB_TIMEOUT", message: "late", details: { hubId: "hub" } });
  assert.deepEqual(errorOf(threw), { code: "E_UNKNOWN", message: "internal error" });
});

test("an open operation goes on where another process left it, and one that nobody knows fails", async () => {
  const first = open({ Work: never, Old: never });
  const [id, old] = [await begun(first), await begun(first, "Old")];
  first.stop();
  const seen: unknown[] = [];
  open({
    Work: async (operation, { progress }) => {
      await progress(50);
      seen.push(operation.input, operation.owner);
      return {};
    },
  });
  await until("the ends", () => stateOf(id) === "Succeeded" && stateOf(old) === "Failed");
  assert.deepEqual(seen, [{ step: 1 }, "ada"]);
  assert.equal(world.cloud.kernel.get("operation", old)?.error?.code, "E_NOT_SUPPORTED");
});

test("canceling aborts the work, and what it comes to later changes nothing", async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  let signal: AbortSignal | undefined;
  const operations = open({
    Work: (_operation, going) => {
      ({ signal } = going);
      return promise;
    },
  });
  const id = await begun(operations);
  assert.equal(await operations.cancel(id, "ada"), undefined);
  assert.equal(signal?.aborted, true);
  resolve({ late: true });
  await world.clock.pass(10);
  assert.equal(stateOf(id), "Canceled");
  assert.equal((await operations.cancel(id, "ada"))?.error.code, "E_WRONG_STATE");
  assert.equal((await operations.cancel("none", "ada"))?.error.code, "E_NOT_FOUND");
});
