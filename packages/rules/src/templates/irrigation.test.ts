import { clock, range } from "../schedule/test-ranges.ts";
import { scenario } from "../testdata/scenario.ts";

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const home = {
  devices: {
    rain: ["MOISTURE", "MOISTURE"],
    soil: ["MULTI_SENSOR", "HUMIDITY"],
    lawn: ["MULTI_SENSOR", "VALVE"],
    beds: ["POWER_SOCKET", "ON_OFF"],
  },
  shown: { lawn: { openPct: 0 } },
  inputs: { wet: ["rain", "soil"] },
  outputs: { valves: ["lawn", "beds"] },
  at: "2026-06-15T05:00:00+03:00",
  extras: { ranges: [range(clock("06:00"), clock("07:00"))] },
} as const;
const [openLawn, closeLawn] = [{ lawn: { openPct: 100 } }, { lawn: { openPct: 0 } }];
const [openBeds, closeBeds] = [{ beds: { isOn: true } }, { beds: { isOn: false } }];

scenario("opens one valve at a time", "IRRIGATION", home, [
  { pass: 59 * minute },
  { shows: "the first one when the range begins", pass: minute, commands: openLawn },
  { pass: 9.9 * minute },
  {
    shows: "the next one when the first closes",
    pass: 0.2 * minute,
    commands: { ...closeLawn, ...openBeds },
  },
  { pass: 10 * minute, commands: closeBeds },
  { shows: "one round in each range", pass: 23 * hour },
  { shows: "the next day again", pass: 40 * minute, commands: openLawn },
]);

scenario("skips the watering when it is wet", "IRRIGATION", home, [
  { report: { rain: { moisture: true } }, pass: 2 * hour },
  { report: { rain: { moisture: false }, soil: { humidity: 60 } }, pass: 24 * hour },
  { report: { soil: { humidity: 59.9 } }, pass: 23 * hour + 5 * minute, commands: openLawn },
  { shows: "an open valve keeps its time", report: { rain: { moisture: true } }, pass: 4 * minute },
  { shows: "the rest of the round is skipped", pass: hour, commands: closeLawn },
  {
    shows: "an unreachable sensor is left out",
    report: { rain: { reachable: false } },
    pass: 23 * hour,
    commands: openLawn,
  },
]);

scenario(
  "closes its valve when the range ends",
  "IRRIGATION",
  { ...home, extras: { ranges: [range(clock("06:00"), clock("06:15"))] } },
  [
    { pass: 65 * minute, commands: openLawn },
    { pass: 8 * minute, commands: { ...closeLawn, ...openBeds } },
    { pass: minute },
    { shows: "the range ends", pass: 2 * minute, commands: closeBeds },
    { pass: 22 * hour },
  ],
);

scenario(
  "finishes the round of a range without an end",
  "IRRIGATION",
  { ...home, extras: { ranges: [range(clock("06:00"), null)], perValve: 30 * minute } },
  [
    { pass: 80 * minute, commands: openLawn },
    { pass: 20 * minute, commands: { ...closeLawn, ...openBeds } },
    { pass: 30 * minute, commands: closeBeds },
    { pass: 22 * hour },
  ],
);

const often = [range(clock("06:00"), null), range(clock("09:00"), null), range(clock("12:00"), null)];
scenario(
  "waters a valve for maxPerDay at most",
  "IRRIGATION",
  { ...home, outputs: { valves: ["lawn"] }, extras: { ranges: often, maxPerDay: 15 * minute } },
  [
    { pass: hour, commands: openLawn },
    { pass: 10 * minute, commands: closeLawn },
    { pass: 170 * minute, commands: openLawn },
    { shows: "what is left of the day's time", pass: 5.1 * minute, commands: closeLawn },
    { pass: 20 * hour },
    { shows: "the next day has its full time", pass: 55 * minute, commands: openLawn },
  ],
);

scenario("closes any valve after 30 minutes", "IRRIGATION", home, [
  { report: openLawn, pass: 29 * minute },
  { shows: "even if somebody else opened or holds it", pass: minute, commands: closeLawn },
  { user: openBeds, pass: 10 * minute },
  { user: closeBeds },
  { user: openBeds, pass: 10 * minute },
  { shows: "one at a time: the round waits", pass: 9.9 * minute },
  {
    shows: "30 min after it was opened; then the round goes on",
    pass: 10.2 * minute,
    commands: { ...closeBeds, ...openLawn },
  },
]);

scenario(
  "counts the half hour of each opening on its own",
  "IRRIGATION",
  { ...home, at: "2026-06-15T12:00:00+03:00" },
  [
    { report: openLawn, pass: 20 * minute },
    { report: openBeds, pass: 5 * minute },
    { report: closeLawn, pass: 24 * minute },
    { pass: minute, commands: closeBeds },
    { report: openLawn, pass: 20 * minute },
    { report: openBeds, pass: 10 * minute, commands: closeLawn },
    { pass: 20 * minute, commands: closeBeds },
  ],
);

scenario("waits for a valve that somebody opened by hand", "IRRIGATION", home, [
  { pass: 59.9 * minute },
  { report: openBeds, pass: 5 * minute },
  {
    shows: "the valve is closed: the round begins with the other one",
    report: closeBeds,
    commands: openLawn,
  },
  {
    shows: "closed by hand: the next valve's turn, which is still held",
    report: closeLawn,
    suppressed: ["beds"],
  },
  { pass: 10 * minute, commands: closeBeds },
  { pass: hour },
]);

scenario("repeats the command to a valve that does not close", "IRRIGATION", { ...home, dead: ["lawn"] }, [
  { report: openLawn, pass: 30 * minute, commands: closeLawn },
  {
    shows: "again each minute, with one warning",
    pass: minute,
    commands: closeLawn,
    alarms: ["VALVE_STUCK lawn"],
  },
  { pass: minute, commands: closeLawn },
  { report: closeLawn, alarms: ["-VALVE_STUCK lawn"] },
  { pass: 10 * minute },
]);

scenario("closes its own valve when it goes off", "IRRIGATION", home, [
  { pass: 65 * minute, commands: openLawn },
  { shows: "the rule's valve closes", rule: "off", commands: closeLawn },
  { pass: 20 * minute },
  { shows: "no new round within a range that has begun", rule: "on", pass: hour },
  { report: openBeds },
  { shows: "a valve that others opened stays open", rule: "off", pass: 2 * hour },
  { report: closeBeds, rule: "on" },
  { rule: "off" },
]);

scenario("skips a late start but not a late end", "IRRIGATION", home, [
  { shows: "a late start is skipped", down: 62 * minute, pass: 2 * hour },
  { pass: 22 * hour, commands: openLawn },
  {
    shows: "a late end closes the valve",
    down: 10 * minute + 30 * second,
    commands: { ...closeLawn, ...openBeds },
  },
  { shows: "also when the range ended meanwhile", down: 3 * hour, commands: closeBeds },
]);
