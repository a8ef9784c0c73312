import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: { bolt: ["MULTI_SENSOR", "LOCK"], reed: ["CONTACT", "CONTACT"] },
  inputs: { door: ["reed"] },
  outputs: { lock: ["bolt"] },
  shown: { bolt: { locked: true }, reed: { open: false } },
} as const;

const lock = { bolt: { locked: true } };
const unlocked = { report: { bolt: { locked: false } } };
const open = (isOpen: boolean) => ({ report: { reed: { open: isOpen } } });

scenario("locks again after the time", "LOCK_AUTO_LOCK", home, [
  { shows: "locked", pass: 3_600_000 },
  { shows: "unlocked by hand", ...unlocked, pass: 299_000 },
  { shows: "unlocked and closed for after: locks, also over a person's hold", pass: 1000, commands: lock },
  { shows: "a person's command unlocked it", user: { bolt: { locked: false } }, pass: 200_000 },
  { shows: "while the door is open it waits", ...open(true), pass: 3_600_000 },
  { shows: "the time begins when the door closes", ...open(false), pass: 299_000 },
  { pass: 1000, commands: lock },
  { ...unlocked, pass: 200_000 },
  { shows: "somebody locks it in time", user: { bolt: { locked: true } }, pass: 3_600_000 },
  { ...unlocked, pass: 10_000 },
  {
    shows: "an unknown door is not a closed one",
    report: { reed: { reachable: false } },
    pass: 600_000,
  },
  { report: { reed: { reachable: true } }, pass: 299_000 },
  { pass: 1000, commands: lock },
  unlocked,
  { shows: "rule off cancels the timers", rule: "off", pass: 3_600_000 },
  { shows: "rule on looks at the lock", rule: "on", pass: 300_000, commands: lock },
]);

scenario(
  "retries and warns when the lock does not confirm",
  "LOCK_AUTO_LOCK",
  { ...home, dead: ["bolt"], extras: { after: 60_000, retry: 2 } },
  [
    { ...unlocked, pass: 60_000, commands: lock },
    { pass: 14_000 },
    { shows: "it retries", pass: 1000, commands: lock },
    { shows: "it does not lock an open door", ...open(true), pass: 60_000 },
    { ...open(false), pass: 60_000, commands: lock },
    { pass: 15_000, commands: lock },
    { pass: 15_000, commands: lock },
    { shows: "no confirmation after all retries: it warns", pass: 15_000, alarms: ["LOCK_FAILED bolt"] },
    { pass: 3_600_000 },
    { shows: "somebody locks it by hand", report: { bolt: { locked: true } }, alarms: ["-LOCK_FAILED bolt"] },
  ],
);

scenario(
  "looks again when its timer is late, without a door sensor",
  "LOCK_AUTO_LOCK",
  { ...home, inputs: {} },
  [
    {
      shows: "the door is not an input of the rule",
      report: { bolt: { locked: false }, reed: { open: true } },
    },
    { shows: "late: looks again", down: 3_600_000, commands: lock },
    unlocked,
    { shows: "unreachable when the time is over", report: { bolt: { reachable: false } }, pass: 600_000 },
    { report: { bolt: { reachable: true } }, pass: 300_000, commands: lock },
  ],
);
