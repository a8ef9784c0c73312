import { clock, range } from "../schedule/test-ranges.ts";
import { scenario } from "../test-scenario.ts";

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

scenario("one at a time", "IRRIGATION", home, [
  { pass: 59 * minute },
  { shows: "the first when the range begins", pass: minute, commands: openLawn },
  { pass: 9.9 * minute },
  { shows: "strictly one at a time", pass: 0.2 * minute, commands: { ...closeLawn, ...openBeds } },
  { pass: 10 * minute, commands: closeBeds },
  { shows: "one round in each range", pass: 23 * hour },
  { shows: "the next day again", pass: 40 * minute, commands: openLawn },
]);

scenario("skip if wet", "IRRIGATION", home, [
  { report: { rain: { moisture: true } }, pass: 2 * hour },
  { report: { rain: { moisture: false }, soil: { humidity: 60 } }, pass: 24 * hour },
  { report: { soil: { humidity: 59.9 } }, pass: 23 * hour + 5 * minute, commands: openLawn },
  { shows: "what is open has its time", report: { rain: { moisture: true } }, pass: 4 * minute },
  { shows: "the rest is skipped", pass: hour, commands: closeLawn },
  {
    shows: "one that cannot be reached is left out",
    report: { rain: { reachable: false } },
    pass: 23 * hour,
    commands: openLawn,
  },
]);

scenario(
  "a range that ends",
  "IRRIGATION",
  { ...home, extras: { ranges: [range(clock("06:00"), clock("06:15"))] } },
  [
    { pass: 65 * minute, commands: openLawn },
    { pass: 8 * minute, commands: { ...closeLawn, ...openBeds } },
    { pass: minute },
    { shows: "it closes with its end", pass: 2 * minute, commands: closeBeds },
    { pass: 22 * hour },
  ],
);

scenario(
  "a start without an end",
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
  "maxPerDay",
  "IRRIGATION",
  { ...home, outputs: { valves: ["lawn"] }, extras: { ranges: often, maxPerDay: 15 * minute } },
  [
    { pass: hour, commands: openLawn },
    { pass: 10 * minute, commands: closeLawn },
    { pass: 170 * minute, commands: openLawn },
    { shows: "what is left of the day", pass: 5.1 * minute, commands: closeLawn },
    { pass: 20 * hour },
    { shows: "the next day anew", pass: 55 * minute, commands: openLawn },
  ],
);

scenario("hard max 30 min per opening", "IRRIGATION", home, [
  { report: openLawn, pass: 29 * minute },
  { shows: "whoever opened it, and though they hold it", pass: minute, commands: closeLawn },
  { user: openBeds, pass: 10 * minute },
  { user: closeBeds },
  { user: openBeds, pass: 10 * minute },
  { shows: "one at a time: the round waits", pass: 9.9 * minute },
  {
    shows: "30 min from when it was opened; then the round goes on",
    pass: 10.2 * minute,
    commands: { ...closeBeds, ...openLawn },
  },
]);

scenario(
  "each opening has a half hour of its own",
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

scenario("somebody waters by hand when a round begins", "IRRIGATION", home, [
  { pass: 59.9 * minute },
  { report: openBeds, pass: 5 * minute },
  { shows: "it goes on when they are done; the hand's valve is held", report: closeBeds, commands: openLawn },
  { shows: "closed by hand: it is the next one's turn", report: closeLawn, suppressed: ["beds"] },
  { pass: 10 * minute, commands: closeBeds },
  { pass: hour },
]);

scenario("a valve that does not close", "IRRIGATION", { ...home, dead: ["lawn"] }, [
  { report: openLawn, pass: 30 * minute, commands: closeLawn },
  {
    shows: "told again each minute, and people are warned once",
    pass: minute,
    commands: closeLawn,
    alarms: ["VALVE_STUCK lawn"],
  },
  { pass: minute, commands: closeLawn },
  { report: closeLawn, alarms: ["-VALVE_STUCK lawn"] },
  { pass: 10 * minute },
]);

scenario("the rule goes off", "IRRIGATION", home, [
  { pass: 65 * minute, commands: openLawn },
  { shows: "what it has opened closes", rule: "off", commands: closeLawn },
  { pass: 20 * minute },
  { shows: "no round within a range", rule: "on", pass: hour },
  { report: openBeds },
  { shows: "what others have opened stays", rule: "off", pass: 2 * hour },
  { report: closeBeds, rule: "on" },
  { rule: "off" },
]);

scenario("late", "IRRIGATION", home, [
  { shows: "a start is skipped", down: 62 * minute, pass: 2 * hour },
  { pass: 22 * hour, commands: openLawn },
  { shows: "but CLOSE fires", down: 10 * minute + 30 * second, commands: { ...closeLawn, ...openBeds } },
  { shows: "F, with the end of the range too", down: 3 * hour, commands: closeBeds },
]);
