import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { SimulatedClock } from "@ledge/testkit";
import { rows } from "./routes/index.ts";
import { openTestHub } from "./test-hub.ts";
import { unavailableRows } from "./unavailable.ts";

test("answers every row with 503 and the reason, except /apidoc, /healthz and the web interface", async () => {
  const hub = await openTestHub(memoryLog(), new SimulatedClock());
  const owner = await hub.sign();
  const api = hub.api("local", { rows: unavailableRows(rows, "the log is gone") });
  for (const { method, path, unversioned } of rows) {
    const { status, body } = await api.send(method, unversioned ? `/${path}` : path, owner);
    if (path === "/apidoc" || path === "/healthz") assert.equal(status, 200, path);
    // This hub has no interface, and says so.
    else if (path === "/" || path === "/ui/:file") assert.equal(status, 404, path);
    else assert.deepEqual([status, body], [503, { message: "the log is gone" }], `${method} ${path}`);
  }
  assert.equal((await api.send("GET", "/nowhere", owner)).status, 404);
});

test("on a full disk, marks switching commands as not recorded and answers others with 507", async () => {
  const asked: unknown[] = [];
  const ports = {
    switchUnrecorded: (submission: { commands: readonly { type: string }[] }) => {
      asked.push(submission);
      const [command] = submission.commands;
      if (command?.type === "CMD_DEVICE_META") return undefined;
      return { accepted: true, timestamp: 1, results: [] } as const;
    },
  };
  const hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports });
  const owner = await hub.sign();
  const api = hub.api("local");
  const id = await hub.addDevice();
  const group = await hub.run({ type: "CMD_GROUP", name: "All", members: [id] });
  const on = [{ type: "CMD_DEVICE_ON", id }];
  const served = await api.send("PUT", "/devices/command", owner, on);
  assert.deepEqual([served.status, served.headers.get("ledge-recorded")], [200, null]);
  assert.equal(asked.length, 0);

  hub.kernel.suspend("the disk is full");
  const switched = await api.send("PUT", "/devices/command", owner, on);
  assert.deepEqual(
    [switched.status, switched.body, switched.headers.get("ledge-recorded")],
    [200, null, "false"],
  );
  const groups = await api.send("PUT", "/groups/command", owner, [{ type: "CMD_GROUP_ON", id: group }]);
  assert.deepEqual(
    [groups.status, groups.body, groups.headers.get("ledge-recorded")],
    [200, [true], "false"],
  );
  const named = await api.send("PUT", "/devices/command", owner, [
    { type: "CMD_DEVICE_META", id, name: "x" },
  ]);
  assert.deepEqual(
    [named.status, named.body],
    [507, { message: "the hub takes no changes now: the disk is full" }],
  );
  assert.equal((await api.send("PUT", "/rooms", owner, { name: "Hall" })).status, 507);
});
