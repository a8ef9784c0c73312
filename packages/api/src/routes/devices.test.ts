import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Answer, type Client, openTestHub, type TestHub } from "../test-hub.ts";

describe("devices", () => {
  let hub: TestHub;
  let api: Client;
  let owner: string;
  let lamp: string;

  beforeEach(async () => {
    hub = await openTestHub(memoryLog(), new SimulatedClock());
    api = hub.api("local");
    owner = await hub.sign();
    lamp = await hub.addDevice();
  });

  const command = (body: unknown, key = owner): Promise<Answer> =>
    api.send("PUT", "/devices/command", key, body);
  const issued = (): unknown[] =>
    [...hub.kernel.all("command")].map(([, { device, attributes }]) => [device, attributes]);
  const problems = ({ body }: Answer): unknown => (body as { errors?: unknown }).errors;
  const named = (id: string, name: string): object => ({ type: "CMD_DEVICE_META", id, name });

  test("GET /devices shows all devices or those of a group", async () => {
    const other = await hub.addDevice({ native: "2" });
    const group = await hub.run({ type: "CMD_GROUP", name: "Some", members: [other] });
    const ids = async (query: string): Promise<string[]> =>
      Object.keys((await api.send("GET", `/devices${query}`, owner)).body as object);
    assert.deepEqual(await ids(""), [lamp, other]);
    assert.deepEqual(await ids(`?groupId=${group}`), [other]);
    assert.deepEqual(await ids("?groupId="), [lamp, other]);
    assert.equal((await api.send("GET", "/devices?groupId=nowhere", owner)).status, 404);
    assert.equal((await api.send("GET", "/devices?groupId=__proto__", owner)).status, 404);
  });

  test("only a client's own user may set its away threshold", async () => {
    const ann = await hub.user(roles.IDENTIFIED_USER);
    const note = { type: "NOTE_UI_DEVICE", client: "phone", session: true, reachable: true, at: 1 };
    const id = await hub.run({ ...note, user: ann.id });
    const held = (): unknown =>
      (hub.kernel.get("device", id) as unknown as Record<string, unknown>)["awayThreshold"];
    const set = (awayThreshold: number, of = id): object => ({
      type: "CMD_DEVICE_META",
      id: of,
      awayThreshold,
    });
    for (const path of ["/devices", "/devices/command"]) {
      const before = held();
      const refused = await api.send("PUT", path, owner, [named(lamp, "Spot"), set(60_000)]);
      assert.equal(refused.status, 403);
      assert.deepEqual(problems(refused), [
        { index: 1, field: "awayThreshold", message: "only its own user says when a client is away" },
      ]);
      assert.equal(held(), before);
      assert.equal((await api.send("PUT", path, owner, [named(id, "Phone")])).status, 200);
      const threshold = path === "/devices" ? 60_000 : 90_000;
      assert.equal((await api.send("PUT", path, ann.key, [set(threshold)])).status, 200);
      assert.equal(held(), threshold);
      assert.equal((await api.send("PUT", path, ann.key, [set(1)])).status, 422);
      assert.equal((await api.send("PUT", path, ann.key, [set(60_000, lamp)])).status, 422);
    }
  });

  for (const [what, body, attributes] of [
    ["CMD_DEVICE_ON", { type: "CMD_DEVICE_ON" }, { isOn: true }],
    ["CMD_DEVICE_OFF", { type: "CMD_DEVICE_OFF" }, { isOn: false }],
    [
      "CMD_DEVICE with state",
      { type: "CMD_DEVICE", state: { type: "STATE_LIGHT", isOn: true } },
      { isOn: true },
    ],
    ["CMD_DEVICE with payload", { type: "CMD_DEVICE", payload: { brightness: 0.5 } }, { brightness: 0.5 }],
    [
      "CMD_DEVICE that nulls the rest",
      { type: "CMD_DEVICE", state: { isOn: false, hue: null } },
      { isOn: false },
    ],
    [
      "CMD_DEVICE with read-only keys",
      { type: "CMD_DEVICE", state: { isOn: true, lastSeen: 5 } },
      { isOn: true },
    ],
    ["unknown fields", { type: "CMD_DEVICE_ON", nonsense: { deep: [1] } }, { isOn: true }],
  ] as const) {
    test(`issues ${what}, alone or in a list, and answers null`, async () => {
      for (const sent of [{ id: lamp, ...body }, [{ id: lamp, ...body }]]) {
        const { status, body: answer } = await command(sent);
        assert.equal(status, 200, JSON.stringify(answer));
        assert.equal(answer, null);
      }
      assert.deepEqual(issued(), [
        [lamp, attributes],
        [lamp, attributes],
      ]);
    });
  }

  test("accepts CMD_DEVICE_META on /devices and /devices/command", async () => {
    assert.equal((await command(named(lamp, "One"))).body, null);
    assert.equal(hub.kernel.get("device", lamp)?.name, "One");
    assert.equal((await api.send("PUT", "/devices", owner, named(lamp, "Two"))).body, true);
    assert.equal(hub.kernel.get("device", lamp)?.name, "Two");
  });

  test("carries out a whole list or nothing of it", async () => {
    const answer = await command([named(lamp, "One"), { type: "CMD_DEVICE_ON", id: "nowhere" }]);
    assert.equal(answer.status, 404);
    assert.deepEqual(problems(answer), [{ index: 1, field: "id", message: "no device nowhere" }]);
    const unable = await hub.addDevice({ native: "3", class: "MOTION", capabilities: ["DEVICE", "MOTION"] });
    const refused = await command([named(lamp, "One"), { type: "CMD_DEVICE_ON", id: unable }]);
    assert.equal(refused.status, 422);
    assert.equal((problems(refused) as { index: number }[])[0]?.index, 1);
    assert.equal(hub.kernel.get("device", lamp)?.name, "Lamp");
    assert.deepEqual(issued(), []);
  });

  test("commits a list at once, with one cause", async () => {
    const before = hub.kernel.timestamp;
    await command([
      named(lamp, "One"),
      { type: "CMD_DEVICE_ON", id: lamp },
      { type: "CMD_DEVICE_OFF", id: lamp },
    ]);
    const commits = [...hub.kernel.log.read(before)];
    assert.deepEqual(
      commits.map(({ events }) => events.map(({ type, origin }) => [type, origin])),
      [["DeviceRenamed", "CommandIssued", "CommandIssued"].map((type) => [type, "user:owner"])],
    );
    const causes = new Set(commits.flatMap(({ events }) => events.map(({ cause }) => cause)));
    assert.equal(causes.size, 1);
    assert.match([...causes][0] ?? "", /^request:/);
  });

  test("accepts an empty list", async () => {
    assert.equal((await command([])).body, null);
    assert.equal((await api.send("PUT", "/devices", owner, [])).body, true);
  });

  for (const type of ["CMD_UNKNOWN", "CMD_DEVICE_VISIBLE", "__proto__", "constructor", 7, null]) {
    test(`refuses type ${String(type)} on /devices/command and lists the accepted types`, async () => {
      const answer = await command([
        { type: "CMD_DEVICE_ON", id: lamp },
        { type, id: lamp },
      ]);
      assert.equal(answer.status, 422);
      const [problem, ...others] = problems(answer) as { index: number; field: string; message: string }[];
      assert.deepEqual([problem?.index, problem?.field, others], [1, "type", []]);
      assert.match(problem?.message ?? "", /^must be CMD_DEVICE or CMD_DEVICE_ON or .*CMD_RESET_IGNORED/);
      assert.doesNotMatch(problem?.message ?? "", /CMD_DEVICE_VISIBLE/);
      assert.deepEqual(issued(), []);
    });
  }

  for (const [what, item, problem] of [
    ["an id that is a number", { type: "CMD_DEVICE_ON", id: 5 }, { field: "id", message: "must be string" }],
    ["no id", { type: "CMD_DEVICE_ON" }, { field: "id", message: "is missing" }],
    [
      "an empty name",
      { type: "CMD_DEVICE_META", id: "x", name: " " },
      { field: "name", message: 'must match pattern "\\S"' },
    ],
    [
      "two rooms",
      { type: "CMD_DEVICE_META", id: "x", room: ["a", "b"] },
      { field: "room", message: "must not have more than 1 items" },
    ],
    [
      "a state that is a list",
      { type: "CMD_DEVICE", id: "x", state: [] },
      { field: "state", message: "must be object" },
    ],
    ["a text for an item", "CMD_DEVICE_ON", { field: "", message: "must be an object" }],
    ["null for an item", null, { field: "", message: "must be an object" }],
    ["a list in the list", [[]], { field: "", message: "must be an object" }],
  ] as const) {
    test(`reports index and field of ${what}`, async () => {
      const answer = await command([{ type: "CMD_DEVICE_ON", id: lamp }, item]);
      assert.equal(answer.status, 422);
      assert.deepEqual(problems(answer), [{ index: 1, ...problem }]);
      assert.deepEqual(issued(), []);
    });
  }

  test("reports a single object's problems without index, and at most twenty of a list", async () => {
    assert.deepEqual(problems(await command({ type: "CMD_DEVICE_ON" })), [
      { field: "id", message: "is missing" },
    ]);
    const many = await command(Array.from({ length: 50 }, () => ({ type: "CMD_DEVICE_ON" })));
    assert.equal((problems(many) as unknown[]).length, 20);
    const unknown = await command(Array.from({ length: 50 }, () => ({ type: "CMD_NONE" })));
    assert.equal((problems(unknown) as unknown[]).length, 20);
  });

  test("limits a list to 1000 items", async () => {
    const items = (length: number): object[] => Array.from({ length }, () => named(lamp, "Same"));
    assert.equal((await command(items(1000))).status, 200);
    assert.equal((await command(items(1001))).status, 422);
  });

  test("DELETE /devices accepts a list of ids, or one id", async () => {
    const [second, third] = [await hub.addDevice({ native: "2" }), await hub.addDevice({ native: "3" })];
    assert.equal((await api.send("DELETE", "/devices", owner, [lamp, second, lamp])).body, true);
    assert.equal((await api.send("DELETE", "/devices", owner, third)).body, true);
    assert.equal(hub.kernel.size("device"), 0);
    const gone = await api.send("DELETE", "/devices", owner, [lamp]);
    assert.equal(gone.status, 404);
    assert.deepEqual(problems(gone), [{ index: 0, field: "id", message: `no device ${lamp}` }]);
    const fourth = await hub.addDevice({ native: "4" });
    const refused = await api.send("DELETE", "/devices", owner, [fourth, fourth, "nowhere"]);
    assert.deepEqual(problems(refused), [{ index: 2, field: "id", message: "no device nowhere" }]);
    assert.equal(hub.kernel.size("device"), 1);
    for (const id of ["__proto__", "constructor"]) {
      assert.equal((await api.send("DELETE", "/devices", owner, [id])).status, 404);
    }
    assert.equal((await api.send("DELETE", "/devices", owner, [5])).status, 422);
    assert.equal((await api.send("DELETE", "/devices", owner, [""])).status, 422);
    assert.equal((await api.send("DELETE", "/devices", owner)).status, 422);
  });

  test("CMD_DEVICE_VISIBLE hides a device from guests, who cannot command it any more", async () => {
    const { key } = await hub.user(roles.GUEST);
    assert.equal((await command({ type: "CMD_DEVICE_ON", id: lamp }, key)).status, 200);
    const hide = { type: "CMD_DEVICE_VISIBLE", id: lamp, visible: false };
    assert.equal((await api.send("PUT", "/devices", owner, hide)).body, true);
    assert.deepEqual((await api.send("GET", "/devices", key)).body, {});
    const refused = await command([{ type: "CMD_DEVICE_ON", id: lamp }], key);
    assert.equal(refused.status, 404);
    const unknown = await command([{ type: "CMD_DEVICE_ON", id: "nowhere" }], key);
    assert.equal(JSON.stringify(refused.body).replaceAll(lamp, "nowhere"), JSON.stringify(unknown.body));
    assert.equal((await command({ type: "CMD_DEVICE_ON", id: lamp })).status, 200);
  });

  for (const [role, type, extra, status] of [
    [roles.GUEST, "CMD_DEVICE_ON", {}, 200],
    [roles.GUEST, "CMD_DEVICE_META", {}, 403],
    [roles.IDENTIFIED_USER, "CMD_DEVICE_META", {}, 200],
    [roles.USER_ADMIN, "CMD_DEVICE_META", { locked: true }, 403],
    [roles.USER_ADMIN, "CMD_DEVICE_META", { locked: null }, 200],
    [roles.USER_ADMIN, "CMD_DEVICE_META", { visible: false }, 403],
    [roles.IDENTIFIED_USER, "CMD_DEVICE", { state: { isOn: true }, visible: false }, 403],
    [roles.OWNER_ADMIN, "CMD_DEVICE_META", { visible: true }, 200],
    [roles.REMOTE_GUEST, "CMD_DEVICE_ON", {}, 403],
    [roles.REMOTE_GUEST, "CMD_GET_UPGRADE_INFOS", {}, 200],
    [roles.REMOTE_GUEST, "CMD_START_UPGRADE", {}, 403],
    [roles.REMOTE_GUEST, "CMD_NONE", {}, 422],
  ] as const) {
    test(`answers role ${role} that sends ${type} ${JSON.stringify(extra)} with ${status}, and does nothing of the list if refused`, async () => {
      const key = role === roles.OWNER_ADMIN ? owner : (await hub.user(role)).key;
      const before = hub.kernel.timestamp;
      const first = role === roles.REMOTE_GUEST ? [] : [{ type: "CMD_DEVICE_ON", id: lamp }];
      const answer = await command([...first, { type, id: lamp, ...extra }], key);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      if (status !== 200) assert.equal(hub.kernel.timestamp, before);
    });
  }

  test("checks the role for all items before it checks fields", async () => {
    const { key } = await hub.user(roles.GUEST);
    const answer = await command([{ type: "CMD_DEVICE_ON" }, named(lamp, "Mine")], key);
    assert.equal(answer.status, 403);
  });
});
