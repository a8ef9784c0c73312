import { scenario } from "../test-scenario.ts";

const home = {
  devices: {
    yard: ["MULTI_SENSOR", "MOTION"],
    gate: ["CONTACT", "CONTACT"],
    bell: ["DOORBELL", "DOORBELL"],
    front: ["CAMERA", "RECORD_VIDEO"],
    back: ["CAMERA", "LIVE_FEED"],
  },
  inputs: { trigger: ["yard", "gate", "bell"] },
  outputs: { cameras: ["front", "back"] },
} as const;

const both = { front: {}, back: {} };
const sees = (motion: boolean) => ({ report: { yard: { motion } } });

scenario("a picture of each camera", "CAMERA_SNAPSHOT", home, [
  { shows: "motion", ...sees(true), commands: both },
  { shows: "an edge, not a level", pass: 600_000 },
  { shows: "what ends is no trigger", ...sees(false) },
  { ...sees(true), commands: both },
  sees(false),
  { shows: "cooldown", report: { bell: { alert: true } }, pass: 50_000 },
  { shows: "no trigger is kept for later", pass: 20_000 },
  { shows: "door", report: { gate: { open: true } }, pass: 60_000, commands: both },
  { report: { bell: { alert: false } } },
  { shows: "doorbell", report: { bell: { alert: true } }, pass: 60_000, commands: both },
  { shows: "what is known again after a start is no edge", resync: { yard: { motion: true } } },
  { rule: "off" },
  { report: { gate: { open: false } } },
  { shows: "off", report: { gate: { open: true } } },
  { shows: "C2: an open door is no edge when the rule comes on", rule: "on", pass: 60_000 },
]);

scenario("burst", "CAMERA_SNAPSHOT", { ...home, extras: { burst: 3, cooldown: 0 } }, [
  { shows: "the first", ...sees(true), commands: both },
  { shows: "the second", pass: 2000, commands: both },
  { shows: "the third", pass: 2000, commands: both },
  { pass: 60_000 },
  sees(false),
  { shows: "a new trigger begins anew", ...sees(true), pass: 2000, commands: both },
  { report: { gate: { open: true } }, commands: both },
  { pass: 2000, commands: both },
  { pass: 2000, commands: both },
  { pass: 60_000 },
]);

scenario("late", "CAMERA_SNAPSHOT", { ...home, extras: { burst: 3, cooldown: 60_000 } }, [
  { ...sees(true), commands: both },
  { shows: "S: nobody is there any more", down: 600_000 },
  { shows: "nor for the rest of the burst", pass: 60_000 },
  { shows: "and the next one is taken", report: { gate: { open: true } }, commands: both },
  { shows: "S: not so late", down: 11_000, commands: both },
]);
