import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { memoryLog } from "@ledge/log";
import type { LoggedEvent } from "@ledge/model";
import { features, limits, modbusServerId, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import type { Difference } from "../autoconfig/differences.ts";
import type { HubPorts } from "../ports.ts";
import { type Answer, openTestHub, type TestHub } from "../test-hub.ts";

/** A Modbus line with a relay at each address but 9, where nobody answers. */
class Plant {
  hub: TestHub | undefined;
  readonly places: object[] = [];
  asked: string[] = [];
  /** What HOLD waits for. */
  held: Promise<void> = Promise.resolve();

  readonly offering: HubPorts["offering"] = async (type, among) =>
    type === (among === "protocolCommands" ? "HOLD" : "GET_MODBUS_DEVICES") ? ["modbus"] : [];

  readonly ask: HubPorts["ask"] = async ({ type, commands }) => {
    this.asked.push(type);
    if (type === "GET_MODBUS_DEVICES") return { answered: true, value: this.places };
    if (type === "HOLD") return this.held.then(() => ({ answered: true, value: true }));
    if (type !== "PAIR_MODBUS") return undefined;
    const [{ address, register, registerType, name }] = commands as [Record<string, number | string>];
    if (address === 9) return { answered: false, code: "timeout", message: "address: 9 does not answer" };
    const native = `line/${String(address)}`;
    this.places.push({ native, port: "line", address, registers: [{ register, registerType }] });
    // The hub hears of it a little later.
    void setImmediate().then(() => this.hub?.addDevice({ protocol: "modbus", native, name }));
    return { answered: true, value: true };
  };
}

let hub: TestHub;
let plant: Plant;
let owner: string;

const put = (body: object, query = "", key = owner): Promise<Answer> =>
  hub.api("local").send("PUT", `/hub/autoconfig${query}`, key, { name: "Plan", ...body });
const dryRun = async (body: object): Promise<Difference[]> => {
  const { body: answer } = await put(body, "?dryRun=true");
  const { differences } = answer as { differences: Difference[] };
  return differences ?? assert.fail(JSON.stringify(answer));
};
const undo = (query = "", key = owner): Promise<Answer> =>
  hub.api("local").send("PUT", `/hub/autoconfig/undo${query}`, key);
const names = (kind: "room" | "device" | "scene" | "rule"): string[] =>
  [...hub.kernel.all(kind)]
    .map(([, state]) => ("config" in state ? state.config.name : state.name))
    .toSorted();
const eventsSince = (timestamp: number): LoggedEvent[] =>
  [...hub.kernel.log.read(timestamp)].flatMap(({ events }) => events);
const home = (): unknown =>
  JSON.parse(
    JSON.stringify(
      (["hub", "room", "device", "scene", "rule"] as const).map((kind) => [...hub.kernel.all(kind)]),
      (name, value: unknown) => (name === "timestamp" || name === "activatedAt" ? undefined : value),
    ),
  );

beforeEach(async () => {
  plant = new Plant();
  const { offering, ask } = plant;
  hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { offering, ask } });
  plant.hub = hub;
  await hub.run({ type: "ADD_FACTORY_SCENES" });
  owner = await hub.sign();
});

const relay = (address: number): object => ({
  type: "MODBUS_DEVICE",
  address,
  register: 1,
  register_type: 3,
  device_type: "RELAY",
});
/** Everything at once. */
const cottage = {
  hubName: "${PLACE}",
  deviceNamePrefix: "${PLACE} ",
  modbusTcpBase: 100,
  variables: { PLACE: "Cottage" },
  rooms: { names: ["Porch", "$LIVING_ROOM"] },
  devices: {
    pump: { desc: relay(2), name: "Pump", room: "Cellar", locked: true },
    light: {
      desc: relay(3),
      name: "Light",
      room: "$LIVING_ROOM",
      config_commands: [{ type: "CMD_DEVICE_META", id: "", visible: false }],
    },
  },
  scenes: {
    evening: {
      name: "Evening",
      requiredIds: ["calm"],
      presets: [{ targetIds: ["light"], state: { isOn: true } }],
    },
    calm: { name: "Calm", isOn: true },
    away: { factoryScene: "AWAY", presets: [{ targetIds: ["light", "pump"], state: { isOn: false } }] },
  },
  rules: [
    {
      config: {
        name: "Lights",
        configType: "MOTION_LIGHT",
        inputs: { sensors: ["light"] },
        outputs: {},
        extras: {},
      },
      on_config: { scenes: ["calm"] },
    },
  ],
};

describe("an autoconfiguration", () => {
  test("sets up names, rooms, devices, scenes and rules under one root", async () => {
    const { timestamp } = hub.kernel;
    const answer = await put(cottage);
    assert.deepEqual([answer.status, answer.body], [200, true]);
    assert.equal(hub.kernel.get("hub", hub.hubId)?.name, "Cottage");
    assert.deepEqual(names("room"), ["Cellar", "Living room", "Porch"]);
    assert.deepEqual(names("device"), ["Cottage Light", "Cottage Pump"]);
    assert.deepEqual(names("scene"), ["Away", "Calm", "Evening", "Home"]);
    const device = (name: string) => [...hub.kernel.all("device")].find(([, each]) => each.name === name);
    const [light = "", lightState] = device("Cottage Light") ?? [];
    const [pump = "", pumpState] = device("Cottage Pump") ?? [];
    assert.deepEqual([lightState?.visible, pumpState?.rwx], [false, 365]);
    assert.equal(hub.kernel.get("room", pumpState?.room[0] ?? "")?.name, "Cellar");
    const scene = (name: string) => [...hub.kernel.all("scene")].find(([, each]) => each.name === name);
    const [calm = ""] = scene("Calm") ?? [];
    assert.deepEqual(scene("Evening")?.[1].requiredIds, [calm]);
    assert.deepEqual(scene("Away")?.[1].presets["1"]?.targetIds, [light, pump]);
    const [[, rule] = []] = [...hub.kernel.all("rule")];
    assert.deepEqual([rule?.config.inputs, rule?.scenes, rule?.is_on], [{ sensors: [light] }, [calm], true]);
    assert.deepEqual((plant.places[0] as { registers: unknown[] }).registers, [
      { register: 101, registerType: 3 },
    ]);
    const all = eventsSince(timestamp);
    assert.deepEqual(
      all.flatMap(({ type, origin }) => (type === "AutoConfigStarted" ? [origin] : [])),
      ["user:owner"],
    );
    const own = all.filter(({ origin, type }) => origin === "autoconfig" || type === "AutoConfigStarted");
    const roots = new Set(own.map(({ root, cause }) => root ?? cause));
    assert.ok(own.length > 10);
    assert.equal(roots.size, 1);
  });

  test("changes nothing when it runs again", async () => {
    await put(cottage);
    const { timestamp } = hub.kernel;
    plant.asked = [];
    assert.equal((await put(cottage)).body, true);
    assert.equal(hub.kernel.timestamp, timestamp);
    assert.deepEqual(await dryRun(cottage), []);
    assert.ok(!plant.asked.includes("PAIR_MODBUS"));
  });

  test("a dry run lists its changes and makes none", async () => {
    const id = await hub.run({ type: "CMD_ROOM", name: "Attic" });
    const { timestamp } = hub.kernel;
    const differences = await dryRun({ ...cottage, rooms: { names: ["Porch"], clear: true } });
    assert.equal(hub.kernel.timestamp, timestamp);
    assert.ok(!plant.asked.includes("PAIR_MODBUS"));
    const told = differences.map(({ object, change, name }) => `${change} ${object} ${name}`);
    assert.deepEqual(told, [
      "pair device Cottage Pump",
      "pair device Cottage Light",
      "change hub Cottage",
      "remove room Attic",
      "create room Porch",
      "create room Cellar",
      "create room Living room",
      "create scene Calm",
      "create scene Evening",
      "create rule Lights",
    ]);
    assert.deepEqual(differences[2]?.fields, { name: { from: "Cabin", to: "Cottage" } });
    assert.equal(differences[3]?.id, id);
    assert.deepEqual(differences[8]?.fields["requiredIds"], {
      from: null,
      to: ["Calm"],
    });
  });

  test("undo restores the home as a whole, unless an object has changed since", async () => {
    const room = await hub.run({ type: "CMD_ROOM", name: "Attic" });
    const before = home();
    await put({ ...cottage, rooms: { names: ["Porch"], clear: true } });
    const made = [...hub.kernel.all("room")].find(([, { name }]) => name === "Porch");
    await hub.run({ type: "CMD_ROOM", id: made?.[0], name: "Veranda" });
    const refused = await undo();
    assert.deepEqual(
      [refused.status, (refused.body as { message: string }).message],
      [422, "room Porch has changed since"],
    );
    await hub.run({ type: "CMD_ROOM", id: made?.[0], name: "Porch" });
    assert.deepEqual([(await undo()).body, home()], [true, before]);
    assert.equal(hub.kernel.get("room", room)?.name, "Attic");
    assert.equal((await undo()).status, 404);
    const { body } = await hub.api("local").send("GET", "/hub/autoconfig", owner);
    const [run] = body as { id: string; state: string; name: string }[];
    assert.deepEqual([run?.state, run?.name], ["undone", "Plan"]);
    assert.equal((await undo(`?id=${run?.id}`)).status, 422);
    assert.equal((await undo("?id=nothing")).status, 404);
  });

  test("accepts timers of rules as PUT /rules does", async () => {
    const [start, stop] = ["0 7 * * *", "0 8 * * *"];
    const range = {
      type: "TIME_RANGE",
      weekdays: [6],
      start: { type: "TIME_OF_DAY", value: 420 },
      end: null,
      enabled: true,
    };
    const [rule] = cottage.rules;
    const config = { ...rule?.config, inputs: {} };
    const answer = await put({ rules: [{ config, on_config: { timers: [range, { start, stop }] } }] });
    assert.equal(answer.body, true);
    const [[, made] = []] = [...hub.kernel.all("rule")];
    const cronDef = { type: "CRONDEF", start, stop };
    assert.deepEqual(made?.timers, [range, { type: "RULETIME", enabled: true, cronDef }]);
  });

  test("undo restores the objects that it changed", async () => {
    const [room, lamp] = [await hub.run({ type: "CMD_ROOM", name: "Attic" }), await hub.addDevice()];
    await hub.run({ type: "CMD_DEVICE_META", id: lamp, room: [room] });
    const presets = { p: { targetIds: [lamp], state: { isOn: true } } };
    await hub.run({ type: "CMD_SCENE", name: "Evening", presets });
    const before = home();
    const answer = await put({
      hubName: "Villa",
      devices: { [lamp]: { name: "Spot", room: "Hall", locked: true, visible: false } },
      scenes: {
        e: { name: "Evening", isOn: true, presets: [{ targetIds: [lamp], state: { isOn: false } }] },
      },
    });
    assert.deepEqual(answer.body, true);
    assert.notDeepEqual(home(), before);
    assert.deepEqual([(await undo()).body, home()], [true, before]);
  });

  test("stops at a failure, lists what is done and not done, and continues when repeated", async () => {
    const ghost = { ...cottage.devices.light, desc: relay(9) };
    const answer = await put({ ...cottage, devices: { ...cottage.devices, light: ghost } });
    const { message, done, notDone } = answer.body as Record<string, string[]>;
    assert.equal(answer.status, 504);
    assert.equal(message, "stopped at device Cottage Light: address: 9 does not answer");
    assert.deepEqual(done?.at(-1), "device Cottage Pump");
    assert.deepEqual(notDone?.[0], "device Cottage Light");
    assert.deepEqual(names("device"), ["Cottage Pump"]);
    const { body } = await hub.api("local").send("GET", "/hub/autoconfig", owner);
    const [run] = body as { state: string; problem: string }[];
    assert.deepEqual([run?.state, run?.problem], ["stopped", message]);
    assert.equal((await put(cottage)).body, true);
    assert.deepEqual(names("device"), ["Cottage Light", "Cottage Pump"]);
  });

  test("leaves alone what others create meanwhile, and so does its undo", async () => {
    await hub.run({ type: "CMD_ROOM", name: "Hall" });
    const wanted = { rooms: { names: ["Porch", "Cellar", "Attic"] }, scenes: { a: { name: "Evening" } } };
    const others: Promise<unknown>[] = [];
    // Each stands in the queue before the next step is.
    const end = hub.kernel.subscribe({
      published: ({ events }) => {
        if (!events.some(({ type }) => type === "AutoConfigStepDone")) return;
        others.push(hub.run({ type: "CMD_ROOM", name: `Other ${others.length}` }));
      },
    });
    assert.equal((await put(wanted)).body, true);
    await Promise.all(others);
    end();
    assert.equal(others.length, 4);
    assert.equal((await undo()).body, true);
    assert.deepEqual(names("room"), ["Hall", "Other 0", "Other 1", "Other 2", "Other 3"]);
  });

  test("waits for the one that runs; beyond the queue's limit it is refused", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    plant.held = held;
    const first = put({ protocols: [{ type: "HOLD" }], rooms: { names: ["First"] } });
    while (!plant.asked.includes("HOLD")) await setImmediate();
    const others = Array.from({ length: limits.autoConfigQueue }, (_, index) =>
      put({ rooms: { names: [`Room ${index}`], clear: true } }),
    );
    const beyond = await Promise.race(others);
    assert.deepEqual([beyond.status, names("room")], [503, ["First"]]);
    release();
    const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, limits.autoConfigQueue);
    assert.equal(names("room").length, 1);
    assert.notEqual(names("room")[0], "First");
  });

  test("removes a device only if the caller may configure it", async () => {
    const { key } = await hub.user(roles.USER_ADMIN);
    const lamp = await hub.addDevice();
    const access = { type: "CMD_DEVICE_ACCESS", id: lamp, rwx: 0b111_101_101 };
    assert.equal((await hub.api("local").send("PUT", "/devices", owner, [access])).status, 200);
    const removing = { removedDevices: ["gone", "${LAMP}"], variables: { LAMP: lamp } };
    assert.equal((await put(removing, "", key)).status, 403);
    assert.equal((await put(removing, "?dryRun=true", key)).status, 403);
    assert.deepEqual(names("device").length, 1);
    assert.equal((await put(removing)).status, 200);
    assert.deepEqual(names("device"), []);
  });

  test("drops fields of a device command that its schema does not have", async () => {
    const ann = await hub.user(roles.IDENTIFIED_USER);
    const note = { type: "NOTE_UI_DEVICE", client: "phone", session: true, reachable: true, at: 1 };
    const id = await hub.run({ ...note, user: ann.id });
    const before = JSON.stringify(hub.kernel.get("device", id));
    const meta = { type: "CMD_DEVICE_META", name: null, awayThreshold: null, uuid: "canary" };
    assert.equal((await put({ devices: { [id]: { config_commands: [meta] } } })).status, 200);
    assert.equal(JSON.stringify(hub.kernel.get("device", id)), before);
  });

  test("limits the commands for one device", async () => {
    const lamp = await hub.addDevice();
    const commands = (count: number): object => {
      const config_commands = Array.from({ length: count }, () => ({ type: "CMD_DEVICE_META" }));
      return { devices: { [lamp]: { config_commands } } };
    };
    const most = limits.autoConfigDeviceCommands;
    assert.equal((await put(commands(most), "?dryRun=true")).status, 200);
    assert.equal((await put(commands(most + 1), "?dryRun=true")).status, 422);
  });

  test("records its requests to adapters without their contents", async () => {
    const { timestamp } = hub.kernel;
    assert.equal((await put({ protocols: [{ type: "HOLD", pin: "canary" }] })).status, 200);
    const events = eventsSince(timestamp);
    const records = events.filter(({ type }) => type === "AdapterAsked") as (LoggedEvent & {
      request: string;
    })[];
    assert.deepEqual(
      records.map(({ request, origin }) => [request, origin]),
      [["HOLD", "autoconfig"]],
    );
    assert.doesNotMatch(JSON.stringify(events), /canary/);
  });

  test("only the owner may lock and hide devices by it, or undo that", async () => {
    const { key } = await hub.user(roles.USER_ADMIN);
    const lamp = await hub.addDevice();
    const hiding = { devices: { [lamp]: { visible: false } } };
    const byCommand = {
      devices: { [lamp]: { config_commands: [{ type: "CMD_DEVICE_META", locked: true }] } },
    };
    assert.equal((await put(hiding, "", key)).status, 403);
    assert.equal((await put(byCommand, "?dryRun=true", key)).status, 403);
    assert.equal((await put({ devices: { [lamp]: { name: "Spot" } } }, "", key)).status, 200);
    assert.equal((await undo("", key)).status, 200);
    assert.equal((await put(hiding)).status, 200);
    assert.equal((await undo("", key)).status, 403);
    assert.equal((await undo()).status, 200);
  });

  test("removes devices, which undo cannot restore", async () => {
    const lamp = await hub.addDevice();
    const removing = { removedDevices: [lamp, "long-gone"] };
    assert.equal((await put(removing)).body, true);
    assert.deepEqual(names("device"), []);
    assert.deepEqual(await dryRun(removing), []);
    assert.match(((await undo()).body as { message: string }).message, /pair it again/);
  });

  test("shows devices on the Modbus TCP server, at registers with the base", async () => {
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [features.MODBUS_TCP_SERVER] });
    const shown = { deviceId: "pump", attribute: "reachable", registerType: 2, register: 7 };
    const mapping = { type: "SET_MODBUS_TCP_MAPPINGS", add: true, mappings: [shown] };
    const body = { ...cottage, protocols: [mapping] };
    assert.deepEqual((await put(body)).body, true);
    const mapped = (hub.kernel.get("modbusServer", modbusServerId)?.mappings ?? []).map(
      ({ deviceId, attribute, registerType, register, unit }) => [
        hub.kernel.get("device", deviceId)?.name,
        attribute,
        registerType,
        register,
        unit,
      ],
    );
    assert.deepEqual(mapped, [
      ["Cottage Pump", "isOn", 3, 101, 2],
      ["Cottage Light", "isOn", 3, 101, 3],
      ["Cottage Pump", "reachable", 2, 107, null],
    ]);
    assert.deepEqual((await put(body)).body, true);
    const wrong = await put({
      ...cottage,
      protocols: [{ ...mapping, mappings: [{ ...shown, register: 65_500 }] }],
    });
    assert.deepEqual(wrong.status, 422);
    assert.match(JSON.stringify(wrong.body), /protocols.0.mappings.0.register/);
  });

  for (const [what, body, status, message] of [
    ["an unknown variable", { hubName: "${X}" }, 422, "hubName no variable X"],
    ["an unknown default room", { rooms: { names: ["$X"] } }, 422, "rooms.names.0 no default room $X"],
    ["a name that its variables leave empty", { hubName: "${E}", variables: { E: "" } }, 422, /^hubName /],
    ["an unknown kind of device", { devices: { a: { desc: { type: "X" } } } }, 422, /desc/],
    ["BACnet ids", { generateBacnetId: true }, 422, /^generateBacnetId /],
    [
      "a register beyond the last",
      { modbusTcpBase: 65_535, devices: { a: { name: "a", desc: relay(2) } } },
      422,
      "devices.a.desc.register with modbusTcpBase is above 65535",
    ],
    [
      "a command that no adapter knows",
      { protocols: [{ type: "X" }] },
      422,
      "protocol X: no adapter of this hub knows it",
    ],
    ["an unknown device", { devices: { a: { name: "A" } } }, 404, "device A: no device a"],
    [
      "a target that does not exist",
      { scenes: { s: { name: "S", presets: [{ targetIds: ["a"], state: {} }] } } },
      422,
      "scene S: no device a",
    ],
    [
      "scenes that require each other",
      { scenes: { a: { name: "A", requiredIds: ["b"] }, b: { name: "B", requiredIds: ["a"] } } },
      422,
      /requires itself in the end/,
    ],
    [
      "objects that contradict each other",
      { scenes: { a: { factoryScene: "HOME", isOn: true }, b: { factoryScene: "AWAY", isOn: true } } },
      422,
      "scene HOME: contradicts what comes after it",
    ],
  ] as const) {
    test(`is refused as a whole for ${what}`, async () => {
      const before = home();
      const answer = await put({ rooms: { names: ["Porch"] }, ...body });
      const told = (answer.body as { message: string }).message;
      assert.equal(answer.status, status, told);
      if (typeof message === "string") assert.equal(told, message);
      else assert.match(told, message);
      assert.deepEqual(home(), before);
    });
  }

  test("is refused if the hub has no adapter for a device to pair", async () => {
    const bare = await openTestHub(memoryLog(), new SimulatedClock());
    const body = { name: "Plan", devices: { a: { name: "A", desc: relay(2) } } };
    const answer = await bare.api("local").send("PUT", "/hub/autoconfig", await bare.sign(), body);
    assert.equal(answer.status, 422);
  });
});
