import assert from "node:assert/strict";
import { test } from "node:test";
import { Served } from "../http/test-served.ts";

test("answers 410 to everything while it is off, and Graph goes on", async () => {
  const served = await Served.start({ platform1: "off" });
  const token = await served.logIn("ada@example.org");
  for (const path of ["/1.0/Tenants", "/1.0/Operations/x", "/1.0/anything"]) {
    const reply = await served.call("GET", path, { token });
    assert.equal(reply.status, 410);
    assert.equal(reply.headers.get("content-type"), "application/problem+json");
    assert.ok(reply.headers.get("link")?.includes('rel="successor-version"'));
  }
  assert.equal((await served.graph(token, { type: "ListTenantQuery" })).error, undefined);
  await served.stop();
});
