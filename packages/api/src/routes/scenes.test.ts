import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { type Answer, type Client, openTestHub, type TestHub } from "../test-hub.ts";

interface Served {
  readonly id: string;
  readonly name: string;
  readonly isOn: boolean;
  readonly presets: Record<string, { targetIds: string[]; state: object }>;
  readonly [field: string]: unknown;
}

const range = {
  type: "TIME_RANGE",
  weekdays: [],
  start: { type: "TIME_OF_DAY", value: 0 },
  end: null,
  enabled: true,
};

describe("scenes", () => {
  let hub: TestHub;
  let api: Client;
  let owner: string;
  let lamp: string;
  let home: string;
  let away: string;

  beforeEach(async () => {
    hub = await openTestHub(memoryLog(), new SimulatedClock());
    api = hub.api("local");
    owner = await hub.sign();
    lamp = await hub.addDevice();
    await hub.run({ type: "ADD_FACTORY_SCENES" });
    [home = "", away = ""] = [...hub.kernel.all("scene")].map(([id]) => id);
  });

  const put = async (body: unknown, path = "/scenes"): Promise<Served[]> => {
    const answer = await api.send("PUT", path, owner, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Served[];
  };
  const turn = (id: string, on: boolean): Promise<Served[]> =>
    put([{ type: on ? "CMD_SCENE_ON" : "CMD_SCENE_OFF", id }], "/scenes/command");
  const get = async (query = ""): Promise<Record<string, Served>> =>
    (await api.send("GET", `/scenes${query}`, owner)).body as Record<string, Served>;
  const lit = async (): Promise<string[]> =>
    Object.values(await get()).flatMap(({ id, isOn }) => (isOn ? [id] : []));
  const field = ({ body }: Answer): unknown => (body as { errors?: { field: string }[] }).errors?.[0]?.field;

  test("GET /scenes shows all scenes or one; the factory scenes exclude each other", async () => {
    const all = await get();
    assert.deepEqual(Object.keys(all).toSorted(), [home, away].toSorted());
    const { timestamp, ...shown } = all[home] as Served;
    assert.ok(Number.isInteger(timestamp));
    assert.deepEqual(shown, {
      type: "SCENE",
      id: home,
      category: "FACTORY",
      icon: "HOME",
      name: "Home",
      isOn: true,
      presets: {},
      excludedIds: [away],
      requiredIds: [],
      sceneTimes: [],
    });
    assert.deepEqual(Object.keys(await get(`?sceneId=${away}`)), [away]);
    assert.equal((await api.send("GET", "/scenes?sceneId=nowhere", owner)).status, 404);
  });

  test("PUT /scenes creates and changes scenes, and answers with them", async () => {
    const presets = {
      a: { type: "PRESET", id: "a", targetIds: [lamp], state: { type: "STATE_LIGHT", isOn: true } },
    };
    const sceneTimes = [
      {
        type: "RULETIME",
        enabled: true,
        cronDef: { type: "CRONDEF", start: "0 15 * * 1", stop: "0 22 * * 1" },
      },
    ];
    const [made] = await put([{ type: "CMD_SCENE", id: null, name: "Evening", presets, sceneTimes }]);
    assert.deepEqual(
      [made?.name, made?.isOn, made?.["category"], made?.["icon"]],
      ["Evening", false, "USER", null],
    );
    assert.deepEqual([made?.presets, made?.["sceneTimes"]], [presets, sceneTimes]);
    const [changed] = await put({ id: made?.id, name: "Dusk", isOn: true, presets: null });
    assert.deepEqual([changed?.name, changed?.isOn, changed?.presets], ["Dusk", true, presets]);
  });

  test("serves a TIME_RANGE byte for byte as it came", async () => {
    const sent =
      '{"enabled":true,"end":null,"start":{"offsetMs":-60000,"type":"SUN_EVENT","event":"DUSK"},"weekdays":[5,6],"type":"TIME_RANGE"}';
    const [made] = await put({ name: "Dusk", sceneTimes: [JSON.parse(sent)] });
    assert.equal(JSON.stringify(made?.["sceneTimes"]), `[${sent}]`);
  });

  test("a scene sent back as it reads changes nothing", async () => {
    const presets = { a: { targetIds: [lamp], state: { brightness: 0.5 } } };
    const [made] = await put({ name: "Evening", presets, isOn: true });
    const before = hub.kernel.timestamp;
    await put([{ ...made, type: "CMD_SCENE" }]);
    assert.equal(hub.kernel.timestamp, before);
  });

  test("carries out a whole list or nothing of it", async () => {
    const answer = await api.send("PUT", "/scenes", owner, [
      { name: "One" },
      { name: "Two", requiredIds: ["x"] },
    ]);
    assert.equal(answer.status, 422);
    assert.deepEqual((answer.body as { errors: unknown }).errors, [
      { index: 1, field: "requiredIds", message: "no scene x" },
    ]);
    assert.equal(hub.kernel.size("scene"), 2);
  });

  for (const [what, command] of [
    ["sceneTimes.0.cronDef.start", { sceneTimes: [{ cronDef: { start: "0 25 * * *", stop: "0 1 * * *" } }] }],
    ["sceneTimes.0.cronDef.stop", { sceneTimes: [{ cronDef: { start: "0 1 * * *" } }] }],
    ["sceneTimes.0.start.value", { sceneTimes: [{ ...range, start: { type: "TIME_OF_DAY", value: 1440 } }] }],
    ["sceneTimes.0.validTo", { sceneTimes: [{ ...range, validTo: "2026-02-30" }] }],
    ["presets.p.targetIds", { presets: { p: { targetIds: ["nowhere"], state: { isOn: true } } } }],
    ["presets.p.targetIds", { presets: { p: { targetIds: [], state: { isOn: true } } } }],
    ["presets", { presets: [] }],
    ["isOn", { isOn: "yes" }],
  ] as const) {
    test(`PUT /scenes names ${what} as wrong in ${JSON.stringify(command)}`, async () => {
      const answer = await api.send("PUT", "/scenes", owner, { name: "X", ...command });
      assert.equal(answer.status, 422);
      assert.equal(field(answer), what);
    });
  }

  test("PUT /scenes/command turns scenes on and off, and answers with their final state", async () => {
    const [made] = await put({ name: "Evening" });
    const id = made?.id ?? "";
    const answered = await put(
      [
        { type: "CMD_SCENE_ON", id },
        { type: "CMD_SCENE", id, name: "Dusk" },
        { type: "CMD_SCENE_OFF", id: home },
      ],
      "/scenes/command",
    );
    assert.deepEqual(
      answered.map((scene) => [scene.name, scene.isOn]),
      [
        ["Dusk", true],
        ["Dusk", true],
        ["Home", false],
      ],
    );
    assert.deepEqual(await lit(), [away, id]);
    await turn(home, true);
    assert.deepEqual(await lit(), [home, id]);
    assert.equal(
      (await api.send("PUT", "/scenes/command", owner, { type: "CMD_SCENE_ON", id: "x" })).status,
      404,
    );
  });

  test("a scene that requires HOME and one that requires AWAY exclude each other", async () => {
    const [inside] = await put({ name: "Inside", requiredIds: [home] });
    const [dinner] = await put({ name: "Dinner", requiredIds: [inside?.id] });
    const [guard] = await put({ name: "Guard", requiredIds: [away] });
    const excluded = async (id: string): Promise<unknown> => (await get())[id]?.["excludedIds"];
    assert.deepEqual(await excluded(dinner?.id ?? ""), [away, guard?.id]);
    assert.deepEqual(await excluded(away), [home, inside?.id, dinner?.id]);
    const refused = await api.send("PUT", "/scenes/command", owner, { type: "CMD_SCENE_ON", id: guard?.id });
    assert.deepEqual([refused.status, field(refused)], [422, "requiredIds"]);
    await api.send("DELETE", `/scenes?sceneId=${inside?.id}`, owner);
    assert.deepEqual(await excluded(dinner?.id ?? ""), []);
  });

  test("DELETE /scenes removes a scene of a user, but no factory scene", async () => {
    const [made] = await put({ name: "Evening" });
    assert.equal((await api.send("DELETE", `/scenes?sceneId=${made?.id}`, owner)).body, true);
    assert.equal((await api.send("DELETE", `/scenes?sceneId=${made?.id}`, owner)).status, 404);
    assert.equal((await api.send("DELETE", `/scenes?sceneId=${home}`, owner)).status, 422);
    assert.deepEqual(Object.keys(await get()), [home, away]);
  });

  test("GET /scenes/outcome shows the outcome for each device", async () => {
    const motion = { native: "3", class: "MOTION", capabilities: ["DEVICE", "MOTION"] };
    const [broken, sensor] = [await hub.addDevice({ native: "2" }), await hub.addDevice(motion)];
    const preset = (id: string) => ({ targetIds: [id], state: { isOn: true } });
    const [made] = await put({ name: "Evening", presets: { a: preset(lamp), b: preset(broken) } });
    const id = made?.id ?? "";
    const outcome = async (): Promise<{
      activatedAt: number | null;
      members: Record<string, { status: string }>;
    }> => (await api.send("GET", `/scenes/outcome?sceneId=${id}`, owner)).body as never;
    assert.deepEqual(await outcome(), { type: "SCENE_OUTCOME", sceneId: id, activatedAt: null, members: {} });
    await hub.run({ type: "ACTIVATE", id });
    assert.deepEqual(Object.values((await outcome()).members), [
      { status: "sent", reason: null },
      { status: "sent", reason: null },
    ]);
    for (const [command, { device }] of hub.kernel.all("command")) {
      const failure = { type: "NOTE_COMMAND_FAILED", id: command, code: "timeout", message: "no answer" };
      await hub.run(device === lamp ? { type: "NOTE_COMMAND_DONE", id: command } : failure);
    }
    const { activatedAt, members } = await outcome();
    assert.ok(activatedAt !== null && activatedAt > 0);
    assert.deepEqual(members[lamp], { status: "confirmed", reason: null });
    assert.deepEqual(members[broken], { status: "timed out", reason: "no answer" });
    assert.equal((await api.send("GET", "/scenes/outcome?sceneId=x", owner)).status, 404);
    // A sensor can be told nothing, so no preset takes it alone.
    const refused = await api.send("PUT", "/scenes", owner, { id, presets: { a: preset(sensor) } });
    assert.equal(refused.status, 422);
  });

  test("lets a guest turn scenes on and off but not change them", async () => {
    const { key } = await hub.user(roles.GUEST);
    const send = (body: object): Promise<Answer> => api.send("PUT", "/scenes/command", key, body);
    assert.equal((await send({ type: "CMD_SCENE_ON", id: away })).status, 200);
    assert.equal((await send({ type: "CMD_SCENE", id: away, isOn: true })).status, 403);
    assert.equal((await api.send("PUT", "/scenes", key, { name: "X" })).status, 403);
    assert.equal((await api.send("GET", `/scenes/outcome?sceneId=${home}`, key)).status, 403);
  });

  test("omits hidden devices from a guest's presets, though activating the scene commands them", async () => {
    const other = await hub.addDevice({ native: "2" });
    const state = { isOn: true };
    const presets = { both: { targetIds: [lamp, other], state }, one: { targetIds: [lamp], state } };
    const id = (await put({ name: "Evening", presets }))[0]?.id ?? "";
    const { key } = await hub.user(roles.GUEST);
    const targets = (object: Served | undefined): unknown =>
      Object.entries(object?.presets ?? {}).map(([preset, { targetIds }]) => [preset, ...targetIds]);
    const shown = async (to: string): Promise<unknown> =>
      targets(((await api.send("GET", "/scenes", to)).body as Record<string, Served>)[id]);
    const polled = async (ts: number): Promise<{ timestamp: number; shown: unknown[] }> => {
      const { body } = await api.send("GET", `/hub/poll?ts=${ts}`, key);
      const { timestamp, polls } = body as {
        timestamp: number;
        polls: Record<string, Record<string, Served>>[];
      };
      const objects = polls.flatMap(({ scenes, activators }) => [scenes?.[id], activators?.[id]]);
      return {
        timestamp,
        shown: objects.flatMap((object) => (object === undefined ? [] : [targets(object)])),
      };
    };
    const whole = [
      ["both", lamp, other],
      ["one", lamp],
    ];
    const { timestamp, shown: first } = await polled(0);
    assert.deepEqual(first, [whole, whole]);
    await hub.run({ type: "CMD_DEVICE_VISIBLE", id: lamp, visible: false });
    assert.deepEqual((await polled(timestamp)).shown, [[["both", other]], [["both", other]]]);
    assert.deepEqual(await shown(key), [["both", other]]);
    assert.deepEqual(await shown(owner), whole);
    const [turned] = (await api.send("PUT", "/scenes/command", key, { type: "CMD_SCENE_ON", id }))
      .body as Served[];
    assert.deepEqual(targets(turned), [["both", other]]);
    await hub.run({ type: "ACTIVATE", id });
    assert.equal(hub.kernel.size("command"), 2);
    await hub.run({ type: "CMD_DEVICE_VISIBLE", id: lamp, visible: true });
    assert.deepEqual(await shown(key), whole);
  });

  describe("PUT /devices/preset", () => {
    const issued = (): unknown[] =>
      [...hub.kernel.all("command")].map(([, { device, attributes }]) => [device, attributes]);
    const preset = (targetIds: string[], state: object): object => ({ type: "PRESET", targetIds, state });

    test("commands every target of one preset or a list, as one commit", async () => {
      const other = await hub.addDevice({ native: "2" });
      const body = [preset([lamp, other], { brightness: 0.5 }), preset([lamp], { isOn: true, lastSeen: 3 })];
      const before = hub.kernel.timestamp;
      assert.equal((await api.send("PUT", "/devices/preset", owner, body)).body, true);
      assert.equal([...hub.kernel.log.read(before)].length, 1);
      assert.deepEqual(issued(), [
        [lamp, { brightness: 0.5 }],
        [other, { brightness: 0.5 }],
        [lamp, { isOn: true }],
      ]);
      assert.equal(
        (await api.send("PUT", "/devices/preset", owner, preset([lamp], { isOn: false }))).body,
        true,
      );
    });

    test("refuses the whole list for one impossible preset", async () => {
      const answer = await api.send("PUT", "/devices/preset", owner, [
        preset([lamp], { isOn: true }),
        preset([lamp], { brightness: 2 }),
      ]);
      assert.equal(answer.status, 422);
      assert.deepEqual((answer.body as { errors: { index: number; field: string }[] }).errors[0]?.index, 1);
      const unknown = await api.send("PUT", "/devices/preset", owner, [
        preset([lamp], { isOn: true }),
        preset([lamp, "x"], { isOn: true }),
      ]);
      assert.equal(unknown.status, 404);
      assert.deepEqual((unknown.body as { errors: unknown }).errors, [
        { index: 1, field: "targetIds", message: "no device x" },
      ]);
      assert.deepEqual(issued(), []);
    });

    test("answers 404 to a guest for a hidden device", async () => {
      const { key } = await hub.user(roles.GUEST);
      assert.equal(
        (await api.send("PUT", "/devices/preset", key, preset([lamp], { isOn: true }))).status,
        200,
      );
      await hub.run({ type: "CMD_DEVICE_VISIBLE", id: lamp, visible: false });
      assert.equal(
        (await api.send("PUT", "/devices/preset", key, preset([lamp], { isOn: true }))).status,
        404,
      );
    });
  });
});
