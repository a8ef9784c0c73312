import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type WebFile, webPolicy } from "@ledge/link";
import { memoryLog } from "@ledge/log";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { openTestHub, type TestHub } from "../test-hub.ts";

const page: WebFile = {
  contentType: "text/html; charset=utf-8",
  etag: '"1"',
  isLasting: false,
  packings: [],
  read: async () => Buffer.from("<!doctype html>"),
};
const files = new Map([
  ["index.html", page],
  ["main-ABCD2345.js", { ...page, contentType: "text/javascript; charset=utf-8", isLasting: true }],
]);

describe("the web interface", () => {
  let hub: TestHub;
  before(async () => {
    const web = { files: { find: (name: string) => files.get(name) }, policy: webPolicy([]) };
    hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { web }, claimed: false });
  });

  test("opens without a key, on a hub that nobody owns yet too", async () => {
    const { status, headers, body } = await hub.api("local").send("GET", "//");
    assert.deepEqual([status, body], [200, "<!doctype html>"]);
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
  });

  test("serves its files below /ui", async () => {
    const { status, headers } = await hub.api("local").send("GET", "//ui/main-ABCD2345.js");
    assert.deepEqual([status, headers.get("content-type")], [200, "text/javascript; charset=utf-8"]);
  });

  test("answers HEAD with the headers alone", async () => {
    const { status, body } = await hub.api("local").send("HEAD", "//");
    assert.deepEqual([status, body], [200, ""]);
  });

  for (const path of ["//ui/", "//ui/main.js", "//ui/..%2Findex.html", "//ui/a/b.js", "//index.html"]) {
    test(`has nothing at ${path.slice(1)}`, async () => {
      assert.equal((await hub.api("local").send("GET", path)).status, 404);
    });
  }

  test("takes no other method", async () => {
    for (const method of ["PUT", "POST", "DELETE"])
      assert.equal((await hub.api("local").send(method, "//")).status, 404);
  });

  test("opens to none that call the hub by a foreign name", async () => {
    const answer = await hub.api("local").raw("GET", "//", undefined, { headers: { host: "evil.example" } });
    assert.equal(answer.status, 403);
  });

  test("does not go through the relay", async () => {
    assert.equal((await hub.api("remote").send("GET", "//")).status, 403);
  });

  test("is served as often as a browser reloads it, and is bounded for each address", async () => {
    const api = hub.api("local", { perAddress: {} });
    const statuses: number[] = [];
    for (let request = 0; request <= limits.openReadsPerMinutePerAddress; request++)
      statuses.push((await api.send("GET", "//ui/main-ABCD2345.js")).status);
    assert.deepEqual(new Set(statuses.slice(0, -1)), new Set([200]));
    assert.equal(statuses.at(-1), 429);
  });
});
