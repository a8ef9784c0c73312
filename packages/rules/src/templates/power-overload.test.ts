import { scenario } from "../test-scenario.ts";

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

scenario("sheds and restores", "POWER_OVERLOAD", home, [
  { shows: "the limit is not over the limit", report: { phase1: { power: 5000 } }, pass: minute },
  { report: { phase1: { power: 5001 } }, pass: 9 * second },
  { shows: "below the limit again: forMs begins anew", report: { phase1: { power: 4900 } } },
  {
    shows: "not both together, each for itself",
    report: { phase2: { activePower: 5001 } },
    pass: 9.9 * second,
  },
  { shows: "after forMs the first of the list", pass: second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { pass: 8 * second },
  {
    shows: "one load per 10 s in list order; what is off is left out",
    pass: 2 * second,
    commands: { boiler: off },
    alarms: ["LOAD_SHED"],
  },
  { report: { phase2: { activePower: 4000 } }, pass: 10 * minute },
  { shows: "restoreBelow is not reached by 0.8", report: { phase1: { power: 4000 } }, pass: 10 * minute },
  { report: { phase1: { power: 3999 }, phase2: { activePower: 3999 } }, pass: 9 * second },
  { shows: "restore in reverse", pass: second, commands: { boiler: on } },
  { shows: "too much again for the rest", report: { phase1: { power: 4500 } }, pass: 10 * minute },
  {
    shows: "the last comes back",
    report: { phase1: { power: 1000 } },
    pass: 10 * second,
    commands: { car: on },
    alarms: ["-LOAD_SHED"],
  },
  { pass: 60 * minute },
]);

scenario("minOff", "POWER_OVERLOAD", { ...home, extras: { limitW: 5000, forMs: 0 } }, [
  { report: { phase1: { power: 6000 } }, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { report: { phase1: { power: 1000 } }, pass: 299 * second },
  { shows: "off for five minutes", pass: second, commands: { car: on }, alarms: ["-LOAD_SHED"] },
  { report: { phase1: { power: 6000 } }, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { report: { phase1: { power: 1000 } }, pass: 4 * minute },
  {
    shows: "it does not come back while it is too much",
    report: { phase1: { power: 4000 } },
    pass: 10 * minute,
  },
]);

scenario("nothing is left", "POWER_OVERLOAD", home, [
  { report: { phase1: { power: 6000 } }, pass: 10 * second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { pass: 10 * second, commands: { boiler: off }, alarms: ["LOAD_SHED"] },
  { shows: "people are told once", pass: 10 * second, alarms: ["POWER_OVERLOAD"] },
  { pass: 10 * minute },
  {
    shows: "what comes on goes off at once",
    report: { sauna: on, phase1: { power: 9000 } },
    commands: { sauna: off },
    alarms: ["LOAD_SHED"],
  },
  { shows: "told once", pass: 10 * second },
  { report: { phase1: { power: 4900 } }, alarms: ["-POWER_OVERLOAD"] },
  { shows: "somebody turns one on again", user: { car: on } },
  { report: { phase1: { power: 6000 } }, pass: 10 * second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { report: { phase1: { power: 100 } }, pass: 299 * second },
  { shows: "in reverse of how they went", pass: 2 * second, commands: { car: on } },
  { pass: 10 * second, commands: { sauna: on } },
  { pass: 10 * second, commands: { boiler: on }, alarms: ["-LOAD_SHED"] },
]);

scenario("a load that does not obey", "POWER_OVERLOAD", { ...home, dead: ["car"] }, [
  { report: { phase1: { power: 6000 } }, pass: 10 * second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { shows: "the next one", pass: 10 * second, commands: { boiler: off }, alarms: ["LOAD_SHED"] },
  { pass: 10 * second, alarms: ["POWER_OVERLOAD"] },
  { pass: 59 * second },
  { shows: "it is told again every minute", pass: second, commands: { car: off } },
  { pass: minute, commands: { car: off } },
  { report: { phase1: { power: 4500 } }, alarms: ["-POWER_OVERLOAD"] },
]);

scenario("SAFETY: nobody's wish holds it", "POWER_OVERLOAD", home, [
  { user: { car: off, sauna: on } },
  { user: { car: on } },
  { report: { phase1: { power: 6000 } }, pass: 10 * second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { pass: 10 * second, commands: { sauna: off }, alarms: ["LOAD_SHED"] },
]);

scenario("meters that cannot be reached", "POWER_OVERLOAD", home, [
  { report: { phase1: { power: 6000 } }, pass: 5 * second },
  { shows: "all unknown: no action", report: { phase1: { reachable: false } }, pass: minute },
  {
    report: { phase1: { reachable: true } },
    pass: 10 * second,
    commands: { car: off },
    alarms: ["LOAD_SHED"],
  },
  { shows: "nothing comes back either", report: { phase1: { reachable: false } }, pass: 60 * minute },
]);

scenario("the rule goes off", "POWER_OVERLOAD", home, [
  { report: { phase1: { power: 6000 } }, pass: 10 * second, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { shows: "outputs stay as they are, timers end", rule: "off", pass: 60 * minute, alarms: ["-LOAD_SHED"] },
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

scenario("late timers", "POWER_OVERLOAD", home, [
  { report: { phase1: { power: 6000 } } },
  { shows: "F", down: minute, commands: { car: off }, alarms: ["LOAD_SHED"] },
  { shows: "a level rule: what is restored counts", resync: { phase1: { power: 500 } } },
  { down: 10 * minute, commands: { car: on }, alarms: ["-LOAD_SHED"] },
]);

const third = { ...home.devices, phase3: ["MULTI_SENSOR", "MEASURE_POWER"] } as const;
const summed = {
  ...home,
  devices: third,
  inputs: { meter: ["phase1", "phase2", "phase3"] },
  extras: { limitW: 5000, sum: true },
} as const;

scenario("the sum of all meters", "POWER_OVERLOAD", summed, [
  { report: { phase1: { power: 2000 }, phase2: { activePower: 2000 } }, pass: minute },
  { shows: "the limit is not over the limit", report: { phase3: { activePower: 1000 } }, pass: minute },
  {
    shows: "together over it, though none is",
    report: { phase3: { activePower: 1001 } },
    pass: 10 * second,
    commands: { car: off },
    alarms: ["LOAD_SHED"],
  },
  {
    shows: "below the limit, and not below restoreBelow",
    report: { phase1: { power: 1000 } },
    pass: 10 * minute,
  },
  { shows: "what one feeds in counts", report: { phase2: { activePower: -500 } } },
  { pass: 10 * second, commands: { car: on }, alarms: ["-LOAD_SHED"] },
]);

scenario("the sum while a meter cannot be reached", "POWER_OVERLOAD", summed, [
  { report: { phase1: { power: 3000 }, phase2: { activePower: 1000 } }, pass: minute },
  {
    report: { phase3: { activePower: 1500 } },
    pass: 10 * second,
    commands: { car: off },
    alarms: ["LOAD_SHED"],
  },
  {
    shows: "nobody knows whether there is room",
    report: { phase3: { reachable: false } },
    pass: 60 * minute,
  },
  {
    shows: "the others are too much already",
    report: { phase1: { power: 4500 } },
    pass: 10 * second,
    commands: { boiler: off },
    alarms: ["LOAD_SHED"],
  },
  { report: { phase1: { power: 100 } }, pass: 60 * minute },
  { report: { phase3: { reachable: true } }, pass: 10 * second, commands: { boiler: on } },
  { pass: 10 * second, commands: { car: on }, alarms: ["-LOAD_SHED"] },
]);
