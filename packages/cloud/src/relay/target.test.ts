import assert from "node:assert/strict";
import { test } from "node:test";
import { targetOf } from "./target.ts";

test("finds hub and path of a request to the relay", () => {
  for (const [url, hubId, path] of [
    ["/relay/hub", null, "/hub"],
    ["/relay/cc/1.14/hub/poll?ts=1&x=a,b", null, "/cc/1.14/hub/poll?ts=1&x=a,b"],
    ["/ui/0.2/hub/remote/cc/1.14/rooms", null, "/cc/1.14/rooms"],
    ["/legacy/ui/0.2/hub/h1/remote/cc/1.14/rooms", "h1", "/cc/1.14/rooms"],
  ] as const)
    assert.deepEqual({ ...targetOf(url) }, { hubId, path }, url);
});

test("resolves a path before it passes it on", () => {
  for (const [url, path] of [
    ["/relay/cc/1.14/rooms?", "/cc/1.14/rooms"],
    ["/relay/cc/1.14/a/../rooms", "/cc/1.14/rooms"],
    ["/relay/cc/1.14/a/%2e%2e/rooms", "/cc/1.14/rooms"],
    ["/relay/cc/1.14/rooms#x", "/cc/1.14/rooms"],
    ["/relay/cc/1.14\\rooms", "/cc/1.14/rooms"],
    ["/relay/cc/1.14/rooms?q='a b'", "/cc/1.14/rooms?q=%27a%20b%27"],
    ["/relay/cc/1.14/ro\toms", "/cc/1.14/rooms"],
    ["http://cloud/relay/cc/1.14/rooms", "/cc/1.14/rooms"],
  ] as const)
    assert.equal(targetOf(url)?.path, path, url);
});

test("serves nothing outside the hub's API", () => {
  for (const url of [
    "/relay/.ledge/ping",
    "/relay/cc/1.14/../../.ledge/ping",
    "/relay/hub/../.ledge/ping",
    "/relay/cc/../../ui/0.2/user",
    "/relay/cc/",
    "/relay/hubs",
    "/relay",
    "/relayed/hub",
    "//relay/hub",
    "*",
    "",
  ])
    assert.equal(targetOf(url), undefined, url);
});
