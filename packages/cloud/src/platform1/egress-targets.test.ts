import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { limits } from "@ledge/model";
import { type Reply, Served } from "../http/test-served.ts";

let served: Served;
let owner: string;
let account: string;
let site: string;
let targets: string;
before(async () => {
  ({ served, owner } = await Served.withHub());
  account = served.test.cloud.directory.accountOf("owner@example.org")?.id ?? assert.fail();
  const groups = `/Subscriptions/${account}/ResourceGroups`;
  assert.equal((await call("POST", groups, { name: "homes" })).status, 201);
  const made = await call("POST", `${groups}/homes/Resources`, { name: "House", provider: "Vendor.Sites" });
  site = (made.json as { properties: { siteId: string } }).properties.siteId;
  targets = `/Sites/${site}/EgressTargets`;
});
after(() => served.stop());

const call = (method: string, path: string, json?: unknown, token = owner): Promise<Reply> =>
  served.call(method, `/1.0${path}`, { token, ...(json !== undefined && { json }) });
const url = "https://hooks.example/in";
const target = (id: string, more: object = {}) => ({ $type: "rest", id, url, ...more });

describe("bad input", () => {
  const longest = "x".repeat(limits.egressTargetIdMaxChars);
  const header = (name: string, value = "v") => ({ headers: { [name]: value } });

  test("makes no target", async () => {
    for (const [body, status] of [
      [{}, 422],
      [[], 422],
      [{ ...target("abc"), $type: undefined }, 422],
      [target("abc", { $type: "kafka" }), 422],
      [target("ab"), 422],
      [target(`${longest}x`), 422],
      [target("a-b"), 422],
      [target("abc", { url: undefined }), 422],
      [target("abc", { url: 7 }), 422],
      [target("abc", { url: "ftp://hooks.example/" }), 422],
      [target("abc", { url: "https://10.0.0.1/" }), 422],
      [target("abc", { url: "https://user:pass@hooks.example/" }), 422],
      [target("abc", { url: url.padEnd(limits.egressUrlChars + 1, "x") }), 422],
      [target("abc", { method: "GET" }), 422],
      [target("abc", { serverScript: "return events" }), 501],
      [target("abc", { serverScript: "" }), 501],
      [target("abc", { serverScript: 7 }), 422],
      [target("abc", { requestTimeoutSeconds: 0.9 }), 422],
      [target("abc", { requestTimeoutSeconds: 60.1 }), 422],
      [target("abc", { requestTimeoutSeconds: "30" }), 422],
      [target("abc", { isEnabled: 1 }), 422],
      [target("abc", { fetchMaxEvents: 0 }), 422],
      [target("abc", { fetchMaxEvents: 10_001 }), 422],
      [target("abc", { fetchMaxEvents: 1.5 }), 422],
      [target("abc", { fetchWaitMaxMs: 1 }), 422],
      [target("abc", { fetchWaitMaxMs: 60_001 }), 422],
      [target("abc", { headers: [] }), 422],
      [target("abc", header("a", "***")), 422],
      [target("abc", header("a b")), 422],
      [target("abc", header("")), 422],
      [target("abc", header("a", "x\r\nb: c")), 422],
      [target("abc", header("a", "ä")), 422],
      [target("abc", header("x".repeat(limits.egressHeaderNameChars + 1))), 422],
      [target("abc", header("a", "x".repeat(limits.egressHeaderChars + 1))), 422],
      [target("abc", header("Content-Length", "1")), 422],
      [target("abc", header("Host")), 422],
      [target("abc", header("webhook-signature")), 422],
      [target("abc", { headers: { a: "1", A: "2" } }), 422],
      [target("abc", { headers: manyHeaders(limits.egressHeaders + 1) }), 422],
    ] as const) {
      const reply = await call("POST", targets, body);
      assert.equal(reply.status, status, `${JSON.stringify(body).slice(0, 200)}: ${reply.text}`);
      assert.equal(reply.headers.get("content-type"), "application/problem+json");
    }
    assert.deepEqual((await call("GET", targets)).json, { data: [], links: { next: null, prev: null } });
    assert.equal((await call("POST", "/Sites/none/EgressTargets", target("abc"))).status, 404);
  });

  test("changes no target", async () => {
    assert.equal((await call("POST", targets, target("fixed"))).status, 201);
    const untouched = (await call("GET", `${targets}/fixed`)).text;
    for (const [path, body, status] of [
      ["fixed", {}, 422],
      ["fixed", target("other"), 422],
      ["fixed", target("fixed", { $type: "grpc" }), 422],
      ["fixed", target("fixed", { serverScript: "x" }), 501],
      ["fixed", target("fixed", { headers: { a: "***" } }), 422],
      ["none", target("none"), 404],
      ["__proto__", target("fixed", { id: undefined }), 404],
    ] as const)
      assert.equal((await call("PUT", `${targets}/${path}`, body)).status, status, path);
    assert.equal((await call("GET", `${targets}/fixed`)).text, untouched);
    assert.equal((await call("GET", `${targets}/none`)).status, 404);
    assert.equal((await call("DELETE", `${targets}/none`)).status, 404);
    assert.equal((await call("POST", targets, target("FIXED"))).status, 409);
    assert.equal((await call("DELETE", `${targets}/fixed`)).status, 200);
  });
});

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "v"]));
}

test("a target has the defaults of the specification, and takes values at the edges of its limits", async () => {
  const made = await call("POST", targets, target("usual"));
  assert.equal(made.status, 201);
  assert.equal(made.headers.get("location"), `/1.0${targets}/usual`);
  const { secret, ...rest } = made.json as { secret: string };
  const usual = {
    ...target("usual"),
    method: "POST",
    headers: {},
    serverScript: null,
    requestTimeoutSeconds: null,
    isEnabled: true,
    fetchMaxEvents: 10,
    fetchWaitMaxMs: 10,
    disabled: null,
    deadLetters: 0,
  };
  assert.deepEqual(rest, usual);
  assert.match(secret, /^whsec_/);
  assert.deepEqual((await call("GET", `${targets}/USUAL`)).json, usual);
  for (const [id, more] of [
    [
      "abc",
      { fetchMaxEvents: 1, fetchWaitMaxMs: 2, requestTimeoutSeconds: 1, method: "PUT", isEnabled: false },
    ],
    ["x".repeat(50), { fetchMaxEvents: 10_000, fetchWaitMaxMs: 60_000, requestTimeoutSeconds: 60 }],
    ["headers", { headers: manyHeaders(limits.egressHeaders), serverScript: null }],
    [
      "header",
      { headers: { ["x".repeat(limits.egressHeaderNameChars)]: "v".repeat(limits.egressHeaderChars) } },
    ],
    ["longurl", { url: url.padEnd(limits.egressUrlChars, "x") }],
  ] as const) {
    assert.equal((await call("POST", targets, target(id, more))).status, 201, id);
    const shown = (await call("GET", `${targets}/${id}`)).json as { headers: object };
    const hidden = Object.fromEntries(
      Object.keys("headers" in more ? more.headers : {}).map((name) => [name, "***"]),
    );
    assert.deepEqual(shown, { ...usual, ...target(id), ...more, headers: hidden });
    assert.equal((await call("DELETE", `${targets}/${id}`)).status, 200);
  }
  assert.equal((await call("DELETE", `${targets}/usual`)).status, 200);
});

test("targets are listed in pages, and replaced whole", async () => {
  for (const id of ["three", "one", "two"])
    assert.equal((await call("POST", targets, target(id))).status, 201);
  const idsIn = ({ json }: Reply): string[] => (json as { data: { id: string }[] }).data.map(({ id }) => id);
  const first = await call("GET", `${targets}?pageSize=2`);
  const { next } = (first.json as { links: { next: string } }).links;
  assert.deepEqual(idsIn(first), ["one", "three"]);
  assert.deepEqual(idsIn(await call("GET", `${targets}?pageSize=2&next=${next}`)), ["two"]);
  for (const size of [0, 2001, "x"])
    assert.equal((await call("GET", `${targets}?pageSize=${size}`)).status, 422);
  assert.equal((await call("GET", `${targets}?next=no`)).status, 422);
  const full = { method: "PUT", headers: { a: "1" }, fetchMaxEvents: 3, isEnabled: false };
  const replaced = await call("PUT", `${targets}/one`, target("one", full));
  assert.deepEqual(replaced.json, { ...(replaced.json as object), ...full, headers: { a: "***" } });
  const again = (await call("PUT", `${targets}/one`, { $type: "rest", url })).json as Record<string, unknown>;
  assert.deepEqual(
    [again["method"], again["isEnabled"], again["headers"], again["fetchMaxEvents"]],
    ["POST", true, {}, 10],
  );
  for (const id of ["one", "two", "three"])
    assert.equal((await call("DELETE", `${targets}/${id}`)).status, 200);
});

test("only who administers the site sees or changes its targets", async () => {
  assert.equal((await call("POST", targets, target("main"))).status, 201);
  const reader = await served.logIn("reader@example.org");
  const principal = served.test.cloud.directory.accountOf("reader@example.org")?.id ?? assert.fail();
  const scope = `/Subscriptions/${account}/ResourceGroups/homes`;
  const role = { tenantId: account, scope, principal, role: "reader" };
  const calls = [
    ["GET", targets, undefined],
    ["GET", `${targets}/main`, undefined],
    ["POST", targets, target("mine")],
    ["PUT", `${targets}/main`, target("main", { fetchMaxEvents: 1 })],
    ["DELETE", `${targets}/main`, undefined],
  ] as const;
  const statuses = async (): Promise<number[]> => {
    const found: number[] = [];
    for (const [method, path, body] of calls) found.push((await call(method, path, body, reader)).status);
    return found;
  };
  assert.deepEqual(await statuses(), [404, 404, 404, 404, 404]);
  await served.graph(owner, { type: "AssignRoleTenantCommand", ...role });
  assert.equal((await call("PUT", "/Tenants/Active", { tenantId: account }, reader)).status, 200);
  assert.deepEqual(await statuses(), [403, 403, 403, 403, 403]);
  await served.graph(owner, { type: "AssignRoleTenantCommand", ...role, role: "contributor" });
  assert.deepEqual(await statuses(), [200, 200, 201, 200, 200]);
  assert.equal((await call("DELETE", `${targets}/mine`)).status, 200);
});

test("a secret is told once when it is made, and nothing of a target is readable on disk", async () => {
  const headers = { authorization: "canary-header" };
  const made = await call("POST", targets, target("sealed", { headers, url: `${url}?key=canary-url` }));
  const { secret } = made.json as { secret: string };
  const rotate = { type: "RotateEgressSecretSiteCommand", siteId: site, targetId: "sealed" };
  const rotated = await served.graph(owner, rotate);
  const next = (rotated as { target?: { secret?: string } }).target?.secret ?? assert.fail();
  assert.notEqual(next, secret);
  const shown = `${(await call("GET", targets)).text}${(await call("GET", `${targets}/sealed`)).text}`;
  await served.test.cloud.kernel.sync();
  for (const text of [secret, next, "canary-header"]) assert.ok(!shown.includes(text), text);
  for (const text of [secret, next, "canary-header", "canary-url"])
    assert.equal(served.test.onDisk(text), false, text);
  assert.equal((await call("DELETE", `${targets}/sealed`)).status, 200);
});

test("a site that is deleted takes its targets along", async () => {
  assert.equal((await call("POST", targets, target("last"))).status, 201);
  const { kernel } = served.test.cloud;
  assert.equal(kernel.size("egress"), 1);
  const deleted = await call("DELETE", `/Subscriptions/${account}/ResourceGroups/homes`);
  assert.equal(deleted.status, 200, deleted.text);
  assert.equal(kernel.size("egress"), 0);
});
