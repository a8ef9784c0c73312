import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleConfig, World } from "@ledge/model";
import { scenario } from "../testdata/scenario.ts";
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

scenario("turns lights on and off and dims them", "REMOTE_CONTROL", home, [
  { shows: "a restored press does not count", resync: key(1) },
  { shows: "on: ON", report: key(1), commands: all(on) },
  { shows: "up: level + step from the brightest", report: key(2), commands: bothAt(0.6) },
  { report: key(2), commands: bothAt(0.8) },
  { report: key(2), commands: bothAt(1) },
  { shows: "clamp at 1", report: key(2) },
  { shows: "down: level - step", report: key(3), commands: bothAt(0.8) },
  { user: { desk: off } },
  { shows: "a light that is off stays off", report: key(3), commands: { lamp: at(0.6) } },
  {
    shows: "a person's change does not hold off a remote control",
    report: key(4),
    commands: { lamp: off, spot: off },
  },
  { shows: "darker while all lights are off: nothing", report: key(3) },
  { report: key(3, "longpress"), pass: 5000 },
  {
    shows: "brighter while all lights are off",
    report: key(2),
    commands: { lamp: { ...on, ...at(0.2) }, desk: { ...on, ...at(0.2) }, spot: on },
  },
  {
    shows: "the key for full brightness",
    report: key(2, "full_on"),
    commands: { lamp: { ...on, ...at(1) }, desk: { ...on, ...at(1) } },
  },
  { shows: "a key without a function", report: key(5) },
  { shows: "a signal goes on", report: { signal: { isOn: true } } },
  { report: { signal: { isOn: false } }, commands: all(off) },
  { report: { knob: { button: 7, modifiers: [] } }, commands: all(on) },
  {
    shows: "a remote control with a single key switches in turn",
    report: { knob: { button: 7, modifiers: [] } },
    commands: all(off),
  },
  { shows: "a restored signal does not count", resync: { signal: { isOn: true } } },
  { shows: "rule off", rule: "off" },
  { report: key(1) },
]);

scenario("dims while a key is held down", "REMOTE_CONTROL", { ...home, extras: { step: 0.05 } }, [
  { report: key(1), commands: all(on) },
  { shows: "the first step at once", report: key(2, "longpress"), commands: bothAt(0.45) },
  { shows: "not before 400 ms", pass: 350 },
  { shows: "repeats every 400 ms", pass: 400, commands: bothAt(0.5) },
  { pass: 400, commands: bothAt(0.55) },
  { shows: "the remote control repeats that the key is down", report: key(2, "longpress") },
  { shows: "another remote control releases its key", report: { knob: { button: 7, modifiers: ["stop"] } } },
  { pass: 400, commands: bothAt(0.6) },
  { shows: "until release", report: key(2, "stop") },
  { pass: 5000 },
  { report: key(3, "longpress"), commands: bothAt(0.55) },
  { pass: 400, commands: bothAt(0.5) },
  { shows: "the other key reverses the direction", report: key(2, "longpress"), commands: bothAt(0.55) },
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
  "ends a held key when the hub was down for longer than 2 s",
  "REMOTE_CONTROL",
  { ...home, extras: { step: 0.05 } },
  [
    { report: key(1), commands: all(on) },
    { report: key(2, "longpress"), commands: bothAt(0.45) },
    { shows: "the hold is over", down: 60_000 },
    { pass: 60_000 },
    { shows: "the next hold works", report: key(2, "longpress"), commands: bothAt(0.5) },
    { pass: 400, commands: bothAt(0.55) },
  ],
);

scenario(
  "does not stop a rule whose keys a person presses very often",
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

scenario("cycles through scenes", "REMOTE_CONTROL", scenes, [
  { report: key(1), turned: { day: true } },
  { report: key(1), turned: { night: true } },
  {
    shows: "after the last scene comes the first",
    report: { knob: { button: 7, modifiers: [] } },
    turned: { day: true },
  },
  { user: { lamp: on } },
  { shows: "the dimming keys still dim", report: key(2), commands: { lamp: at(0.6) } },
  {
    shows: "off: OFF, and the first scene comes next",
    report: key(4),
    commands: { lamp: off, spot: off },
  },
  { report: key(1), turned: { day: true } },
]);

test("REMOTE_CONTROL refuses to cycle through no scenes", () => {
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
