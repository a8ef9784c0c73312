import assert from "node:assert/strict";
import { test } from "node:test";
import type { Press } from "./press.ts";
import { pressOf } from "./press.ts";
import type { View } from "../../machine/view.ts";

/** Returns the press of a remote control whose buttons have these labels, numbered from 1. */
function press(labels: unknown, button: unknown, modifiers: readonly string[] = [], isNews = true) {
  const buttons = Array.isArray(labels) ? labels.map((label, index) => ({ id: index + 1, label })) : labels;
  const device = { id: "remote", buttons, state: { modifiers } };
  const change = { attribute: "button", value: button, isNews, device };
  const found = pressOf({ change } as unknown as View);
  return found && ([found.key, found.how, found.isFull] satisfies [Press["key"], Press["how"], boolean]);
}

test("the function of a key comes from its label, or else from its number", () => {
  const rows: readonly [labels: unknown, keys: readonly (Press["key"] | undefined)[]][] = [
    [
      ["On", "Brighter", "Darker", "Off"],
      ["on", "up", "down", "off", undefined],
    ],
    [
      ["Off", "Scene", "dim UP "],
      ["off", undefined, "up"],
    ],
    [
      ["O", "I", "+", "-", "On/Off"],
      ["off", "on", "up", "down", "toggle"],
    ],
    [
      ["Left", "Right"],
      ["on", "off"],
    ],
    [[""], ["toggle", undefined]],
    [
      ["A", "B", "C"],
      ["toggle", "up", "down"],
    ],
    [["A", "B", "C", "D", "E"], Array.from({ length: 5 })],
    [[], ["on", "up", "down", "off", undefined]],
    [undefined, ["on", "up", "down", "off"]],
    ["nonsense", ["on"]],
  ];
  for (const [labels, keys] of rows) {
    const found = keys.map((_, index) => press(labels, index + 1)?.[0]);
    assert.deepEqual(found, keys, JSON.stringify(labels));
  }
});

test("modifiers tell a press, a hold and its end apart", () => {
  assert.deepEqual(press([], 2), ["up", "press", false]);
  assert.deepEqual(press([], 2, ["longpress"]), ["up", "hold", false]);
  assert.deepEqual(press([], 2, ["longpress", "stop"]), ["up", "release", false]);
  assert.deepEqual(press([], 2, ["full_on"]), ["on", "press", true]);
  assert.deepEqual(press([], 2, ["toggle"]), ["toggle", "press", false]);
});

test("restored values and values that are not numbers are not presses", () => {
  assert.equal(press([], 1, [], false), undefined);
  assert.equal(press([], null), undefined);
  assert.equal(pressOf({} as View), undefined);
});
