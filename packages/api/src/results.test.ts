import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { SimulatedClock } from "@ledge/testkit";
import { Compile } from "typebox/compile";
import { problemsOf } from "./problems.ts";
import { rows } from "./routes/index.ts";
import { rowName } from "./row.ts";
import { type Client, openTestHub } from "./test-hub.ts";

/** One request for every row that succeeds on a hub with a lamp, a group, a room and an alarm. */
const requests: Readonly<Record<string, { query?: string; body?: (ids: Ids) => unknown }>> = {
  "GET /hub": {},
  "GET /hub/keycheck": {},
  "PUT /hub/name": { query: "?name=Villa" },
  "GET /hub/poll": {},
  "GET /hub/users": {},
  "GET /hub/tz": {},
  "PUT /hub/tz": { query: "?timezone=UTC" },
  "GET /hub/features": {},
  "GET /devices": {},
  "PUT /devices": { body: ({ lamp }) => [{ type: "CMD_DEVICE_META", id: lamp, name: "Spot" }] },
  "DELETE /devices": { body: ({ spare }) => [spare] },
  "PUT /devices/command": { body: ({ lamp }) => [{ type: "CMD_DEVICE_ON", id: lamp }] },
  "GET /groups": {},
  "PUT /groups": { body: ({ lamp }) => [{ name: "New", members: [lamp] }] },
  "PUT /groups/command": { body: ({ group }) => [{ type: "CMD_GROUP_ON", id: group }] },
  "DELETE /groups": { query: "?groupId=<group>" },
  "GET /rooms": {},
  "PUT /rooms": { body: () => [{ name: "New" }] },
  "PUT /rooms/order": { body: ({ room }) => [{ id: room, order: 2 }] },
  "DELETE /rooms": { query: "?roomId=<room>" },
  "GET /alarms": {},
  "PUT /alarms/close": { query: "?alarmId=<alarm>" },
  "DELETE /alarms": { query: "?alarmId=<alarm>" },
  "GET /apidoc": {},
  "GET /healthz": {},
};

/** Rows whose answer is no JSON. */
const others = ["GET /events", "GET /metrics"];

type Ids = Record<"lamp" | "spare" | "group" | "room" | "alarm", string>;

describe("answers are what the rows say that they are", () => {
  let api: Client;
  let owner: string;
  let ids: Ids;

  before(async () => {
    const hub = await openTestHub(memoryLog(), new SimulatedClock());
    api = hub.api("local");
    owner = await hub.sign();
    const [lamp, spare] = [await hub.addDevice(), await hub.addDevice({ native: "2" })];
    const room = await hub.run({ type: "CMD_ROOM", name: "Hall" });
    const group = await hub.run({ type: "CMD_GROUP", name: "All", members: [lamp], room: [room] });
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [5, 21] });
    const raise = { type: "RAISE_ALARM", kind: "REPORTS_LOST", sourceId: "sim", name: "sim" };
    const alarm = await hub.run(raise);
    ids = { lamp, spare, group, room, alarm };
  });

  test("no row is left out", () => {
    const tried = [...Object.keys(requests), ...others];
    assert.deepEqual(tried.toSorted(), rows.map(rowName).toSorted());
  });

  for (const row of rows.filter((each) => !others.includes(rowName(each)))) {
    test(rowName(row), async () => {
      const { query = "", body } = requests[rowName(row)] ?? {};
      const target = query.replace(/<(\w+)>/, (_, name: keyof Ids) => ids[name]);
      const path = `${row.unversioned ? "/" : ""}${row.path}${target}`;
      const answer = await api.send(row.method, path, owner, body?.(ids));
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.headers.get("content-type"), "application/json");
      assert.deepEqual(problemsOf(Compile(row.result), answer.body), []);
    });
  }
});
