import { scenario } from "../testdata/scenario.ts";

const [second, minute] = [1000, 60_000];
const home = {
  devices: {
    phase1: ["MULTI_SENSOR", "ACTIVE_POWER"],
    phase2: ["MULTI_SENSOR", "MEASURE_POWER"],
    sauna: ["POWER_SOCKET", "ON_OFF"],
    car: ["POWER_SOCKET", "ON_OFF"],
    boiler: ["POWER_SOCKET", "ON_OFF"],
  },
  inputs: { meter: ["phase1", "phase2"] },
  outputs: { loads: ["car", "sauna", "boiler"] },
  shown: { sauna: { isOn: false }, car: { isOn: true }, boiler: { isOn: true } },
  extras: { limitW: 5000 },
} as const;
const [off, on] = [{ isOn: false }, { isOn: true }];

scenario("sheds loads and restores them", "POWER_OVERLOAD", home, [
  { shows: "at the limit is not over the limit", report: { phase1: { power: 5000 } }, pass: minute },
  { report: { phase1: { power: 5001 } }, pass: 9 * second },
  { shows: "below the limit again: forMs starts over", report: { phase1: { power: 4900 } } },
  {
    shows: "each meter counts on its own, not their sum",
    report: { phase2: { activePower: 5001 } },
    pass: 9.9 * second,
  },
  {
    shows: "after forMs the first load of the list goes off",
    pass: second,
    commands: { car: off },
    alarms: ["LOAD_SHED"],
  },
  { pass: 8 * second },
  {
    shows: "one load per 10 s in list order; a load that is off is left out",
    pass: 2 * second,
    commands: { boiler: off },
    alarms: ["LOAD_SHED"],
  },
  { report: { phase2: { activePower: 4000 } }, pass: 10 * minute },
  {
    shows: "0.8 of the limit is not below restoreBelow",
    report: { phase1: { power: 4000 } },
    pass: 10 * minute,
  },
  { report: { phase1: { power: 3999 }, phase2: { activePower: 3999 } }, pass: 9 * second },
  { shows: "loads come back in reverse order", pass: second, commands: { boiler: on } },
  {
    shows: "too much power to restore the other load",
    report: { phase1: { power: 4500 } },
    pass: 10 * minute,
  },
  {
    shows: "the last load comes back",
    report: { phase1: { power: 1000 } },
    pass: 10 * second,
    commands: { car: on },
    alarms: ["-LOAD_SHED"],
  },
  { pass: 60 * minute },
]);

scenario("keeps a load off for minOff", "POWER_OVERLOAD", { ...home, extras: { limitW: 5000, forMs: 0 } }, [
  { report: { phase1: { power: 6000 } }, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { report: { phase1: { power: 1000 } }, pass: 299 * second },
  { shows: "off for five minutes", pass: second, commands: { car: on }, alarms: ["-LOAD_SHED"] },
  { report: { phase1: { power: 6000 } }, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { report: { phase1: { power: 1000 } }, pass: 4 * minute },
  {
    shows: "it does not come back while too much power is drawn",
    report: { phase1: { power: 4000 } },
    pass: 10 * minute,
  },
]);

scenario("warns once when no load is left to shed", "POWER_OVERLOAD", home, [
  { report: { phase1: { power: 6000 } }, pass: 10 * second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { pass: 10 * second, commands: { boiler: off }, alarms: ["LOAD_SHED"] },
  { shows: "it warns", pass: 10 * second, alarms: ["POWER_OVERLOAD"] },
  { pass: 10 * minute },
  {
    shows: "a load that goes on goes off again at once",
    report: { sauna: on, phase1: { power: 9000 } },
    commands: { sauna: off },
    alarms: ["LOAD_SHED"],
  },
  { shows: "no second warning", pass: 10 * second },
  { report: { phase1: { power: 4900 } }, alarms: ["-POWER_OVERLOAD"] },
  { shows: "somebody turns a load on again", user: { car: on } },
  { report: { phase1: { power: 6000 } }, pass: 10 * second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { report: { phase1: { power: 100 } }, pass: 299 * second },
  {
    shows: "back in the reverse of the order in which they went off",
    pass: 2 * second,
    commands: { car: on },
  },
  { pass: 10 * second, commands: { sauna: on } },
  { pass: 10 * second, commands: { boiler: on }, alarms: ["-LOAD_SHED"] },
]);

scenario("repeats the command to a load that does not go off", "POWER_OVERLOAD", { ...home, dead: ["car"] }, [
  { report: { phase1: { power: 6000 } }, pass: 10 * second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { shows: "the next load", pass: 10 * second, commands: { boiler: off }, alarms: ["LOAD_SHED"] },
  { pass: 10 * second, alarms: ["POWER_OVERLOAD"] },
  { pass: 59 * second },
  { shows: "the command is repeated every minute", pass: second, commands: { car: off } },
  { pass: minute, commands: { car: off } },
  { report: { phase1: { power: 4500 } }, alarms: ["-POWER_OVERLOAD"] },
]);

scenario("sheds loads that a person holds", "POWER_OVERLOAD", home, [
  { user: { car: off, sauna: on } },
  { user: { car: on } },
  { report: { phase1: { power: 6000 } }, pass: 10 * second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { pass: 10 * second, commands: { sauna: off }, alarms: ["LOAD_SHED"] },
]);

scenario("waits while its meters are out of reach", "POWER_OVERLOAD", home, [
  { report: { phase1: { power: 6000 } }, pass: 5 * second },
  { shows: "all meters unknown: no action", report: { phase1: { reachable: false } }, pass: minute },
  {
    report: { phase1: { reachable: true } },
    pass: 10 * second,
    commands: { car: off },
    alarms: ["LOAD_SHED"],
  },
  { shows: "no load comes back either", report: { phase1: { reachable: false } }, pass: 60 * minute },
]);

scenario("leaves its loads as they are when it goes off", "POWER_OVERLOAD", home, [
  { report: { phase1: { power: 6000 } }, pass: 10 * second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  {
    shows: "outputs stay as they are, timers are cancelled",
    rule: "off",
    pass: 60 * minute,
    alarms: ["-LOAD_SHED"],
  },
  { report: { phase1: { power: 100 } }, pass: 60 * minute },
  { report: { phase1: { power: 6000 } } },
  {
    shows: "evaluated on rule.on",
    rule: "on",
    pass: 10 * second,
    commands: { boiler: off },
    alarms: ["LOAD_SHED"],
  },
]);

scenario("catches up on late timers", "POWER_OVERLOAD", home, [
  { report: { phase1: { power: 6000 } } },
  { shows: "late: fires at the start", down: minute, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { shows: "a level rule: a restored state counts", resync: { phase1: { power: 500 } } },
  { down: 10 * minute, commands: { car: on }, alarms: ["-LOAD_SHED"] },
]);

const third = { ...home.devices, phase3: ["MULTI_SENSOR", "MEASURE_POWER"] } as const;
const summed = {
  ...home,
  devices: third,
  inputs: { meter: ["phase1", "phase2", "phase3"] },
  extras: { limitW: 5000, sum: true },
} as const;

scenario("limits the sum of all meters", "POWER_OVERLOAD", summed, [
  { report: { phase1: { power: 2000 }, phase2: { activePower: 2000 } }, pass: minute },
  { shows: "at the limit is not over the limit", report: { phase3: { activePower: 1000 } }, pass: minute },
  {
    shows: "together over the limit, though no single meter is",
    report: { phase3: { activePower: 1001 } },
    pass: 10 * second,
    commands: { car: off },
    alarms: ["LOAD_SHED"],
  },
  {
    shows: "below the limit, but not below restoreBelow",
    report: { phase1: { power: 1000 } },
    pass: 10 * minute,
  },
  { shows: "power fed in by one phase counts", report: { phase2: { activePower: -500 } } },
  { pass: 10 * second, commands: { car: on }, alarms: ["-LOAD_SHED"] },
]);

scenario("limits the sum while a meter is out of reach", "POWER_OVERLOAD", summed, [
  { report: { phase1: { power: 3000 }, phase2: { activePower: 1000 } }, pass: minute },
  {
    report: { phase3: { activePower: 1500 } },
    pass: 10 * second,
    commands: { car: off },
    alarms: ["LOAD_SHED"],
  },
  {
    shows: "the sum is unknown: no load comes back",
    report: { phase3: { reachable: false } },
    pass: 60 * minute,
  },
  {
    shows: "the other meters alone are over the limit",
    report: { phase1: { power: 4500 } },
    pass: 10 * second,
    commands: { boiler: off },
    alarms: ["LOAD_SHED"],
  },
  { report: { phase1: { power: 100 } }, pass: 60 * minute },
  { report: { phase3: { reachable: true } }, pass: 10 * second, commands: { boiler: on } },
  { pass: 10 * second, commands: { car: on }, alarms: ["-LOAD_SHED"] },
]);
