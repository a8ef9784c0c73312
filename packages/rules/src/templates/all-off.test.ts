import { scenario } from "../test-scenario.ts";

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

scenario("each edge turns all off, and nothing else", "ALL_OFF", home, [
  { shows: "trigger edge: the door is closed", report: { door: { open: false } }, commands: allOff },
  { user: { lamp: on } },
  { shows: "not when it opens", report: { door: { open: true } } },
  { shows: "not by what is restored", resync: { door: { open: false } } },
  { shows: "one leaves, one is at home", report: { bob: { reachable: false } } },
  {
    shows: "the last leaves; what a person has turned on goes off too",
    report: { eve: { reachable: false } },
    commands: { lamp: off },
  },
  { user: { iron: on } },
  { shows: "not when one comes home", report: { eve: { reachable: true } } },
  { shows: "the off key: the last of four", report: { remote: { button: 1, modifiers: [] } } },
  { report: { remote: { button: 4, modifiers: [] } }, commands: { iron: off } },
  { user: { iron: on } },
  { shows: "letting go is no press", report: { remote: { button: 4, modifiers: ["stop"] } } },
  { shows: "what it restores is no press", resync: { remote: { button: 4, modifiers: [] } } },
  { shows: "each press is one", report: { remote: { button: 4, modifiers: [] } }, commands: { iron: off } },
  { user: { iron: on } },
  { shows: "rule off", rule: "off" },
  { report: { remote: { button: 4, modifiers: [] } } },
]);

const delayed = { ...home, extras: { delay: 60_000 } };

scenario("after the delay", "ALL_OFF", delayed, [
  { report: { door: { open: false } } },
  { pass: 50_000 },
  { shows: "a trigger meanwhile begins the delay anew", report: { remote: { button: 4, modifiers: [] } } },
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
  { shows: "whoever comes back keeps things as they are", report: { bob: { reachable: true } } },
  { pass: 600_000 },
  { report: { door: { open: true } } },
  { report: { door: { open: false } } },
  { shows: "rule off cancels", rule: "off" },
  { pass: 600_000 },
]);

scenario("a remote control that comes back", "ALL_OFF", delayed, [
  { report: { remote: { button: 4, modifiers: [] } } },
  { report: { remote: { reachable: false } } },
  { shows: "is not somebody who comes home", report: { remote: { reachable: true } } },
  { pass: 60_000, commands: allOff },
]);

scenario("S 10 min: a delay that ended while the hub was down", "ALL_OFF", delayed, [
  { report: { door: { open: false } } },
  { shows: "counts for ten minutes", down: 600_000, commands: allOff },
  { user: { lamp: on } },
  { report: { door: { open: true } } },
  { report: { door: { open: false } } },
  { shows: "and no longer", down: 661_000 },
  { pass: 600_000 },
  { report: { door: { open: true } } },
  { shows: "the next edge counts again", report: { door: { open: false } } },
  { pass: 60_000, commands: allOff },
]);
