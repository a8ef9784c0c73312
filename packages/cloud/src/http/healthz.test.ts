import assert from "node:assert/strict";
import { test } from "node:test";
import { whileStarting } from "./front.ts";
import { Served } from "./test-served.ts";

test("GET /healthz has the same shape while the cloud starts, serves and is closed", async () => {
  const served = await Served.start();
  const starting = whileStarting(new Request("http://127.0.0.1/healthz")) ?? assert.fail("no answer");
  const early = { status: starting.status, json: await starting.json() };
  assert.equal(whileStarting(new Request("http://127.0.0.1/ui/0.2/user")), undefined);
  const serving = await served.call("GET", "/healthz");
  await served.test.cloud.close();
  const over = await served.call("GET", "/healthz");
  for (const [{ status, json }, code, state, why] of [
    [early, 503, "starting", "the cloud opens its log"],
    [serving, 200, "serving", null],
    [over, 503, "closed", null],
  ] as const) {
    assert.equal(status, code, state);
    const { clockTrusted, quotaExceeded, reason, ...rest } = json as Record<string, string | null>;
    if (why !== null) assert.equal(reason, why);
    const message = reason === null ? state : `${state}: ${reason}`;
    assert.deepEqual(rest, { status: state, message });
    assert.deepEqual([typeof clockTrusted, typeof quotaExceeded], ["boolean", "boolean"]);
  }
  await served.stop();
});

test("what the log says nothing about is answered before this process has read on", async () => {
  let readings = 0;
  const served = await Served.start({
    fresh: async () => {
      readings += 1;
    },
  });
  try {
    for (const path of ["/healthz", "/apidoc", "/", "/ui/main.js", "/nothing"])
      await served.call("GET", path);
    assert.equal(readings, 0);
    assert.equal((await served.call("GET", "/.well-known/jwks.json")).status, 200);
    assert.equal((await served.ui("GET", "/user/hubkeys")).status, 401);
    assert.equal(readings, 2);
  } finally {
    await served.stop();
  }
});
