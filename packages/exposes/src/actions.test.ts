import assert from "node:assert/strict";
import test from "node:test";
import { actionsOf } from "./actions.ts";

function labels(...actions: readonly string[]): readonly string[] {
  return actionsOf(actions).buttons.map(({ id, label }) => `${id} ${label}`);
}

/** Each action of a remote with its key and modifiers; null for none. */
type Presses = Readonly<Record<string, readonly (number | string)[] | null>>;

const remotes: readonly (readonly [name: string, buttons: readonly string[], presses: Presses])[] = [
  [
    "maps a dimmer with standard commands",
    ["1 On", "2 Brighter", "3 Darker", "4 Off"],
    {
      on: [1],
      off: [4],
      brightness_move_up: [2, "longpress"],
      brightness_move_down: [3, "longpress"],
      brightness_step_up: [2],
      brightness_step_down: [3],
      brightness_stop: [2, "longpress", "stop"],
    },
  ],
  [
    "maps a remote that reports both the key going down and the press",
    ["1 On", "2 Brighter", "3 Darker", "4 Off"],
    {
      on_press: null,
      on_press_release: [1],
      on_hold: [1, "longpress"],
      on_hold_release: [1, "longpress", "stop"],
      up_press: null,
      up_press_release: [2],
      down_press_release: [3],
      off_press_release: [4],
    },
  ],
  [
    "maps five keys in a ring",
    ["2 Brighter", "3 Darker", "5 Toggle", "6 Left", "7 Right"],
    {
      toggle: [5],
      toggle_hold: [5, "longpress"],
      brightness_up_click: [2],
      brightness_up_hold: [2, "longpress"],
      brightness_up_release: [2, "longpress", "stop"],
      brightness_down_click: [3],
      arrow_left_click: [6],
      arrow_left_hold: [6, "longpress"],
      arrow_right_release: [7, "longpress", "stop"],
    },
  ],
  [
    "maps a single button",
    ["1 Button"],
    {
      single: [1],
      double: [1, "double"],
      triple: [1, "triple"],
      hold: [1, "longpress"],
      release: [1, "longpress", "stop"],
      many: [1, "many"],
    },
  ],
  [
    "maps numbered keys",
    ["301 Button 1", "302 Button 2"],
    {
      "1_single": [301],
      "1_double": [301, "double"],
      "2_hold": [302, "longpress"],
      button_2_release: [302, "longpress", "stop"],
      single_1: [301],
    },
  ],
  [
    "maps rows of keys",
    ["1 On", "4 Off", "1001 On 2", "1004 Off 2"],
    { on_1: [1], off_1: [4], on_l2: [1001], off_s2: [1004] },
  ],
  ["maps scenes", ["23 Scene 3", "30 Scene 10"], { recall_3: [23], scene_10: [30] }],
  [
    "maps keys that only report going down",
    ["6 Left"],
    { left_press: [6], left_long_press: [6, "longpress"], left_long_release: [6, "longpress", "stop"] },
  ],
  [
    "maps a keypad",
    ["14 Disarm", "17 Arm all", "18 Panic"],
    { disarm: [14], arm_all_zones: [17], panic: [18] },
  ],
  ["maps keys for blinds", ["10 Open", "11 Close", "12 Stop"], { open: [10], close: [11], stop: [12] }],
];

for (const [name, buttons, presses] of remotes) {
  test(name, () => {
    const actions = actionsOf(Object.keys(presses));
    assert.deepEqual(
      actions.buttons.map(({ id, label }) => `${id} ${label}`),
      buttons,
    );
    for (const [action, expected] of Object.entries(presses)) {
      const press = actions.pressOf(action, {});
      assert.deepEqual(press ? [press.button, ...press.modifiers] : null, expected, action);
    }
  });
}

test("derives ids from names, independent of their order and of other names", () => {
  const names = ["shake", "slide", "flip90", "side_up"];
  const ids = labels(...names);
  assert.deepEqual(labels(...names.toReversed()), ids);
  assert.deepEqual(
    labels("slide"),
    ids.filter((label) => label.endsWith("Slide")),
  );
  assert.equal(new Set(ids).size, 4);
});

test("a release belongs to the key that was held", () => {
  const { pressOf } = actionsOf(["brightness_move_up", "brightness_move_down", "brightness_stop"]);
  assert.equal(pressOf("brightness_stop", { button: 3 })?.button, 3);
});

test("a star stands for any scene", () => {
  const actions = actionsOf(["recall_*"]);
  assert.deepEqual(actions.buttons.length, 6);
  assert.deepEqual(actions.pressOf("recall_9", {}), { button: 29, modifiers: [] });
});

test("ignores anything that is not an action", () => {
  const { pressOf } = actionsOf(["on"]);
  for (const action of [undefined, null, {}, "off", "__proto__", ""])
    assert.equal(pressOf(action, {}), undefined);
});
