import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: {
    remote: ["REMOTE_CONTROL", "REMOTE_CONTROL"],
    bob: ["UI_DEVICE", "USER_PRESENCE"],
    eve: ["UI_DEVICE", "USER_PRESENCE"],
    door: ["CONTACT", "CONTACT"],
    lamp: ["LIGHT", "ON_OFF"],
    iron: ["POWER_SOCKET", "ON_OFF"],
    fridge: ["POWER_SOCKET", "ON_OFF"],
  },
  inputs: { trigger: ["remote", "bob", "eve", "door"] },
  outputs: { devices: ["lamp", "iron"] },
  shown: { lamp: { isOn: true }, iron: { isOn: true }, fridge: { isOn: true }, door: { open: true } },
} as const;
const off = { isOn: false };
const on = { isOn: true };
const allOff = { lamp: off, iron: off };

scenario("turns its devices off at each trigger, and no others", "ALL_OFF", home, [
  { shows: "trigger edge: the door is closed", report: { door: { open: false } }, commands: allOff },
  { user: { lamp: on } },
  { shows: "not when it opens", report: { door: { open: true } } },
  { shows: "a restored state triggers nothing", resync: { door: { open: false } } },
  { shows: "one user leaves, one is at home", report: { bob: { reachable: false } } },
  {
    shows: "the last leaves; what a person has turned on goes off too",
    report: { eve: { reachable: false } },
    commands: { lamp: off },
  },
  { user: { iron: on } },
  { shows: "a user who comes home does not trigger", report: { eve: { reachable: true } } },
  { shows: "of four keys only the last is the off key", report: { remote: { button: 1, modifiers: [] } } },
  { report: { remote: { button: 4, modifiers: [] } }, commands: { iron: off } },
  { user: { iron: on } },
  {
    shows: "a released key does not count as a press",
    report: { remote: { button: 4, modifiers: ["stop"] } },
  },
  { shows: "a restored press does not trigger", resync: { remote: { button: 4, modifiers: [] } } },
  {
    shows: "every press triggers",
    report: { remote: { button: 4, modifiers: [] } },
    commands: { iron: off },
  },
  { user: { iron: on } },
  { shows: "rule off", rule: "off" },
  { report: { remote: { button: 4, modifiers: [] } } },
]);

const delayed = { ...home, extras: { delay: 60_000 } };

scenario("turns everything off after the delay", "ALL_OFF", delayed, [
  { report: { door: { open: false } } },
  { pass: 50_000 },
  { shows: "a new trigger restarts the delay", report: { remote: { button: 4, modifiers: [] } } },
  { pass: 59_000 },
  { pass: 1000, commands: allOff },
  { user: { lamp: on } },
  { report: { bob: { reachable: false } } },
  { report: { eve: { reachable: false } } },
  { pass: 60_000, commands: { lamp: off } },
  { user: { lamp: on } },
  { report: { bob: { reachable: true } } },
  { report: { bob: { reachable: false } } },
  { pass: 30_000 },
  { shows: "a user who comes back cancels it", report: { bob: { reachable: true } } },
  { pass: 600_000 },
  { report: { door: { open: true } } },
  { report: { door: { open: false } } },
  { shows: "rule off cancels", rule: "off" },
  { pass: 600_000 },
]);

scenario("does not take a remote control that comes back for a user", "ALL_OFF", delayed, [
  { report: { remote: { button: 4, modifiers: [] } } },
  { report: { remote: { reachable: false } } },
  { shows: "a reachable remote does not cancel the delay", report: { remote: { reachable: true } } },
  { pass: 60_000, commands: allOff },
]);

scenario("carries out a late delay for 10 minutes after it was due", "ALL_OFF", delayed, [
  { report: { door: { open: false } } },
  { shows: "up to 10 minutes late: fires", down: 600_000, commands: allOff },
  { user: { lamp: on } },
  { report: { door: { open: true } } },
  { report: { door: { open: false } } },
  { shows: "later than that: skipped", down: 661_000 },
  { pass: 600_000 },
  { report: { door: { open: true } } },
  { shows: "the next trigger works again", report: { door: { open: false } } },
  { pass: 60_000, commands: allOff },
]);
