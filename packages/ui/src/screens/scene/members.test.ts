import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SceneState } from "@ledge/model";
import type { Controlled } from "../../controls/registry.ts";
import {
  emptyScene,
  presetsOf,
  sceneDraftOf,
  sceneFaults,
  settingsOf,
  stateNow,
  wantedScene,
  withColour,
  withValue,
} from "./members.ts";

function device(values: readonly string[], state: Controlled["state"], type = "LIGHT"): Controlled {
  return { type, capabilities: { values }, state };
}

const colours = ["ON_OFF", "BRIGHTNESS", "COLOR_TEMP", "COLOR_HS"];
const lamp = { isOn: true, brightness: 0.5, temperature: 2700, hue: 1, saturation: 0.4 };

const now: readonly [what: string, of: Controlled, wanted: object][] = [
  [
    "a lamp with a colour",
    device(colours, { ...lamp, colorMode: "hs" }),
    {
      isOn: true,
      brightness: 0.5,
      hue: 1,
      saturation: 0.4,
      colorMode: "hs",
    },
  ],
  [
    "a lamp with a white",
    device(colours, { ...lamp, colorMode: "ct" }),
    {
      isOn: true,
      brightness: 0.5,
      temperature: 2700,
    },
  ],
  ["a lamp of which little is known", device(["ON_OFF", "BRIGHTNESS"], { isOn: null }), {}],
  ["a blind", device(["BLINDS", "LIFT"], { position: 0.25 }, "BLINDS"), { position: 0.25 }],
  [
    "a player",
    device(["ON_OFF", "VOLUME", "MUTE"], { isOn: true, rcData: { volume: 20, mute: false } }, "X"),
    {
      isOn: true,
      rcData: { type: "MR_RC_DATA", volume: 20, mute: false },
    },
  ],
  ["a sensor", device(["TEMPERATURE"], { temperature: 21 }, "MULTI_SENSOR"), {}],
  ["a lock", device(["LOCK"], { locked: true }, "LOCK"), {}],
];
for (const [what, of, wanted] of now) {
  test(`takes the state of ${what} as it is now`, () => assert.deepEqual(stateNow(of), wanted));
}

test("a cover without a slider of its own gets one", () => {
  const kinds = (values: string[]): readonly string[] =>
    settingsOf(device(values, {})).map(({ kind }) => kind);
  assert.deepEqual(kinds(["BLINDS"]), ["slider"]);
  assert.deepEqual(kinds(["BLINDS", "LIFT"]), ["slider"]);
});

test("puts a value into what is wanted, and takes it out", () => {
  const [volume, mute] = settingsOf(device(["VOLUME", "MUTE"], {}));
  const [power] = settingsOf(device(["ON_OFF"], {}));
  assert.ok(volume && mute && power);
  let wanted = withValue(withValue({ isOn: false }, volume, 10), mute, true);
  assert.deepEqual(wanted, { isOn: false, rcData: { type: "MR_RC_DATA", volume: 10, mute: true } });
  wanted = withValue(wanted, volume, undefined);
  assert.deepEqual(wanted, { isOn: false, rcData: { type: "MR_RC_DATA", mute: true } });
  assert.deepEqual(withValue(wanted, mute, undefined), { isOn: false });
  assert.deepEqual(withValue({ isOn: false }, power, true), { isOn: true });
  assert.deepEqual(withValue({ isOn: false }, power, undefined), {});
});

test("puts a colour in place of a white, and takes it out", () => {
  const colour = { hue: 1, saturation: 0.4 };
  const wanted = withColour({ isOn: true, temperature: 2700 }, colour);
  assert.deepEqual(wanted, { isOn: true, ...colour, colorMode: "hs" });
  assert.deepEqual(withColour(wanted, undefined), { isOn: true });
  assert.deepEqual(withColour({ temperature: 2700, colorMode: "ct" }, undefined), { temperature: 2700 });
});

describe("the presets of a scene", () => {
  const types = new Map([
    ["a", "LIGHT"],
    ["b", "LIGHT"],
    ["c", "POWER_SOCKET"],
    ["d", "LIGHT"],
  ]);
  const typeOf = (id: string): string | undefined => types.get(id);

  test("are one for all devices of a type that want the same", () => {
    const wanted = new Map([
      ["a", { isOn: true, brightness: 0.5 }],
      ["c", { isOn: true }],
      ["b", { brightness: 0.5, isOn: true }],
      ["d", { isOn: true }],
      ["gone", { isOn: true }],
    ]);
    assert.deepEqual(presetsOf(wanted, typeOf), {
      "preset-1": { targetIds: ["a", "b"], state: { brightness: 0.5, isOn: true } },
      "preset-2": { targetIds: ["c"], state: { isOn: true } },
      "preset-3": { targetIds: ["d"], state: { isOn: true } },
    });
    assert.deepEqual(presetsOf(new Map([["a", {}]]), typeOf), {});
  });

  test("become a form and presets again, the later of two first", () => {
    const preset = (id: string, targetIds: string[], state: object) => ({
      type: "PRESET",
      id,
      targetIds,
      state,
    });
    const presets = {
      x: preset("x", ["a", "b"], { type: "L", isOn: true }),
      y: preset("y", ["b"], { type: "L", isOn: false, brightness: 1 }),
    };
    const scene = { id: "s1", name: "Evening", presets, sceneTimes: [] } as unknown as SceneState;
    const draft = sceneDraftOf(scene);
    assert.deepEqual(
      [...draft.wanted],
      [
        ["a", { isOn: true }],
        ["b", { isOn: false, brightness: 1 }],
      ],
    );
    assert.deepEqual(wantedScene({ ...draft, name: " Evening " }, typeOf), {
      id: "s1",
      name: "Evening",
      sceneTimes: [],
      presets: {
        "preset-1": { targetIds: ["a"], state: { isOn: true } },
        "preset-2": { targetIds: ["b"], state: { brightness: 1, isOn: false } },
      },
    });
  });

  test("show what the hub finds wrong with one at each of its devices", () => {
    const scene = wantedScene(
      {
        ...emptyScene,
        wanted: new Map([
          ["a", { isOn: 1 }],
          ["b", { isOn: 1 }],
        ]),
      },
      typeOf,
    );
    const errors = [
      { field: "presets.preset-1.state.isOn", message: "wrong value" },
      { field: "name", message: "a new scene needs a name" },
      { field: "sceneTimes.1.start", message: "no time" },
      { field: "presets", message: "too many" },
      { field: "presets.preset-9.state", message: "unknown" },
    ];
    assert.deepEqual(sceneFaults(errors, scene), {
      name: "a new scene needs a name",
      times: new Map([[1, "no time"]]),
      devices: new Map([
        ["a", "wrong value"],
        ["b", "wrong value"],
      ]),
      others: ["too many", "unknown"],
    });
  });
});
