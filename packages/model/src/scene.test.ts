import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { given, lamp, socket, testNow, thermostat } from "@ledge/testkit";
import type { Reader } from "./decider.ts";
import { limits } from "./limits.ts";
import { scene } from "./scene.ts";

const stored = { presets: {}, requiredIds: [], sceneTimes: [] };
const factory = (icon: "HOME" | "AWAY") => ({
  type: "SceneCreated",
  id: icon.toLowerCase(),
  category: "FACTORY",
  icon,
  name: icon === "HOME" ? "Home" : "Away",
  ...stored,
});
const created = (id: string, fields: object = {}) => ({
  type: "SceneCreated",
  id,
  category: "USER",
  icon: null,
  name: id,
  ...stored,
  ...fields,
});
const on = (id: string) => ({ type: "SceneTurnedOn", id });
const off = (id: string) => ({ type: "SceneTurnedOff", id });
const turn = (id: string, isOn = true) => ({ type: isOn ? "CMD_SCENE_ON" : "CMD_SCENE_OFF", id });
const home = [factory("HOME"), factory("AWAY"), on("home")];
const dim = {
  type: "PRESET",
  id: "p1",
  targetIds: ["lamp"],
  state: { type: "STATE_LIGHT", brightness: 0.2 },
};
const presetsSet = (id: string, presets: object) => ({ type: "ScenePresetsChanged", id, presets });

describe("factory scenes", () => {
  test("are created once, with HOME on", () => {
    const made = [{ ...factory("HOME"), id: "new-1" }, on("new-1"), { ...factory("AWAY"), id: "new-2" }];
    given().when({ type: "ADD_FACTORY_SCENES" }).then(made);
    given(home).when({ type: "ADD_FACTORY_SCENES" }).then([]);
    given([factory("HOME"), on("home")])
      .when({ type: "ADD_FACTORY_SCENES" })
      .then([{ ...factory("AWAY"), id: "new-1" }]);
  });

  test("exclude each other, and one of them is always on", () => {
    given(home)
      .when(turn("away"))
      .then([off("home"), on("away")]);
    given(home)
      .when(turn("home", false))
      .then([off("home"), on("away")]);
    given(home).when(turn("away", false)).then([]);
    given([...home, off("home"), on("away")])
      .when(turn("away", false))
      .then([off("away"), on("home")]);
    given(home)
      .when({ type: "CMD_SCENE", id: "home", isOn: false })
      .then([off("home"), on("away")]);
  });

  test("cannot be removed or renamed", () => {
    given(home).when({ type: "REMOVE_SCENE", id: "home" }).then({ rejected: "wrong-state", field: "id" });
    given(home)
      .when({ type: "CMD_SCENE", id: "home", name: "Here" })
      .then({ rejected: "wrong-state", field: "name" });
    given(home).when({ type: "CMD_SCENE", id: "home", name: "Home" }).then([]);
  });

  test("cannot require other scenes, as one of them must always be able to go on", () => {
    given([...home, created("s1")])
      .when({ type: "CMD_SCENE", id: "away", requiredIds: ["s1"] })
      .then({ rejected: "invalid", field: "requiredIds" });
  });
});

describe("CMD_SCENE", () => {
  const command = { type: "CMD_SCENE", name: "Evening" };

  for (const id of [null, undefined]) {
    test(`with id ${id} creates a scene that is off`, () => {
      const after = given([lamp])
        .when({ ...command, ...(id === null && { id, isOn: null, presets: null }) })
        .then([created("new-1", { name: "Evening" })]);
      assert.deepEqual(after.state("scene", "new-1"), {
        type: "SCENE",
        id: "new-1",
        category: "USER",
        icon: null,
        name: "Evening",
        isOn: false,
        ...stored,
        timestamp: testNow,
      });
    });
  }

  test("creates a scene with presets, turned on if asked for", () => {
    const presets = {
      p1: { targetIds: ["lamp", "lamp"], state: { type: "STATE_LIGHT", isOn: null, brightness: 0.2 } },
    };
    given([lamp])
      .when({ ...command, presets, isOn: true })
      .then([
        created("new-1", { name: "Evening", presets: { p1: dim } }),
        { type: "ActivatorAdded", id: "new-1" },
        on("new-1"),
      ]);
  });

  for (const [what, presets, refusal] of [
    [
      "an unknown device",
      { p: { targetIds: ["ghost"], state: { isOn: true } } },
      { field: "presets.p.targetIds" },
    ],
    [
      "devices of two types",
      { p: { targetIds: ["lamp", "socket"], state: { isOn: true } } },
      { field: "presets.p.targetIds" },
    ],
    [
      "an invalid value",
      { p: { targetIds: ["lamp"], state: { brightness: 7 } } },
      { field: "presets.p.state.brightness" },
    ],
    ["nothing to set", { p: { targetIds: ["lamp"], state: { lastSeen: 7 } } }, { field: "presets.p.state" }],
    [
      "the state of another type",
      { p: { targetIds: ["lamp"], state: { type: "STATE_BLINDS" } } },
      { field: "presets.p.state.type" },
    ],
    ["an empty id", { "": { targetIds: ["lamp"], state: { isOn: true } } }, { field: "presets" }],
  ] as const) {
    test(`refuses presets with ${what}`, () => {
      given([lamp, socket])
        .when({ ...command, presets })
        .then({ rejected: "invalid", ...refusal });
    });
  }

  test("accepts presets up to the limits", () => {
    const many = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `p${index}`,
          { targetIds: ["lamp"], state: { isOn: true } },
        ]),
      );
    const when = (presets: object) => given([lamp]).when({ ...command, presets });
    when(many(limits.scenePresets + 1)).then({ rejected: "invalid", field: "presets" });
    const kept = Object.fromEntries(
      Object.keys(many(limits.scenePresets)).map((id) => [
        id,
        { type: "PRESET", id, targetIds: ["lamp"], state: { type: "STATE_LIGHT", isOn: true } },
      ]),
    );
    when(many(limits.scenePresets)).then([
      created("new-1", { name: "Evening", presets: kept }),
      { type: "ActivatorAdded", id: "new-1" },
    ]);
  });

  test("refuses more targets than the limit", () => {
    const lamps = Array.from({ length: limits.sceneTargets / 2 + 1 }, (_, index) => ({
      ...lamp,
      id: `l${index}`,
    }));
    const half = { targetIds: lamps.map(({ id }) => id), state: { isOn: true } };
    given(lamps)
      .when({ ...command, presets: { a: half, b: half } })
      .then({ rejected: "invalid", field: "presets" });
  });

  test("changes what is given and differs, and applies nothing", () => {
    const before = given([
      lamp,
      ...home,
      created("s1", { presets: { p1: dim } }),
      { type: "ActivatorAdded", id: "s1" },
      on("s1"),
    ]);
    const change = { type: "CMD_SCENE", id: "s1" };
    before
      .when({ ...change, name: "s1", isOn: true, presets: { p1: dim }, requiredIds: [], sceneTimes: [] })
      .then([]);
    before.when(change).then([]);
    before.when({ ...change, name: "Dusk" }).then([{ type: "SceneRenamed", id: "s1", name: "Dusk" }]);
    before
      .when({ ...change, presets: {} })
      .then([presetsSet("s1", {}), { type: "ActivatorRemoved", id: "s1" }]);
    const cronDef = { start: "0 15 * * 1", stop: "0 22 * * 1" };
    const sceneTimes = [{ type: "RULETIME", enabled: true, cronDef: { type: "CRONDEF", ...cronDef } }];
    before
      .when({ ...change, sceneTimes: [{ cronDef }] })
      .then([{ type: "SceneTimesChanged", id: "s1", sceneTimes }]);
    before.when({ ...change, isOn: false }).then([off("s1")]);
    before.when({ type: "CMD_SCENE", id: "nowhere" }).then({ rejected: "not-found", field: "id" });
  });

  test("needs a name, possible times, and fewer scenes than the limit", () => {
    given().when({ type: "CMD_SCENE" }).then({ rejected: "invalid", field: "name" });
    const cronDef = { start: "0 15 * * 1", stop: "0 24 * * 1" };
    given()
      .when({ ...command, sceneTimes: [{ cronDef }] })
      .then({ rejected: "invalid", field: "sceneTimes.0.cronDef.stop" });
    const scenes = Array.from({ length: limits.scenes }, (_, index) => created(`s${index}`));
    given(scenes.slice(1))
      .when(command)
      .then([created("new-1", { name: "Evening" })]);
    given(scenes).when(command).then({ rejected: "invalid" });
  });
});

describe("turning scenes on and off", () => {
  test("CMD_SCENE_ON repeats for a scene that is on; CMD_SCENE_OFF does nothing for one that is off", () => {
    given([created("s1")])
      .when(turn("s1"))
      .then([on("s1")]);
    given([created("s1"), on("s1")])
      .when(turn("s1"))
      .then([on("s1")]);
    given([created("s1"), on("s1")])
      .when(turn("s1", false))
      .then([off("s1")]);
    given([created("s1")])
      .when(turn("s1", false))
      .then([]);
    given().when(turn("s1")).then({ rejected: "not-found", field: "id" });
  });

  const chain = [...home, created("s1", { requiredIds: ["home"] }), created("s2", { requiredIds: ["s1"] })];

  test("a scene goes on only while its required scenes are on", () => {
    given(chain).when(turn("s2")).then({ rejected: "wrong-state", field: "requiredIds" });
    given([...chain, on("s1")])
      .when(turn("s2"))
      .then([on("s2")]);
    given(chain)
      .when({ type: "CMD_SCENE", name: "x", isOn: true, requiredIds: ["s1"] })
      .then({ rejected: "wrong-state", field: "requiredIds" });
  });

  test("a scene that goes off turns off those that require it, and they stay off", () => {
    const lit = [...chain, on("s1"), on("s2")];
    given(lit)
      .when(turn("s1", false))
      .then([off("s1"), off("s2")]);
    given(lit)
      .when(turn("away"))
      .then([off("home"), off("s1"), off("s2"), on("away")]);
    given([...lit, off("s1"), off("s2")])
      .when(turn("away"))
      .then([off("home"), on("away")]);
  });

  test("a scene that is on accepts an unmet requirement only if it goes off", () => {
    const before = given([...home, created("s1"), created("s2"), on("s1")]);
    const require = { type: "CMD_SCENE", id: "s1", requiredIds: ["s2"] };
    before.when(require).then({ rejected: "wrong-state", field: "requiredIds" });
    before
      .when({ ...require, isOn: false })
      .then([{ type: "SceneRequirementsChanged", id: "s1", requiredIds: ["s2"] }, off("s1")]);
  });

  for (const [what, id, requiredIds] of [
    ["itself", "s1", ["s1"]],
    ["in a circle", "s1", ["s2"]],
    ["an unknown scene", "s1", ["ghost"]],
    ["both HOME and AWAY", "s2", ["s1", "away"]],
  ] as const) {
    test(`a scene cannot require ${what}`, () => {
      given(chain)
        .when({ type: "CMD_SCENE", id, requiredIds })
        .then({ rejected: "invalid", field: "requiredIds" });
    });
  }

  test("removing a scene removes it from the requirements of others", () => {
    given([...chain, on("s1"), on("s2")])
      .when({ type: "REMOVE_SCENE", id: "s1" })
      .then([
        { type: "SceneRequirementsChanged", id: "s2", requiredIds: [] },
        { type: "SceneRemoved", id: "s1" },
      ]);
  });
});

describe("a scene changes for clients when its exclusions change", () => {
  const base = [
    ...home,
    created("inside", { requiredIds: ["home"] }),
    created("dinner", { requiredIds: ["inside"] }),
    created("guard", { requiredIds: ["away"] }),
    created("evening"),
    created("late", { requiredIds: ["evening"] }),
  ];
  /** Returns the other scenes that an event changes for clients. */
  const renewedBy = (event: { readonly type: string; readonly id: string }): string[] => {
    const after = given([...base, event]);
    const ids = [...new Set([...base, event].map(({ id }) => id))];
    const get = ((kind: "scene", id: string) => after.state(kind, id)) as Reader["get"];
    const all = (() =>
      ids.flatMap((id) => (get("scene", id) ? [[id, get("scene", id)]] : []))) as unknown as Reader["all"];
    const renewed = scene.delta?.dependents?.(event, { get, all } as Reader, false) ?? [];
    return [...renewed].filter((id) => id !== event.id).toSorted();
  };

  test("by a new scene, if they can never be on together", () => {
    assert.deepEqual(renewedBy(created("new")), []);
    assert.deepEqual(renewedBy(created("new", { requiredIds: ["late"] })), []);
    assert.deepEqual(renewedBy(created("new", { requiredIds: ["dinner"] })), ["away", "guard"]);
    assert.deepEqual(renewedBy(created("new", { requiredIds: ["guard"] })), ["dinner", "home", "inside"]);
  });

  test("by new requirements, if it needs HOME or AWAY or requires the changed scene", () => {
    const required = (id: string, ...requiredIds: string[]) => {
      return { type: "SceneRequirementsChanged", id, requiredIds };
    };
    const placed = ["away", "dinner", "guard", "home", "inside"];
    const without = (id: string) => placed.filter((other) => other !== id);
    assert.deepEqual(renewedBy(required("evening", "home")), [...placed, "late"]);
    assert.deepEqual(renewedBy(required("inside")), without("inside"));
    assert.deepEqual(renewedBy(required("guard", "evening")), without("guard"));
    assert.deepEqual(renewedBy({ type: "SceneRemoved", id: "late" }), placed);
  });

  test("by nothing else", () => {
    assert.deepEqual(renewedBy(on("guard")), []);
    assert.deepEqual(renewedBy(presetsSet("inside", { p1: dim })), []);
    assert.deepEqual(renewedBy({ type: "SceneRenamed", id: "home", name: "Here" } as never), []);
  });
});

describe("presets", () => {
  const withPresets = [
    lamp,
    thermostat,
    created("s1", { presets: { p1: dim } }),
    { type: "ActivatorAdded", id: "s1" },
  ];
  const issued = (number: number, device: string, attributes: object) => ({
    type: "CommandIssued",
    id: `new-${number}`,
    device,
    attributes,
    absolute: true,
    group: null,
    scene: "s1",
  });

  test("are applied together, with one command for each device", () => {
    const both = { p1: dim, p2: { ...dim, id: "p2", state: { type: "STATE_LIGHT", isOn: true } } };
    const heat = {
      type: "PRESET",
      id: "p3",
      targetIds: ["gone", "thermostat"],
      state: { targetTemperature: 21 },
    };
    const applied = given([...withPresets, presetsSet("s1", { ...both, p3: heat })])
      .when({ type: "ACTIVATE", id: "s1" })
      .then([
        {
          type: "PresetsApplied",
          id: "s1",
          members: {
            gone: { skipped: "the device is gone" },
            lamp: { command: "new-1" },
            thermostat: { command: "new-2" },
          },
        },
        issued(1, "lamp", { brightness: 0.2, isOn: true }),
        issued(2, "thermostat", { targetTemp: 21, targetTemperature: 21 }),
      ]);
    assert.equal(applied.state("activator", "s1")?.activatedAt, testNow);
    assert.equal(applied.state("command", "new-1")?.scene, "s1");
  });

  test("skip a device that cannot do it, and say why", () => {
    const lacking = presetsSet("s1", {
      p1: { ...dim, targetIds: ["thermostat"], state: { brightness: 0.2 } },
    });
    const message = "the device has no capability to set brightness";
    given([...withPresets, lacking])
      .when({ type: "ACTIVATE", id: "s1" })
      .then([{ type: "PresetsApplied", id: "s1", members: { thermostat: { skipped: message } } }]);
  });

  test("lose a device that is removed", () => {
    const two = { ...dim, targetIds: ["thermostat", "lamp"] };
    given([...withPresets, presetsSet("s1", { p1: two, p2: dim })])
      .when({ type: "DROP_TARGET", id: "s1", device: "lamp" })
      .then([presetsSet("s1", { p1: { ...two, targetIds: ["thermostat"] } })]);
    given(withPresets)
      .when({ type: "DROP_TARGET", id: "s1", device: "lamp" })
      .then([presetsSet("s1", {}), { type: "ActivatorRemoved", id: "s1" }]);
  });

  test("can be applied without a scene", () => {
    const preset = { type: "APPLY_PRESET", targetIds: ["lamp"], state: { brightness: 0.2 } };
    const { scene: _, ...command } = issued(1, "lamp", { brightness: 0.2 });
    given([lamp]).when(preset).then([command]);
    given([lamp])
      .when({ ...preset, state: { hue: 1 } })
      .then({ rejected: "invalid", field: "state.hue" });
  });

  describe("results", () => {
    const applied = [
      ...withPresets,
      { type: "PresetsApplied", id: "s1", members: { lamp: { command: "c1" } } },
      { ...issued(1, "lamp", {}), id: "c1" },
    ];
    const failed = (code: string, message: string) => ({
      type: "PresetFailed",
      id: "s1",
      device: "lamp",
      command: "c1",
      code,
      message,
    });

    test("note a command that fails or expires", () => {
      const failure = { code: "timeout", message: "no answer" };
      given(applied)
        .when({ type: "NOTE_COMMAND_FAILED", id: "c1", ...failure })
        .then([
          { type: "CommandFailed", id: "c1", device: "lamp", ...failure },
          failed("timeout", "no answer"),
        ]);
      const message = "the hub was down for longer than the command was good for";
      given(applied)
        .when({ type: "EXPIRE_COMMAND", id: "c1" })
        .then([{ type: "CommandExpired", id: "c1", device: "lamp" }, failed("expired", message)]);
    });

    test("ignore commands of an earlier time", () => {
      const failure = { code: "timeout", message: "no answer" };
      const again = { type: "PresetsApplied", id: "s1", members: { lamp: { command: "c2" } } };
      given([...applied, again])
        .when({ type: "NOTE_COMMAND_FAILED", id: "c1", ...failure })
        .then([{ type: "CommandFailed", id: "c1", device: "lamp", ...failure }]);
    });
  });
});
