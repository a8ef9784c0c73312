// What no client of the 1.0 API would send, to every endpoint of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "@ledge/model";
import { Served } from "../http/test-served.ts";
import { TestTenant } from "../graph/test-tenant.ts";
import { rows1 } from "./rows.ts";

let served: Served;
let tenant: TestTenant;
let known: Readonly<Record<string, string>>;
before(async () => {
  served = await Served.start();
  tenant = await TestTenant.open(served, "owner@example.org");
  const { properties } = await tenant.create("House", "Vendor.Sites");
  const deviceRegisterId = await tenant.createRegister("Meters");
  const { subscriptionId, resourceGroupName } = tenant.group;
  const { siteId = "" } = properties;
  known = { tenantId: tenant.id, subscriptionId, resourceGroupName, siteId, deviceRegisterId };
});
after(() => served.stop());

const segments = [
  "%00",
  "%ff",
  "%2f..%2f",
  "..%5c",
  "__proto__",
  "constructor",
  "%ed%a0%80",
  "x".repeat(2000),
  "%",
];
const queries = [
  "?next=%00",
  "?next=%ff&next=2",
  "?pageSize=1e9",
  "?pageSize[]=1",
  "?__proto__=1",
  `?globPattern=${"**%2f".repeat(200)}`,
];
const bodies: readonly (string | Uint8Array<ArrayBuffer>)[] = [
  "",
  "null",
  "[]",
  '"text"',
  "{",
  '{"__proto__":{"a":1},"constructor":1}',
  `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`,
  `{"name":"${"x".repeat(500_000)}"}`,
  '{"name":"a","name":"b","name":null}',
  new Uint8Array([0xff, 0xfe, 0x7b, 0x7d]),
  new Uint8Array([0xdf, 0xff, 0xff, 0xff, 0xff]),
];

let count = 0;
async function statusOf(
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<number> {
  // A minute's allowance for the user never runs out.
  if (++count % (limits.graphRequestsPerMinute / 2) === 0) served.test.clock.advance(60_000);
  const { token } = tenant;
  const reply = await served.call(method, `/1.0${path}`, { token, ...(body !== undefined && { body }) });
  assert.ok(
    reply.headers.get("content-type")?.includes("json"),
    `${method} ${path}: ${reply.text.slice(0, 200)}`,
  );
  return reply.status;
}

/** Returns the path of a row with what there is, and `value` for its last field. */
function pathOf(path: string, value?: string): string {
  const fields = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return path.replaceAll(/:(\w+)/g, (_, name: string) =>
    value !== undefined && name === fields.at(-1) ? value : (known[name] ?? "none"),
  );
}

test("no strange path, parameter or body makes an endpoint fail", async () => {
  const failed: string[] = [];
  let refused = 0;
  const ask = async (...given: Parameters<typeof statusOf>): Promise<void> => {
    const status = await statusOf(...given);
    if (status >= 400 && status < 500) refused++;
    // 501: a function that is refused whatever is said.
    if (status < 500 || status === 501) return;
    const [method, path, body = ""] = given;
    failed.push(`${method} ${path.slice(0, 100)} ${String(body).slice(0, 60)}: ${status}`);
  };
  for (const { method, path } of rows1) {
    // A deletion that succeeds would take along what the others are about.
    if (method === "DELETE") continue;
    for (const segment of path.includes(":") ? segments : [])
      await ask(method, pathOf(path, segment), method === "GET" ? undefined : "{}");
    for (const query of queries) await ask(method, pathOf(path) + query, method === "GET" ? undefined : "[]");
    if (method !== "GET") for (const body of bodies) await ask(method, pathOf(path), body);
  }
  assert.deepEqual(failed, []);
  // Fields that are not known are ignored, so some bodies are right.
  assert.ok(refused > 0.8 * count, `${refused} of ${count}`);
});
