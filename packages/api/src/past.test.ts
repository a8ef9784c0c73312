import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { HubPorts } from "./ports.ts";
import { openTestHub } from "./test-hub.ts";

type Asked = Parameters<HubPorts["past"]["ask"]>;

test("answers ?at= for users with sufficient rights today, with the row's own query", async () => {
  const asked: Asked[] = [];
  const past: HubPorts["past"] = {
    ask: async (...question) => {
      asked.push(question);
      return Buffer.from("{}");
    },
  };
  const hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { past } });
  const api = hub.api("local");
  const keys = new Map<number, string>();
  for (const role of [roles.GUEST, roles.REMOTE_GUEST, roles.IDENTIFIED_USER, roles.USER_ADMIN])
    keys.set(role, (await hub.user(role)).key);
  const at = hub.kernel.timestamp;
  for (const [role, path, status] of [
    [roles.GUEST, "/devices", 403],
    [roles.REMOTE_GUEST, "/devices", 403],
    [roles.IDENTIFIED_USER, "/devices", 200],
    [roles.IDENTIFIED_USER, "/hub/users", 403],
    [roles.USER_ADMIN, "/hub/users", 200],
    [roles.USER_ADMIN, "/hub/users?at=", 200],
  ] as const) {
    const target = path.includes("?") ? path : `${path}?at=${at}`;
    assert.equal((await api.send("GET", target, keys.get(role))).status, status, `${role} ${target}`);
  }
  assert.deepEqual(
    asked.map(([task]) => task),
    ["row", "row"],
    "without a value it is now",
  );
  const key = keys.get(roles.USER_ADMIN);
  await api.raw("GET", `/devices?groupId=g&at=${at}&other=1`, key, { headers: { "accept-language": "fi" } });
  const [task, args, asker] = asked.at(-1) as Asked;
  assert.equal(task, "row");
  const { id: _, ...rest } = args as { id: string };
  assert.deepEqual(
    { ...rest },
    { row: "GET /devices", query: { groupId: "g", other: "1" }, at, listener: "local" },
  );
  assert.deepEqual(
    [asker.viewer.role, asker.viewer.user, asker.language],
    [roles.USER_ADMIN, `user-${roles.USER_ADMIN}`, "fi"],
  );
  assert.equal((await api.send("GET", `/devices?at=${at + 1}`, key)).status, 422);
  assert.equal((await api.send("GET", `/devices?at=${at}`, key)).status, 200);
});

for (const path of ["/devices?at=0", "/timeline?limit=1", "/audit", "/why?id=none&attribute=isOn"])
  test(`gives up the question of ${path} when its client leaves`, async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const past: HubPorts["past"] = {
      ask: async (_task, _args, _asker, { signal } = {}) => {
        signals.push(signal);
        return Buffer.from("{}");
      },
    };
    const hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { past } });
    const { key } = await hub.user(roles.USER_ADMIN);
    const client = new AbortController();
    await hub.api("local").raw("GET", path, key, { signal: client.signal });
    assert.equal(signals[0]?.aborted, false);
    client.abort();
    assert.equal(signals[0].aborted, true);
  });
