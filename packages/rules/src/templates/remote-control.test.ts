import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleConfig, World } from "@ledge/model";
import { scenario } from "../test-scenario.ts";
import { remoteControl } from "./remote-control.ts";

const buttons = ["On", "Brighter", "Darker", "Off"].map((label, index) => ({ id: index + 1, label }));
const home = {
  devices: {
    remote: ["REMOTE_CONTROL", "REMOTE_CONTROL"],
    knob: ["REMOTE_CONTROL", "DIMMER_CONTROL"],
    signal: ["SIGNAL", "SIGNAL"],
    lamp: ["LIGHT", "ON_OFF", "BRIGHTNESS"],
    desk: ["LIGHT", "ON_OFF", "BRIGHTNESS"],
    spot: ["LIGHT", "ON_OFF"],
  },
  described: { remote: { buttons }, knob: { buttons: [{ id: 7, label: "" }] } },
  inputs: { remote: ["remote", "knob", "signal"] },
  outputs: { lights: ["lamp", "desk", "spot"] },
  shown: {
    lamp: { isOn: false, brightness: 0.4 },
    desk: { isOn: false, brightness: 0.1 },
    spot: { isOn: false },
  },
} as const;
const key = (button: number, ...modifiers: string[]) => ({ remote: { button, modifiers } });
const all = (state: object) => ({ lamp: { ...state }, desk: { ...state }, spot: { ...state } });
const on = { isOn: true };
const off = { isOn: false };
const at = (brightness: number) => ({ brightness });
const bothAt = (brightness: number) => ({ lamp: at(brightness), desk: at(brightness) });

scenario("on, off and steps", "REMOTE_CONTROL", home, [
  { shows: "what is restored is no press", resync: key(1) },
  { shows: "on: ON", report: key(1), commands: all(on) },
  { shows: "up: level + step from the brightest", report: key(2), commands: bothAt(0.6) },
  { report: key(2), commands: bothAt(0.8) },
  { report: key(2), commands: bothAt(1) },
  { shows: "clamp at 1", report: key(2) },
  { shows: "down: level - step", report: key(3), commands: bothAt(0.8) },
  { user: { desk: off } },
  { shows: "what is off stays off", report: key(3), commands: { lamp: at(0.6) } },
  {
    shows: "what people have set binds it not: it is a person",
    report: key(4),
    commands: { lamp: off, spot: off },
  },
  { shows: "down while all are off", report: key(3) },
  { report: key(3, "longpress"), pass: 5000 },
  {
    shows: "up while all are off",
    report: key(2),
    commands: { lamp: { ...on, ...at(0.2) }, desk: { ...on, ...at(0.2) }, spot: on },
  },
  {
    shows: "full light",
    report: key(2, "full_on"),
    commands: { lamp: { ...on, ...at(1) }, desk: { ...on, ...at(1) } },
  },
  { shows: "a key that is for nothing", report: key(5) },
  { shows: "a signal that is on", report: { signal: { isOn: true } } },
  { report: { signal: { isOn: false } }, commands: all(off) },
  { report: { knob: { button: 7, modifiers: [] } }, commands: all(on) },
  {
    shows: "one key in turn",
    report: { knob: { button: 7, modifiers: [] } },
    commands: all(off),
  },
  { shows: "a signal that is restored", resync: { signal: { isOn: true } } },
  { shows: "rule off", rule: "off" },
  { report: key(1) },
]);

scenario("a key that is held", "REMOTE_CONTROL", { ...home, extras: { step: 0.05 } }, [
  { report: key(1), commands: all(on) },
  { shows: "at once", report: key(2, "longpress"), commands: bothAt(0.45) },
  { shows: "not before 400 ms", pass: 350 },
  { shows: "repeats every 400 ms", pass: 400, commands: bothAt(0.5) },
  { pass: 400, commands: bothAt(0.55) },
  { shows: "a remote that says so again", report: key(2, "longpress") },
  { shows: "what another one lets go", report: { knob: { button: 7, modifiers: ["stop"] } } },
  { pass: 400, commands: bothAt(0.6) },
  { shows: "until release", report: key(2, "stop") },
  { pass: 5000 },
  { report: key(3, "longpress"), commands: bothAt(0.55) },
  { pass: 400, commands: bothAt(0.5) },
  { shows: "the other key turns round", report: key(2, "longpress"), commands: bothAt(0.55) },
  { report: key(2, "stop") },
  { report: key(3, "longpress"), commands: bothAt(0.5) },
  { shows: "max 5 s", pass: 4600, commands: bothAt(0.01) },
  { shows: "clamp at 0.01", pass: 5000 },
  { report: key(2, "longpress"), commands: bothAt(0.06) },
  { shows: "max 5 s: twelve steps and no more", pass: 60_000, commands: bothAt(0.66) },
  { report: key(2, "longpress"), commands: bothAt(0.71) },
  { shows: "another press ends it", report: key(4), commands: all(off) },
  { pass: 5000 },
  {
    report: key(2, "longpress"),
    commands: { lamp: { ...on, ...at(0.05) }, desk: { ...on, ...at(0.05) }, spot: on },
  },
  { shows: "rule off ends it", rule: "off" },
  { pass: 5000 },
]);

scenario(
  "S 2 s: a hold that a stop of the hub cut off",
  "REMOTE_CONTROL",
  { ...home, extras: { step: 0.05 } },
  [
    { report: key(1), commands: all(on) },
    { report: key(2, "longpress"), commands: bothAt(0.45) },
    { shows: "is over", down: 60_000 },
    { pass: 60_000 },
    { shows: "and the next one counts", report: key(2, "longpress"), commands: bothAt(0.5) },
    { pass: 400, commands: bothAt(0.55) },
  ],
);

scenario(
  "a person who plays with it is not stopped",
  "REMOTE_CONTROL",
  home,
  Array.from({ length: 40 }, (_, index) =>
    index % 2 === 0 ? { report: key(1), commands: all(on) } : { report: key(4), commands: all(off) },
  ),
);

const scenes = {
  ...home,
  scenes: ["day", "night"],
  extras: { mode: "CYCLE_SCENES", scenes: ["day", "night"] },
};

scenario("cycle scenes", "REMOTE_CONTROL", scenes, [
  { report: key(1), turned: { day: true } },
  { report: key(1), turned: { night: true } },
  { shows: "and begins again", report: { knob: { button: 7, modifiers: [] } }, turned: { day: true } },
  { user: { lamp: on } },
  { shows: "up and down dim as ever", report: key(2), commands: { lamp: at(0.6) } },
  {
    shows: "off: OFF, and the first scene comes next",
    report: key(4),
    commands: { lamp: off, spot: off },
  },
  { report: key(1), turned: { day: true } },
]);

test("REMOTE_CONTROL: scenes cannot be gone through where there are none", () => {
  const config = (mode: unknown, ids: readonly string[]) =>
    ({
      extras: {
        mode: [{ type: "OPTION", value: mode }],
        scenes: ids.map((value) => ({ type: "SCENE", value })),
      },
    }) as unknown as RuleConfig;
  const problem = (of: RuleConfig) => remoteControl.check?.(of, {} as World)?.field;
  assert.equal(problem(config("CYCLE_SCENES", [])), "extras.scenes");
  assert.equal(problem(config("CYCLE_SCENES", ["day"])), undefined);
  assert.equal(problem(config("ON_OFF", [])), undefined);
  assert.equal(problem({ extras: {} } as unknown as RuleConfig), undefined);
});
