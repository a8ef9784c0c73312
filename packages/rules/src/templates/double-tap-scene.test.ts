import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: { remote: ["REMOTE_CONTROL", "REMOTE_CONTROL"], wall: ["LIGHT", "ON_OFF"] },
  inputs: { button: ["remote", "wall"] },
  scenes: ["cosy"],
  extras: { scene: "cosy" },
} as const;
const one = { remote: { button: 1, modifiers: [] } };
const other = { remote: { button: 2, modifiers: [] } };

scenario("turns the scene on at two presses within half a second", "DOUBLE_TAP_SCENE", home, [
  { report: one, pass: 200 },
  { shows: "n presses inside window: scene on", report: one, turned: { cosy: true } },
  { shows: "the next press is a first one", report: one, pass: 480 },
  { shows: "a press on the edge of the window", report: one, turned: { cosy: true } },
  { report: one, pass: 600 },
  { shows: "the second press is too late", report: one, pass: 100 },
  { shows: "a press of another button", report: other, pass: 100 },
  { shows: "breaks the series", report: one, pass: 100 },
  { shows: "a long press", report: { remote: { button: 1, modifiers: ["longpress"] } }, pass: 100 },
  { shows: "a release", report: { remote: { button: 1, modifiers: ["stop"] } }, pass: 300 },
  { shows: "a restored press", resync: one, pass: 600 },
  { resync: one, pass: 100 },
  { shows: "none of these counts as a press", report: one, pass: 100 },
  { report: one, pass: 1000, turned: { cosy: true } },
  { shows: "a switch that a person toggles at the wall", report: { wall: { isOn: true } }, pass: 200 },
  { report: { wall: { isOn: false } }, turned: { cosy: true }, pass: 1000 },
  { shows: "a commanded change does not count as a press", user: { wall: { isOn: true } } },
  { user: { wall: { isOn: false } } },
  { pass: 1000 },
  { report: one },
  { shows: "rule off forgets the first press", rule: "off" },
  { report: one },
  { rule: "on" },
  { report: one, pass: 100 },
  { report: one, turned: { cosy: true } },
]);

scenario(
  "counts as many presses as the rule asks for",
  "DOUBLE_TAP_SCENE",
  { ...home, extras: { ...home.extras, taps: 3 } },
  [
    { report: one, pass: 200 },
    { report: one, pass: 200 },
    { report: one, pass: 200, turned: { cosy: true } },
    { report: one, pass: 200 },
    { report: one, pass: 400 },
    { shows: "all presses must fall within the window", report: one },
    { pass: 50 },
    { report: one, turned: { cosy: true } },
  ],
);
