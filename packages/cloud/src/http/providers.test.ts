import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { limits } from "@ledge/model";
import type { GraphResponse } from "../graph/graph.ts";
import type { Row } from "../graph/row.ts";
import { graphRows } from "../graph/rows.ts";
import { leastMessage } from "../graph/test-messages.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import { type Reply, Served } from "./test-served.ts";

let served: Served;
let hub: TestHub;
let owner: string;
before(async () => {
  ({ served, hub, owner } = await Served.withHub());
  await served.registers.set(hub.id, "lamp", false);
});
after(() => served.stop());

const bases = ["HubQuery", "HubCommand", "DeviceRegisterQuery", "DeviceRegisterCommand", "HubsQuery"];
const rows = graphRows.filter(({ base }) => bases.includes(base));

/** Returns the path of the provider of a base. */
function pathOf(base: string, id: string): string {
  const kind = base.endsWith("Query") ? "query" : "command";
  if (base === "HubsQuery") return "/providers/hubs/query";
  return `/providers/${base.startsWith("Hub") ? "hub" : "deviceRegister"}/${encodeURIComponent(id)}/${kind}`;
}

const send = (path: string, json: unknown, token = owner): Promise<Reply> =>
  served.call(path.endsWith("query") ? "POST" : "PUT", path, { token, json });
const resultOf = ({ status, json }: Reply): GraphResponse["result"] => {
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json as object), ["result"]);
  return (json as GraphResponse).result;
};
const messageOf = (row: Row): Readonly<Record<string, unknown>> =>
  leastMessage(row, { path: "/hub/tz", email: "invitee@example.org", deviceId: "lamp" });

test("refuses what is no envelope, or comes without a token, with problem details", async () => {
  const path = pathOf("HubQuery", hub.id);
  for (const [json, token, status] of [
    [{}, owner, 422],
    [[], owner, 422],
    [{ query: {} }, owner, 422],
    [{ command: { type: "GetHubQuery" } }, owner, 422],
    [{ query: { type: "GetHubQuery" }, correlationId: "" }, owner, 422],
    [{ query: { type: "GetHubQuery", more: "x".repeat(limits.graphBodyBytes) } }, owner, 413],
    [{ query: { type: "GetHubQuery" } }, "", 401],
  ] as const) {
    const reply = await send(path, json, token);
    assert.equal(reply.status, status);
    assert.equal(reply.headers.get("content-type"), "application/problem+json");
    assert.equal(reply.headers.get("deprecation"), "@1767225600");
  }
  const text = await served.call("POST", path, { token: owner, body: "{" });
  assert.equal(text.status, 400);
});

test("takes messages of its own base only", async () => {
  for (const base of bases)
    for (const row of rows.filter(
      (each) => each.base !== base && each.kind === (base.endsWith("Query") ? "query" : "command"),
    )) {
      const { error } = resultOf(await send(pathOf(base, hub.id), { [row.kind]: messageOf(row) }));
      assert.equal(error?.code, "E_UNKNOWN_TYPE", `${row.type} at ${base}`);
    }
});

test("takes the id from the path, and no other", async () => {
  for (const [base, field, type] of [
    ["HubQuery", "hubId", "GetHubQuery"],
    ["DeviceRegisterQuery", "deviceRegisterId", "GetDeviceRegisterQuery"],
  ] as const) {
    const path = pathOf(base, hub.id);
    assert.equal(resultOf(await send(path, { query: { type } })).error, undefined);
    assert.equal(resultOf(await send(path, { query: { type, [field]: hub.id } })).error, undefined);
    for (const other of ["other", null, 7, {}]) {
      const { error } = resultOf(await send(path, { query: { type, [field]: other } }));
      assert.deepEqual([error?.code, error?.details?.["field"]], ["E_INVALID", field]);
    }
    assert.equal(resultOf(await send(pathOf(base, "none"), { query: { type } })).error?.code, "E_NOT_FOUND");
  }
});

describe("answers as Graph does", () => {
  const same = async (row: Row, token: string): Promise<void> => {
    const message = messageOf(row);
    const id = { hubId: hub.id, deviceRegisterId: hub.id };
    const asked = { ...message, ...id, type: row.type };
    const { [row.base.startsWith("Hub") ? "hubId" : "deviceRegisterId"]: _, ...bare } = asked;
    const result = resultOf(
      await send(pathOf(row.base, hub.id), { [row.kind]: { ...bare, type: row.type } }, token),
    );
    assert.deepEqual(result, await served.graph(token, asked), row.type);
  };

  test("to the queries of the owner", async () => {
    for (const row of rows.filter(({ kind }) => kind === "query")) await same(row, owner);
  });

  test("to everything of a stranger, who learns nothing", async () => {
    const stranger = await served.logIn("stranger@example.org");
    for (const row of rows) await same(row, stranger);
  });
});

test("an object that claims to have a prototype names no type and no field", async () => {
  const body = `{"query":{"type":"GetHubQuery","__proto__":{"hubId":"${hub.id}"}}}`;
  const reply = await served.call("POST", pathOf("HubQuery", "none"), { token: owner, body });
  assert.equal(resultOf(reply).error?.code, "E_NOT_FOUND");
});
