import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { categories, houseTypes, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Client, openTestHub, type TestHub } from "../test-hub.ts";

interface Poll {
  readonly type: string;
  readonly timestamp: number;
  readonly full: boolean;
  readonly polls: { type: string; timestamp: number; [field: string]: unknown }[];
}

describe("the hub's own rows", () => {
  let hub: TestHub;
  let api: Client;
  let owner: string;

  beforeEach(async () => {
    hub = await openTestHub(memoryLog(), new SimulatedClock());
    api = hub.api("local");
    owner = await hub.sign();
  });

  const poll = async (query: string): Promise<Poll> => {
    const { status, body } = await api.send("GET", `/hub/poll${query}`, owner);
    assert.equal(status, 200);
    return body as Poll;
  };

  test("GET /hub shows HUB_META_DATA to everybody, without a version in the path", async () => {
    const { status, body } = await api.send("GET", "//hub");
    assert.equal(status, 200);
    assert.deepEqual(body, {
      type: "HUB_META_DATA",
      hubId: hub.hubId,
      name: "Cabin",
      version: "1.14.15.7",
      state: "claimed",
      connected: true,
      features: [],
    });
    assert.equal((await api.send("GET", "/hub")).status, 404);
  });

  test("GET /hub/keycheck shows the role: 1 without a credential, 401 with a bad one", async () => {
    assert.deepEqual((await api.send("GET", "/hub/keycheck")).body, { role: 1 });
    assert.deepEqual((await api.send("GET", "/hub/keycheck", owner)).body, { role: roles.OWNER_ADMIN });
    assert.equal((await api.send("GET", "/hub/keycheck", "garbage")).status, 401);
    assert.equal((await api.send("GET", "/hub/keycheck", await hub.sign({}, 0))).status, 401);
  });

  test("PUT /hub/name sets name and house type, both or neither", async () => {
    assert.deepEqual(
      (await api.send("PUT", "/hub/name?name=Villa%20%C3%85&housetype=row", owner)).body,
      true,
    );
    assert.equal(hub.kernel.get("hub", hub.hubId)?.name, "Villa Å");
    assert.equal(hub.kernel.get("hub", hub.hubId)?.housetype, "row");
    const refused = await api.send("PUT", "/hub/name?name=Other&housetype=castle", owner);
    assert.equal(refused.status, 422);
    assert.equal(hub.kernel.get("hub", hub.hubId)?.name, "Villa Å");
    assert.equal((await api.send("PUT", "/hub/name", owner)).status, 422);
    assert.equal((await api.send("PUT", "/hub/name?name=%20", owner)).status, 422);
    assert.equal((await api.send("PUT", `/hub/name?name=${"x".repeat(129)}`, owner)).status, 422);
  });

  test("a guest may add, read and clear colours, which are kept once each", async () => {
    const { key } = await hub.user(roles.GUEST);
    const add = (color: string): Promise<number> =>
      api.send("POST", `/hub/colors?color=${encodeURIComponent(color)}`, key).then(({ status }) => status);
    assert.deepEqual([await add("#FF8000"), await add("#00ff00"), await add("#ff8000")], [200, 200, 200]);
    assert.deepEqual((await api.send("GET", "/hub/colors", key)).body, ["#ff8000", "#00ff00"]);
    assert.deepEqual([await add("red"), await add("")], [422, 422]);
    assert.equal((await api.send("POST", "/hub/colors", key)).status, 422);
    assert.equal((await api.send("DELETE", "/hub/colors", key)).body, true);
    assert.deepEqual((await api.send("GET", "/hub/colors", key)).body, []);
  });

  test("GET /hub/housetypes names house types in the caller's language, for everybody", async () => {
    const named = async (language: string): Promise<Record<string, string>> => {
      const answer = await api.raw("GET", "/hub/housetypes", undefined, {
        headers: { "accept-language": language },
      });
      return answer.body as Record<string, string>;
    };
    assert.deepEqual(Object.keys(await named("en")), [...houseTypes]);
    assert.deepEqual([(await named("en"))["row"], (await named("fi"))["row"]], ["Row house", "Rivitalo"]);
    assert.deepEqual(await named("fr"), await named("en"));
  });

  test("GET and PUT /hub/housetype read and set the house type", async () => {
    assert.equal((await api.send("GET", "/hub/housetype", owner)).body, "other");
    assert.equal((await api.send("PUT", "/hub/housetype?housetype=row", owner)).body, "row");
    assert.equal((await api.send("GET", "/hub/housetype", owner)).body, "row");
    assert.equal(hub.kernel.get("hub", hub.hubId)?.name, "Cabin");
    assert.equal((await api.send("PUT", "/hub/housetype?housetype=castle", owner)).status, 422);
    assert.equal((await api.send("PUT", "/hub/housetype", owner)).status, 422);
  });

  test("GET /hub/timezones lists zones that PUT /hub/tz accepts", async () => {
    const zones = (await api.send("GET", "/hub/timezones", owner)).body as string[];
    assert.ok(zones.includes("UTC") && zones.includes("Europe/Helsinki"));
    assert.equal((await api.send("PUT", `/hub/tz?timezone=${zones.at(-1)}`, owner)).status, 200);
  });

  test("POST /hub/lockconfig locks every device; only the owner unlocks one", async () => {
    const { key: admin } = await hub.user(roles.USER_ADMIN);
    const [lamp, other] = [await hub.addDevice(), await hub.addDevice({ native: "2" })];
    const rwx = async (): Promise<number[]> => {
      const { body } = await api.send("GET", "/devices", owner);
      return Object.values(body as Record<string, { rwx: number }>).map((device) => device.rwx);
    };
    assert.deepEqual(await rwx(), [509, 509]);
    assert.equal((await api.send("POST", "/hub/lockconfig", admin)).body, true);
    assert.deepEqual(await rwx(), [365, 365]);
    assert.equal((await api.send("DELETE", "/devices", admin, [lamp])).status, 403);
    assert.equal(
      (await api.send("PUT", "/devices", admin, { type: "CMD_DEVICE_META", id: lamp, name: "L" })).status,
      200,
    );
    const unlock = { type: "CMD_DEVICE_LOCK", id: lamp, locked: false };
    assert.equal((await api.send("PUT", "/devices", admin, unlock)).status, 403);
    assert.equal((await api.send("PUT", "/devices", owner, unlock)).status, 200);
    assert.deepEqual(await rwx(), [509, 365]);
    assert.equal((await api.send("DELETE", "/devices", admin, [lamp])).status, 200);
    assert.equal((await api.send("DELETE", "/devices", admin, [other])).status, 403);
  });

  test("GET and PUT /hub/tz read and set the time zone", async () => {
    assert.equal((await api.send("GET", "/hub/tz", owner)).body, "Europe/Helsinki");
    assert.equal(
      (await api.send("PUT", "/hub/tz?timezone=Europe/Stockholm", owner)).body,
      "Europe/Stockholm",
    );
    assert.equal((await api.send("GET", "/hub/tz", owner)).body, "Europe/Stockholm");
    const { status, body } = await api.send("PUT", "/hub/tz?timezone=Mars/Olympus", owner);
    assert.equal(status, 422);
    assert.equal((body as { errors: { field: string }[] }).errors[0]?.field, "timezone");
  });

  test("GET /hub/features lists feature codes", async () => {
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [21, 5] });
    assert.deepEqual((await api.send("GET", "/hub/features", owner)).body, [5, 21]);
    assert.deepEqual(((await api.send("GET", "//hub")).body as { features: unknown }).features, [5, 21]);
  });

  test("GET /hub/users is a dictionary of HUB_USER", async () => {
    const { body } = await api.send("GET", "/hub/users", owner);
    const users = body as Record<string, { type: string; user_info: { role: number } }>;
    assert.deepEqual(Object.keys(users), ["owner"]);
    assert.equal(users["owner"]?.type, "HUB_USER");
    assert.equal(users["owner"]?.user_info.role, roles.OWNER_ADMIN);
  });

  for (const query of [
    "",
    "?ts=",
    "?ts=0",
    "?ts=-5",
    "?ts=99999999999999",
    "?ts=12345678901234567",
    "?ts=99999999999999999999999",
    "?vendor_uuid=x",
    "?ts",
  ]) {
    test(`answers a poll with '${query}' in full, with all ten categories`, async () => {
      await hub.run({ type: "CMD_ROOM", name: "Hall" });
      const answer = await poll(query);
      assert.equal(answer.full, true);
      assert.equal(answer.timestamp, hub.kernel.timestamp);
      assert.deepEqual(
        answer.polls.map(({ type }) => type),
        categories.map(({ type }) => type),
      );
      assert.ok(answer.polls.every(({ timestamp }) => timestamp === answer.timestamp));
      assert.ok(answer.polls.every((part, index) => part[categories[index]?.field ?? ""] !== undefined));
    });
  }

  test("the timestamp of a poll's answer is the cursor of the next poll", async () => {
    const { timestamp } = await poll("?ts=0");
    assert.deepEqual(await poll(`?ts=${timestamp}`), {
      type: "POLL_DELTA",
      timestamp,
      full: false,
      polls: [],
    });
    const room = await hub.run({ type: "CMD_ROOM", name: "Hall" });
    const next = await poll(`?ts=${timestamp}.0`);
    assert.equal(next.full, false);
    assert.deepEqual(
      next.polls.map(({ type, rooms }) => [type, Object.keys(rooms as object)]),
      [["ROOM_DELTA", [room]]],
    );
    await hub.run({ type: "REMOVE_ROOM", id: room });
    const last = await poll(`?ts=${next.timestamp}`);
    assert.deepEqual(last.polls[0]?.["rooms"], { [room]: null });
  });

  for (const ts of ["abc", "1.5", "1e3", "0x10", " 1"]) {
    test(`refuses a poll with ts=${ts}`, async () => {
      const { status, body } = await api.send("GET", `/hub/poll?ts=${encodeURIComponent(ts)}`, owner);
      assert.equal(status, 422);
      assert.deepEqual((body as { errors: unknown[] }).errors, [
        { field: "ts", message: "must be an integer" },
      ]);
    });
  }

  test("legacy cursors select their categories if ts is missing", async () => {
    const { timestamp } = await poll("?ts=0");
    await hub.run({ type: "CMD_ROOM", name: "Hall" }, { type: "CMD_GROUP", name: "All", members: [] });
    const types = async (query: string): Promise<unknown> => {
      const { full, polls } = await poll(query);
      return [full, polls.map(({ type }) => type)];
    };
    assert.deepEqual(await types(`?roomTs=${timestamp}`), [false, ["ROOM_DELTA"]]);
    assert.deepEqual(await types(`?deviceTs=${timestamp}`), [false, []]);
    assert.deepEqual(await types("?deviceTs=0"), [true, ["DEVICE_DELTA"]]);
    assert.deepEqual(await types(`?ts=${timestamp}&deviceTs=0`), [false, ["GROUP_DELTA", "ROOM_DELTA"]]);
    assert.deepEqual(await types(`?ts=&roomTs=${timestamp}`), [false, ["ROOM_DELTA"]]);
  });

  for (const [query, client] of [
    ["?vendor_uuid=abc", "abc"],
    ["?brand_uuid=abc&ts=0", "abc"],
    ["?ts=0&_uuid=x%20y", "x y"],
    ["?vendor_uuid=", null],
    ["?ts=0", null],
  ] as const) {
    test(`notes client ${client} for a poll with '${query}'`, async () => {
      await poll(query);
      assert.deepEqual(hub.polls, [{ user: "owner", client, language: null }]);
    });
  }

  test("answers in full if the caller's role has changed since the cursor", async () => {
    const { id, key } = await hub.user(roles.GUEST);
    const device = await hub.addDevice();
    await hub.run({ type: "CMD_DEVICE_VISIBLE", id: device, visible: false });
    const before = (await api.send("GET", "/hub/poll", key)).body as Poll;
    assert.deepEqual(before.polls[0]?.["devices"], {});
    await hub.run({ type: "SET_USER_ROLE", id, role: roles.IDENTIFIED_USER });
    const after = (await api.send("GET", `/hub/poll?ts=${before.timestamp}`, key)).body as Poll;
    assert.equal(after.full, true);
    assert.deepEqual(Object.keys(after.polls[0]?.["devices"] as object), [device]);
  });
});
