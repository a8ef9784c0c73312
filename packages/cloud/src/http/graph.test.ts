import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { limits, roles } from "@ledge/model";
import type { GraphResponse } from "../graph/graph.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import { type Reply, Served } from "./test-served.ts";

let served: Served;
let hub: TestHub;
let owner: string;
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
});
after(() => served.stop());

const query = (token: string, message: object, more: object = {}): Promise<Reply> =>
  served.call("POST", "/graph/query", { token, json: { query: message, ...more } });
const resultOf = ({ json }: Reply): GraphResponse["result"] => (json as GraphResponse).result;
const problemOf = ({ json, headers }: Reply): { status: number; detail: string; errors?: object[] } => {
  assert.equal(headers.get("content-type"), "application/problem+json");
  return json as { status: number; detail: string };
};

describe("an envelope", () => {
  const send = (body: string, token = owner): Promise<Reply> =>
    served.call("POST", "/graph/query", { token, body });

  test("is refused with 400 when it is not JSON", async () => {
    for (const body of ["", "{", "{}x", '{"query":}', "\u00ff"]) {
      const reply = await send(body);
      assert.equal(reply.status, 400, body);
      assert.equal(problemOf(reply).status, 400);
    }
  });

  test("is refused with 413 above the limit of bytes, and read below it", async () => {
    const text = (bytes: number): string => {
      const envelope = JSON.stringify({ query: { type: "ListHubsQuery", more: "" } });
      return envelope.replace('"more":""', `"more":"${"x".repeat(bytes - envelope.length)}"`);
    };
    assert.equal((await send(text(limits.graphBodyBytes))).status, 200);
    assert.equal(problemOf(await send(text(limits.graphBodyBytes + 1))).status, 413);
  });

  test("is refused with 422 without a type, or with a wrong correlation id or trace", async () => {
    const type = "ListHubsQuery";
    const wrong: unknown[] = [
      [],
      null,
      7,
      {},
      { query: null },
      { query: {} },
      { query: { type: "" } },
      { query: { type: 7 } },
      { query: [type] },
      { command: { type } },
      { query: { type }, correlationId: "" },
      { query: { type }, correlationId: "x".repeat(limits.correlationIdChars + 1) },
      { query: { type }, correlationId: 7 },
      { query: { type }, traceparent: "00-1-2-00" },
      { query: { type }, traceparent: `00-${"g".repeat(32)}-${"1".repeat(16)}-00` },
    ];
    for (const envelope of wrong) {
      const reply = await send(JSON.stringify(envelope));
      assert.equal(reply.status, 422, JSON.stringify(envelope));
      assert.equal(problemOf(reply).status, 422);
    }
    const deep = `{"query":${"[".repeat(100)}${"]".repeat(100)}}`;
    assert.equal((await send(deep)).status, 422);
  });

  test("is refused with 401 without a cloud token, and with a HubKey", async () => {
    const { json } = await served.ui("GET", "/user/hubkeys", { token: owner });
    const hubKey = (json as Record<string, string>)[hub.id] ?? assert.fail();
    for (const token of ["", "nonsense", hubKey]) {
      const reply = await query(token, { type: "ListHubsQuery" });
      assert.equal(reply.status, 401, token);
      assert.equal(problemOf(reply).status, 401);
    }
  });

  test("takes the token raw and after Bearer", async () => {
    for (const token of [owner, `Bearer ${owner}`])
      assert.equal((await query(token, { type: "ListHubsQuery" })).status, 200);
  });

  test("comes back with its correlation id, and with a span of its trace", async () => {
    const trace = "a".repeat(32);
    const traceparent = `00-${trace}-${"b".repeat(16)}-01`;
    const longest = "x".repeat(limits.correlationIdChars);
    const { json } = await query(owner, { type: "ListHubsQuery" }, { correlationId: longest, traceparent });
    const answered = json as GraphResponse;
    assert.equal(answered.correlationId, longest);
    assert.match(answered.traceparent, new RegExp(`^00-${trace}-(?!${"b".repeat(16)})[0-9a-f]{16}-01$`));
    const bare = (await query(owner, { type: "ListHubsQuery" })).json as GraphResponse;
    assert.equal("correlationId" in bare, false);
    assert.match(bare.traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  test("names the trace before the header does, and the header alone will do", async () => {
    const of = (digit: string): string => `00-${digit.repeat(32)}-${"b".repeat(16)}-00`;
    const ask = async (more: object, header: string): Promise<string> => {
      const json = { query: { type: "ListHubsQuery" }, ...more };
      const sent = { token: owner, json, headers: { traceparent: header } };
      return ((await served.call("POST", "/graph/query", sent)).json as GraphResponse).traceparent;
    };
    assert.ok((await ask({}, of("1"))).includes("1".repeat(32)));
    assert.ok((await ask({ traceparent: of("2") }, of("1"))).includes("2".repeat(32)));
    assert.match(await ask({}, "nonsense"), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  test("starts a new trace where W3C forbids the one that is given", async () => {
    const [trace, span] = ["c".repeat(32), "d".repeat(16)];
    for (const traceparent of [
      `ff-${trace}-${span}-00`,
      `00-${"0".repeat(32)}-${span}-00`,
      `00-${trace}-${"0".repeat(16)}-00`,
      `00-${trace.toUpperCase()}-${span}-00`,
    ]) {
      const { json, status } = await query(owner, { type: "ListHubsQuery" }, { traceparent });
      assert.equal(status, 200);
      assert.ok(!(json as GraphResponse).traceparent.includes(trace), traceparent);
      assert.ok(!(json as GraphResponse).traceparent.includes("0".repeat(32)), traceparent);
    }
  });
});

test("answers unknown, abstract and other kinds of types with E_UNKNOWN_TYPE", async () => {
  for (const type of ["HubQuery", "Query", "getHubQuery", "GetHubCommand", "constructor", "__proto__"]) {
    const { status, json } = await query(owner, { type });
    assert.equal(status, 200);
    const { result } = json as GraphResponse;
    assert.equal(result.type, `${type}Result`);
    assert.equal(result.error?.code, "E_UNKNOWN_TYPE", type);
  }
  const asCommand = { token: owner, json: { command: { type: "GetHubQuery", hubId: hub.id } } };
  const { json } = await served.call("PUT", "/graph/command", asCommand);
  assert.equal((json as GraphResponse).result.error?.code, "E_UNKNOWN_TYPE");
});

test("names each wrong field of a message", async () => {
  const { error } = resultOf(await query(owner, { type: "ListHubsQuery", pageSize: 0, next: 7 }));
  assert.equal(error?.code, "E_INVALID");
  assert.deepEqual(error.errors?.map(({ details }) => details?.["field"]).toSorted(), ["next", "pageSize"]);
});

test("returns a hub to its users, and tells nobody else that it exists", async () => {
  const { hub: found, type } = resultOf(await query(owner, { type: "GetHubQuery", hubId: hub.id }));
  assert.equal(type, "GetHubQueryResult");
  const { account } = await served.test.logIn("owner@example.org");
  assert.deepEqual(found, {
    hubId: hub.id,
    name: "Cabin",
    version: "1.14.15.1",
    connected: false,
    role: "OWNER",
    features: [15],
    share: null,
    deviceRegisterId: hub.id,
    resourceId: `/Subscriptions/${account.id}/ResourceGroups/hubs/Providers/Vendor.Hubs/${hub.id}`,
    registers: [],
  });
  const stranger = await served.logIn("stranger@example.org");
  for (const [token, hubId] of [
    [stranger, hub.id],
    [owner, "no-such-hub"],
    [owner, "__proto__"],
  ] as const) {
    const { error } = resultOf(await query(token, { type: "GetHubQuery", hubId }));
    assert.equal(error?.code, "E_NOT_FOUND");
  }
});

test("lists the hubs that the caller may read, and none where the caller is a guest", async () => {
  const invited = async (email: string, role: number): Promise<string> => {
    const json = { hubId: hub.id, email, role };
    assert.equal((await served.ui("POST", "/user/invite", { token: owner, json })).status, 200);
    return served.join(email, hub.id);
  };
  const guest = await invited("guest@example.org", roles.GUEST);
  const remote = await invited("remote@example.org", roles.REMOTE_GUEST);
  const listed = async (token: string): Promise<unknown[]> =>
    resultOf(await query(token, { type: "ListHubsQuery" }))["data"] as unknown[];
  assert.deepEqual((await listed(owner)).length, 1);
  assert.deepEqual((await listed(remote)).length, 1);
  assert.deepEqual(await listed(guest), []);
});

test("refuses more requests of one user than a minute holds, from wherever they come", async () => {
  const own = await Served.start();
  const token = await own.logIn("busy@example.org");
  const send = (json: object): Promise<Reply> => own.call("POST", "/graph/query", { token, json });
  for (let sent = 0; sent < limits.graphRequestsPerMinute; sent++)
    assert.equal((await send({ query: { type: "ListHubsQuery" } })).status, 200);
  const reply = await send({ query: { type: "ListHubsQuery" } });
  assert.equal(problemOf(reply).status, 429);
  assert.ok(Number(reply.headers.get("retry-after")) >= 1);
  // Other requests of the same account have an allowance of their own.
  assert.equal((await own.ui("GET", "/user", { token })).status, 200);
  await own.test.clock.pass(60_000);
  assert.equal((await send({ query: { type: "ListHubsQuery" } })).status, 200);
  await own.stop();
});
