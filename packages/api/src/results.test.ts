import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { signActivationCode } from "@ledge/link";
import { memoryLog } from "@ledge/log";
import { SimulatedClock } from "@ledge/testkit";
import { Compile } from "typebox/compile";
import { problemsOf } from "./problems.ts";
import { rows } from "./routes/index.ts";
import { type Row, rowName } from "./row.ts";
import { type Client, openTestHub } from "./test-hub.ts";

/** A request that succeeds on a hub with one of each kind, or on one that has no owner yet. */
interface Request {
  readonly query?: string;
  readonly body?: (ids: Ids) => unknown;
  readonly unclaimed?: true;
}

/** One for every row. */
const requests: Readonly<Record<string, Request>> = {
  "GET /hub": {},
  "GET /hub/keycheck": {},
  "POST /hub/claim": { query: "?email=ann@example.org", unclaimed: true },
  "PUT /hub/name": { query: "?name=Villa" },
  "GET /hub/poll": {},
  "GET /hub/colors": {},
  "POST /hub/colors": { query: "?color=%23FF8000" },
  "DELETE /hub/colors": {},
  "POST /hub/lockconfig": {},
  "GET /hub/users": {},
  "GET /hub/tz": {},
  "PUT /hub/tz": { query: "?timezone=UTC" },
  "GET /hub/housetypes": {},
  "GET /hub/housetype": {},
  "PUT /hub/housetype": { query: "?housetype=row" },
  "GET /hub/timezones": {},
  "GET /hub/features": {},
  "POST /hub/activatefeature": { query: "?code=<code>" },
  "GET /devices": {},
  "PUT /devices": { body: ({ lamp }) => [{ type: "CMD_DEVICE_META", id: lamp, name: "Spot" }] },
  "DELETE /devices": { body: ({ spare }) => [spare] },
  "PUT /devices/command": { body: ({ lamp }) => [{ type: "CMD_DEVICE_ON", id: lamp }] },
  "PUT /devices/preset": { body: ({ lamp }) => [{ targetIds: [lamp], state: { isOn: true } }] },
  "GET /groups": {},
  "PUT /groups": { body: ({ lamp }) => [{ name: "New", members: [lamp] }] },
  "PUT /groups/command": { body: ({ group }) => [{ type: "CMD_GROUP_ON", id: group }] },
  "DELETE /groups": { query: "?groupId=<group>" },
  "GET /scenes": {},
  "PUT /scenes": {
    body: ({ lamp }) => [{ name: "New", presets: { p: { targetIds: [lamp], state: { isOn: true } } } }],
  },
  "PUT /scenes/command": { body: ({ scene }) => [{ type: "CMD_SCENE_ON", id: scene }] },
  "DELETE /scenes": { query: "?sceneId=<spareScene>" },
  "GET /rooms": {},
  "PUT /rooms": { body: () => [{ name: "New" }] },
  "PUT /rooms/order": { body: ({ room }) => [{ id: room, order: 2 }] },
  "DELETE /rooms": { query: "?roomId=<room>" },
  "GET /alarms": {},
  "PUT /alarms/close": { query: "?alarmId=<alarm>" },
  "DELETE /alarms": { query: "?alarmId=<alarm>" },
  "PUT /hub/users": { body: ({ user }) => [{ id: user, role: 2 }] },
  "PUT /hub/users/profile": { body: () => ({ nickname: "Ann" }) },
  "GET /scenes/outcome": { query: "?sceneId=<scene>" },
  "GET /zones": {},
  "PUT /zones": { body: () => [{ name: "New" }] },
  "DELETE /zones": { query: "?zoneId=<zone>" },
  "GET /apidoc": {},
  "GET /healthz": {},
};

/** Rows whose answer is no JSON. */
const others = ["GET /events", "GET /metrics"];

type Ids = Record<
  "lamp" | "spare" | "group" | "room" | "scene" | "spareScene" | "zone" | "alarm" | "user" | "code",
  string
>;

describe("answers are what the rows say that they are", () => {
  let api: Client;
  let unclaimed: Client;
  let owner: string;
  let ids: Ids;

  before(async () => {
    const hub = await openTestHub(memoryLog(), new SimulatedClock());
    api = hub.api("local");
    unclaimed = (await openTestHub(memoryLog(), new SimulatedClock(), { claimed: false })).api("local");
    owner = await hub.sign();
    const [lamp, spare] = [await hub.addDevice(), await hub.addDevice({ native: "2" })];
    const room = await hub.run({ type: "CMD_ROOM", name: "Hall" });
    const group = await hub.run({ type: "CMD_GROUP", name: "All", members: [lamp], room: [room] });
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [5, 21] });
    const raise = { type: "RAISE_ALARM", kind: "REPORTS_LOST", sourceId: "sim", name: "sim" };
    const alarm = await hub.run(raise);
    const presets = { p: { targetIds: [lamp], state: { isOn: true } } };
    const scene = await hub.run({ type: "CMD_SCENE", name: "Evening", presets });
    const spareScene = await hub.run({ type: "CMD_SCENE", name: "Morning" });
    const zone = await hub.run({ type: "CMD_ZONE", name: "Upstairs" });
    const content = { serial: "0123456789abcdef", features: [15], expires: hub.clock.wall() + 1000 };
    const code = signActivationCode(content, hub.hubId, hub.issuerKey);
    const { id: user } = await hub.user(8);
    ids = { code, user, lamp, spare, group, room, scene, spareScene, zone, alarm };
  });

  test("no row is left out", () => {
    const named = [...Object.keys(requests), ...others];
    assert.deepEqual(named.toSorted(), rows.map(rowName).toSorted());
  });

  // What is locked cannot be removed, so locking comes last.
  const isLast = (each: Row): boolean => rowName(each) === "POST /hub/lockconfig";
  const tried = rows.filter((each) => !others.includes(rowName(each)));
  for (const row of [...tried.filter((each) => !isLast(each)), ...tried.filter(isLast)]) {
    test(rowName(row), async () => {
      const { query = "", body, unclaimed: isNew } = requests[rowName(row)] ?? {};
      const target = query.replace(/<(\w+)>/, (_, name: keyof Ids) => ids[name]);
      const path = `${row.unversioned ? "/" : ""}${row.path}${target}`;
      const answer = await (isNew ? unclaimed : api).send(row.method, path, owner, body?.(ids));
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.headers.get("content-type"), "application/json");
      assert.deepEqual(problemsOf(Compile(row.result), answer.body), []);
    });
  }
});
