import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { features } from "@ledge/model";
import { until } from "@ledge/testkit";
import { Served } from "../http/test-served.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import type { Push } from "./pushes.ts";

let served: Served;
let hub: TestHub;
let owner: string;
const answers: (() => void)[] = [];
before(async () => {
  served = await Served.start();
  const home = await served.claimed("owner@example.org", { features: [features.REMOTE_USAGE] });
  ({ hub, owner } = home);
  await served.dial(home.hubToken, (stream) =>
    answers.push(() => {
      stream.respond({ ":status": 422, "content-type": "application/json" });
      stream.end('{"message":"nothing starts this hub again"}');
    }),
  );
});
after(() => served.stop());

const fetched = (token: string): Promise<readonly Push[]> => served.fetched(token, "s", 1);

const statesIn = (pushes: readonly Push[]): unknown[] =>
  pushes.flatMap((push) => (push.type === "StateOperationPush" ? [push.operation["state"]] : []));

test("a subscriber of an operation gets its state now and when it changes", async () => {
  const { operation } = await served.graph(owner, { type: "RestartHubCommand", hubId: hub.id });
  const { operationId } = operation as { operationId: string };
  await until("the request", () => answers.length > 0);
  const subscribe = { type: "SubscribeOperationCommand", operationId, sessionId: "s" };
  assert.equal((await served.graph(owner, subscribe)).error, undefined);
  assert.deepEqual(statesIn(await fetched(owner)), ["NotStarted"]);
  answers.pop()?.();
  const { kernel } = served.test.cloud;
  await until("the end", () => kernel.get("operation", operationId)?.state === "Failed");
  assert.deepEqual(statesIn(await fetched(owner)), ["Failed"]);
  await served.graph(owner, { ...subscribe, type: "UnsubscribeOperationCommand" });
  assert.deepEqual(statesIn(await fetched(owner)), []);
  const stranger = await served.logIn("stranger@example.org");
  assert.equal((await served.graph(stranger, subscribe)).error?.code, "E_NOT_FOUND");
});
