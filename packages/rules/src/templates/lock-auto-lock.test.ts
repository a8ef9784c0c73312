import { scenario } from "../test-scenario.ts";

const home = {
  devices: { bolt: ["MULTI_SENSOR", "LOCK"], reed: ["CONTACT", "CONTACT"] },
  inputs: { door: ["reed"] },
  outputs: { lock: ["bolt"] },
  shown: { bolt: { locked: true }, reed: { open: false } },
} as const;

const lock = { bolt: { locked: true } };
const unlocked = { report: { bolt: { locked: false } } };
const open = (isOpen: boolean) => ({ report: { reed: { open: isOpen } } });

scenario("it locks again", "LOCK_AUTO_LOCK", home, [
  { shows: "locked", pass: 3_600_000 },
  { shows: "unlocked by hand", ...unlocked, pass: 299_000 },
  { shows: "unlocked & closed for after: LOCK, manual hold or not", pass: 1000, commands: lock },
  { shows: "unlocked by a person's command", user: { bolt: { locked: false } }, pass: 200_000 },
  { shows: "open: wait", ...open(true), pass: 3_600_000 },
  { shows: "the time begins when it is closed", ...open(false), pass: 299_000 },
  { pass: 1000, commands: lock },
  { ...unlocked, pass: 200_000 },
  { shows: "locked by hand in time", user: { bolt: { locked: true } }, pass: 3_600_000 },
  { ...unlocked, pass: 10_000 },
  {
    shows: "a door that nobody can tell of is not closed",
    report: { reed: { reachable: false } },
    pass: 600_000,
  },
  { report: { reed: { reachable: true } }, pass: 299_000 },
  { pass: 1000, commands: lock },
  unlocked,
  { shows: "C4", rule: "off", pass: 3_600_000 },
  { shows: "C2", rule: "on", pass: 300_000, commands: lock },
]);

scenario(
  "not confirmed",
  "LOCK_AUTO_LOCK",
  { ...home, dead: ["bolt"], extras: { after: 60_000, retry: 2 } },
  [
    { ...unlocked, pass: 60_000, commands: lock },
    { pass: 14_000 },
    { shows: "retry", pass: 1000, commands: lock },
    { shows: "not against an open door", ...open(true), pass: 60_000 },
    { ...open(false), pass: 60_000, commands: lock },
    { pass: 15_000, commands: lock },
    { pass: 15_000, commands: lock },
    { shows: "not confirmed after retries: warn", pass: 15_000, alarms: ["LOCK_FAILED bolt"] },
    { pass: 3_600_000 },
    { shows: "locked by hand", report: { bolt: { locked: true } }, alarms: ["-LOCK_FAILED bolt"] },
  ],
);

scenario("late, without a door sensor", "LOCK_AUTO_LOCK", { ...home, inputs: {} }, [
  { shows: "the door counts for nothing", report: { bolt: { locked: false }, reed: { open: true } } },
  { shows: "V", down: 3_600_000, commands: lock },
  unlocked,
  { shows: "gone when it is due", report: { bolt: { reachable: false } }, pass: 600_000 },
  { report: { bolt: { reachable: true } }, pass: 300_000, commands: lock },
]);
