import { scenario } from "../testdata/scenario.ts";

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

scenario("takes a picture with each camera", "CAMERA_SNAPSHOT", home, [
  { shows: "motion", ...sees(true), commands: both },
  { shows: "it reacts to an edge, not to a level", pass: 600_000 },
  { shows: "the end of motion triggers nothing", ...sees(false) },
  { ...sees(true), commands: both },
  sees(false),
  { shows: "a trigger within the cooldown is ignored", report: { bell: { alert: true } }, pass: 50_000 },
  { shows: "and not kept for later", pass: 20_000 },
  { shows: "a door that opens triggers", report: { gate: { open: true } }, pass: 60_000, commands: both },
  { report: { bell: { alert: false } } },
  { shows: "the doorbell triggers", report: { bell: { alert: true } }, pass: 60_000, commands: both },
  { shows: "a restored state triggers nothing", resync: { yard: { motion: true } } },
  { rule: "off" },
  { report: { gate: { open: false } } },
  { shows: "nothing while the rule is off", report: { gate: { open: true } } },
  { shows: "an open door triggers nothing when the rule is turned on", rule: "on", pass: 60_000 },
]);

scenario(
  "takes several pictures in a row",
  "CAMERA_SNAPSHOT",
  { ...home, extras: { burst: 3, cooldown: 0 } },
  [
    { shows: "the first", ...sees(true), commands: both },
    { shows: "the second", pass: 2000, commands: both },
    { shows: "the third", pass: 2000, commands: both },
    { pass: 60_000 },
    sees(false),
    { shows: "a new trigger starts a new burst", ...sees(true), pass: 2000, commands: both },
    { report: { gate: { open: true } }, commands: both },
    { pass: 2000, commands: both },
    { pass: 2000, commands: both },
    { pass: 60_000 },
  ],
);

scenario(
  "skips pictures that are too late",
  "CAMERA_SNAPSHOT",
  { ...home, extras: { burst: 3, cooldown: 60_000 } },
  [
    { ...sees(true), commands: both },
    { shows: "late: the visitor is gone, it skips", down: 600_000 },
    { shows: "the rest of the burst is skipped too", pass: 60_000 },
    { shows: "the next trigger works", report: { gate: { open: true } }, commands: both },
    { shows: "a little late: the burst goes on", down: 11_000, commands: both },
  ],
);
