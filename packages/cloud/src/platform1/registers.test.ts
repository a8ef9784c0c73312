import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encode } from "@msgpack/msgpack";
import { features, limits } from "@ledge/model";
import { type Reply, Served } from "../http/test-served.ts";
import { type Asked, answering } from "../relay/test-answering.ts";
import type { TestHub } from "../testdata/open-cloud.ts";

let served: Served;
let hub: TestHub;
let owner: string;
let stranger: string;
let base: string;
const asked: Asked[] = [];
before(async () => {
  served = await Served.start();
  let hubToken: string;
  ({ hub, hubToken, owner } = await served.claimed("owner@example.org", {
    features: [features.REMOTE_USAGE],
  }));
  stranger = await served.logIn("stranger@example.org");
  base = `/Registers/${hub.id}`;
  for (const id of ["lamp-a", "lamp-b", "lamp-c"]) await served.registers.set(hub.id, id, false);
  await served.dial(
    hubToken,
    answering(asked, () => [200, null]),
  );
});
after(() => served.stop());

const call = (method: string, path: string, json?: unknown, token = owner): Promise<Reply> =>
  served.call(method, `/1.0${base}${path}`, { token, ...(json !== undefined && { json }) });
const ids = ({ json }: Reply): string[] => (json as { data: { id: string }[] }).data.map(({ id }) => id);
const statusOf = async (...given: Parameters<typeof call>): Promise<number> => (await call(...given)).status;

test("lists refuse parameters that are none of theirs", async () => {
  for (const query of [
    "pageSize=0",
    `pageSize=${limits.pageSizeMost + 1}`,
    "pageSize=1.5",
    "orderBy=model",
    "descending=yes",
    `search=${"x".repeat(limits.searchMinChars - 1)}`,
    `search=${"x".repeat(limits.searchMaxChars + 1)}`,
    "next=forged",
    "next=a&prev=b",
    Array.from({ length: limits.filterValues + 1 }, () => "tags=a").join("&"),
  ])
    assert.equal(await statusOf("GET", `/Devices?${query}`), 422, query.slice(0, 40));
  assert.equal(await statusOf("GET", "/Devices", undefined, stranger), 404);
  assert.equal(await statusOf("GET", "/Devices", undefined, ""), 401);
});

test("lists go by pages, orders, searches and filters", async () => {
  const all = ["lamp-a", "lamp-b", "lamp-c"];
  assert.deepEqual(ids(await call("GET", "/devices")), all);
  assert.deepEqual(ids(await call("GET", `/Devices?pageSize=${limits.pageSizeMost}`)), all);
  const first = await call("GET", "/Devices?pageSize=2&orderBy=name&descending=true");
  const { next } = (first.json as { links: { next: string } }).links;
  const second = await call("GET", `/Devices?pageSize=2&orderBy=name&descending=true&next=${next}`);
  assert.deepEqual([...ids(first), ...ids(second)], all.toReversed());
  assert.deepEqual(ids(await call("GET", "/Devices?search=MP-b")), ["lamp-b"]);
  assert.deepEqual(ids(await call("GET", "/Devices?id=LAMP-C")), ["lamp-c"]);
  assert.deepEqual(ids(await call("GET", "/Devices?capabilities=ON_OFF&capabilities=none")), []);
});

test("an update replaces all metadata, and names wrong fields as they stand in the body", async () => {
  const wrong = await call("PUT", "/Devices/lamp-a", { model: 7 });
  assert.equal(wrong.status, 422);
  const { errors } = wrong.json as { errors: { field: string }[] };
  assert.deepEqual(errors.map(({ field }) => field).toSorted(), ["model", "name"]);
  const { name } = (await call("GET", "/Devices/lamp-a")).json as { name: string };
  const updated = await call("PUT", "/Devices/lamp-a", { name, model: "M1", tags: { floor: "1" } });
  assert.equal(updated.status, 200);
  assert.deepEqual((await call("GET", "/Devices/lamp-a")).json, updated.json);
  assert.deepEqual(ids(await call("GET", "/Devices?tags=floor:1")), ["lamp-a"]);
  assert.equal(await statusOf("PUT", "/Devices/lamp-a", { name }), 200);
  assert.deepEqual(((await call("GET", "/Devices/lamp-a")).json as { tags: object }).tags, {});
  assert.equal(await statusOf("PUT", "/Devices/unknown", { name }), 404);
});

test("a configuration is any object, and nothing of the path gets into it", async () => {
  for (const wrong of [[], "text", 7, null])
    assert.equal(await statusOf("PUT", "/Devices/lamp-a/Configuration", wrong), 422);
  const configuration = { deviceId: "mine", nested: { list: [1, null] } };
  assert.equal(await statusOf("PUT", "/Devices/lamp-a/Configuration", configuration), 200);
  assert.deepEqual((await call("GET", "/Devices/lamp-a/configuration")).json, configuration);
});

test("a command reaches the device, and a removal answers problem details", async () => {
  assert.equal(await statusOf("POST", "/Devices/lamp-b/Commands", {}), 422);
  const sent = await call("POST", "/Devices/lamp-b/Commands", { type: "CMD_DEVICE_ON" });
  assert.deepEqual([sent.status, sent.json], [200, null]);
  const removed = await call("DELETE", "/Devices/lamp-b");
  assert.equal(removed.headers.get("content-type"), "application/problem+json");
  const { title, status, instance } = removed.json as Record<string, unknown>;
  assert.deepEqual([title, status, instance], ["Deleted", 200, `/1.0${base}/Devices/lamp-b`]);
  assert.equal(await statusOf("GET", "/Devices/lamp-b"), 404);
  assert.deepEqual(
    asked.map(([method, path]) => `${method} ${path.split("/").slice(3).join("/")}`),
    ["PUT devices/command", "DELETE devices"],
  );
  const { state } = (await call("GET", "/Devices/lamp-a/State")).json as { state: { isOn: boolean } };
  assert.equal(state.isOn, false);
});

test("an execute command is bytes of JSON or MessagePack, up to their limit", async () => {
  const execute = (body: string | Uint8Array<ArrayBuffer>, type?: string): Promise<Reply> =>
    served.call("POST", `/1.0${base}/Devices/lamp-c/Execute`, {
      token: owner,
      body,
      ...(type !== undefined && { headers: { "content-type": type } }),
    });
  const packed = "application/msgpack; charset=binary";
  const tooDeep = new Uint8Array(1000).fill(0x91);
  // Lists in lists, each of which announces 65,535 items.
  const swelling = new Uint8Array(limits.executeBytes).map((_, index) => (index % 3 === 0 ? 0xdc : 0xff));
  const tooLong = new Uint8Array([0xdd, 0xff, 0xff, 0xff, 0xff]);
  for (const [body, type] of [
    ["", undefined],
    ["{", undefined],
    ["[]", undefined],
    ["{}", "application/json"],
    [new Uint8Array([0xc1]), packed],
    [new Uint8Array([0x01]), packed],
    [tooDeep, packed],
    [tooLong, packed],
    [swelling, packed],
  ] as const)
    assert.equal((await execute(body, type)).status, 422, `${type} ${String(body).slice(0, 20)}`);
  const padding = limits.executeBytes - JSON.stringify({ type: "CMD_DEVICE_ON", more: "" }).length;
  const text = (length: number): string =>
    JSON.stringify({ type: "CMD_DEVICE_ON", more: "x".repeat(length) });
  assert.equal((await execute(text(padding + 1))).status, 413);
  asked.length = 0;
  assert.equal((await execute(text(padding))).status, 200);
  assert.equal((await execute(new Uint8Array(encode({ type: "CMD_DEVICE_OFF" })), packed)).status, 200);
  assert.deepEqual(
    asked.map(([, , body]) => (body as { type: string; id: string }[]).map(({ type, id }) => [type, id])),
    [[["CMD_DEVICE_ON", "lamp-c"]], [["CMD_DEVICE_OFF", "lamp-c"]]],
  );
});

test("a restart answers 202 with the operation, and where to follow it", async () => {
  const reply = await call("POST", `/Devices/${hub.id}/Restart`);
  assert.equal(reply.status, 202);
  const { operationId, command } = reply.json as { operationId: string; command: string };
  assert.equal(command, "RestartHubDeviceRegisterCommand");
  assert.equal(reply.headers.get("operation-location"), `/1.0/Operations/${operationId}`);
  assert.ok(Number(reply.headers.get("retry-after")) > 0);
  const followed = await served.call("GET", `/1.0/operations/${operationId}`, { token: owner });
  assert.equal((followed.json as { operationId: string }).operationId, operationId);
  assert.equal(followed.headers.get("deprecation"), "@1767225600");
  assert.equal(await statusOf("POST", "/Devices/lamp-a/Reboot"), 404);
});

test("the users of a hub are listed, invited and revoked through its gateway", async () => {
  const users = `/Devices/${hub.id}/Users`;
  for (const wrong of [
    {},
    { email: "a@example.org" },
    { email: "none", role: "USER" },
    { email: "a@example.org", role: "OWNER" },
  ])
    assert.equal(await statusOf("POST", users, wrong), 422, JSON.stringify(wrong));
  assert.equal(
    await statusOf("POST", "/Devices/lamp-a/Users", { email: "a@example.org", role: "USER" }),
    404,
  );
  assert.equal(await statusOf("POST", users, { email: "guest@example.org", role: "USER" }), 200);
  const listed = (await call("GET", users)).json as {
    users: { userId: string; email: string; role: string }[];
  };
  assert.deepEqual(listed.users.map(({ email, role }) => `${email} ${role}`).toSorted(), [
    "guest@example.org USER",
    "owner@example.org OWNER",
  ]);
  const guest = listed.users.find(({ role }) => role === "USER") ?? assert.fail();
  assert.deepEqual((await call("GET", `${users}/${guest.userId}`)).json, guest);
  assert.equal(await statusOf("DELETE", `${users}/${guest.userId}`, undefined, stranger), 404);
  assert.equal(await statusOf("DELETE", `${users}/${guest.userId}`), 200);
  assert.equal(await statusOf("GET", `${users}/${guest.userId}`), 404);
});
