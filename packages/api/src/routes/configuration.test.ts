import assert from "node:assert/strict";
import { before, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Answer, childLock, openTestHub, type TestHub } from "../test-hub.ts";

let hub: TestHub;
let owner: string;
let id: string;

before(async () => {
  hub = await openTestHub(memoryLog(), new SimulatedClock());
  owner = await hub.sign();
  id = await hub.addDevice();
  await hub.run({ type: "DESCRIBE_CONFIGURATION", id, items: [childLock], values: { lock: false } });
});

const send = (method: string, query = "", body?: unknown, key = owner): Promise<Answer> =>
  hub.api("local").send(method, `/devices/configuration${query}`, key, body);
const stored = { type: "CONFIGURATION", parameters: { lock: false }, status: "APPLIED" };

for (const [flag, isThere] of [
  ["", true],
  ["&templates=True", true],
  ["&templates=true", true],
  ["&templates=False", false],
  ["&templates=false", false],
] as const) {
  test(`GET with "${flag}" ${isThere ? "has the" : "has no"} template`, async () => {
    const { body } = await send("GET", `?deviceId=${id}${flag}`);
    const { template, ...rest } = body as { template?: { type: string; parameters: object[] } };
    assert.deepEqual(rest, { id, requested: null, message: null, ...stored });
    assert.equal(template !== undefined, isThere);
    if (template !== undefined)
      assert.deepEqual([template.type, template.parameters.length], ["CFG_TEMPLATE", 1]);
  });
}

test("GET translates labels into the client's language", async () => {
  const init = { headers: { "accept-language": "fi" } };
  const { body } = await hub.api("local").raw("GET", `/devices/configuration?deviceId=${id}`, owner, init);
  const { template } = body as { template: { parameters: { description: string }[] } };
  assert.equal(template.parameters[0]?.description, "Lapsilukko");
});

test("refuses invalid requests, unknown devices and devices without a configuration", async () => {
  const bare = await hub.addDevice({ native: "bare" });
  for (const [status, method, query, body] of [
    [422, "GET", ""],
    [422, "GET", `?deviceId=${id}&templates=yes`],
    [404, "GET", "?deviceId=nobody"],
    [404, "GET", `?deviceId=${bare}`],
    [422, "DELETE", ""],
    [404, "DELETE", "?deviceId=nobody"],
    [422, "PUT", "", {}],
    [422, "PUT", "", { id, parameters: [] }],
    [422, "PUT", "", { id, parameters: { lock: "yes" } }],
    [404, "PUT", "", { id: "nobody", parameters: {} }],
    [404, "PUT", "", { id: bare, parameters: {} }],
  ] as const) {
    assert.equal(
      (await send(method, query, body)).status,
      status,
      `${method} ${query} ${JSON.stringify(body)}`,
    );
  }
  const { body } = await send("PUT", "", { id, parameters: { lock: 3 } });
  assert.deepEqual(body, {
    message: "lock must be true or false",
    errors: [{ field: "parameters.lock", message: "lock must be true or false" }],
  });
});

test("PUT and DELETE stay pending until the device answers, unless they change nothing", async () => {
  const shown = async (): Promise<unknown[]> => {
    const { status, parameters, requested } = (await send("GET", `?deviceId=${id}`)).body as Record<
      string,
      unknown
    >;
    return [status, parameters, requested];
  };
  assert.equal((await send("PUT", "", { type: "CONFIGURATION", id, parameters: { lock: true } })).body, true);
  assert.deepEqual(await shown(), ["PENDING", { lock: false }, { lock: true }]);
  const request = hub.kernel.get("configuration", id)?.pending[0]?.request;
  await hub.run({ type: "NOTE_CONFIGURED", id, request });
  assert.deepEqual(await shown(), ["APPLIED", { lock: true }, null]);
  assert.equal((await send("PUT", "", { id, parameters: { lock: true, other: 1 } })).body, true);
  assert.deepEqual(await shown(), ["APPLIED", { lock: true }, null]);
  assert.equal((await send("DELETE", `?deviceId=${id}`)).body, true);
  assert.deepEqual(await shown(), ["PENDING", { lock: true }, { lock: false }]);
});

test("nobody can configure a locked device, though all can read it", async () => {
  await hub.run({ type: "CMD_DEVICE_LOCK", id, locked: true });
  const { key } = await hub.user(roles.USER_ADMIN);
  for (const caller of [owner, key]) {
    assert.equal((await send("GET", `?deviceId=${id}`, undefined, caller)).status, 200);
    assert.equal((await send("PUT", "", { id, parameters: { lock: true } }, caller)).status, 403);
    assert.equal((await send("DELETE", `?deviceId=${id}`, undefined, caller)).status, 403);
  }
});
