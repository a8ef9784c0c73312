import { scenario } from "../test-scenario.ts";

const home = {
  devices: {
    sink: ["MOISTURE", "MOISTURE"],
    washer: ["MOISTURE", "MOISTURE"],
    main: ["MULTI_SENSOR", "VALVE"],
    relay: ["POWER_SOCKET", "ON_OFF"],
    siren: ["ALARM_DEVICE", "ON_OFF", "GENERATE_ALERT"],
  },
  inputs: { leak: ["sink", "washer"] },
  outputs: { valve: ["main", "relay"], siren: ["siren"] },
  shown: { main: { openPct: 100 }, relay: { isOn: true } },
} as const;

const off = { main: { openPct: 0 }, relay: { isOn: false } };

scenario("water is turned off and people are told", "LEAK_ALERT_VALVE", home, [
  { shows: "dry", report: { sink: { moisture: false } }, pass: 3_600_000 },
  { shows: "a person may open and close", user: { main: { openPct: 50 } } },
  {
    shows: "wet: valve CLOSE whoever opened it, siren, err alarm",
    report: { sink: { moisture: true } },
    commands: { ...off, siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
  { shows: "confirmed: no retry, no repetition yet", pass: 599_000 },
  { shows: "repeat", pass: 1000, commands: { siren: { isOn: true } }, alarms: ["LEAK sink"] },
  {
    shows: "a second sensor is told of at once",
    report: { washer: { moisture: true } },
    commands: { siren: { isOn: true } },
    alarms: ["LEAK sink", "LEAK washer"],
  },
  { shows: "a valve that is opened meanwhile is closed", user: { main: { openPct: 100 } }, commands: off },
  { shows: "one alarm of two", close: ["LEAK", "sink"] },
  {
    shows: "closed by a person: the siren is silent",
    close: ["LEAK", "washer"],
    commands: { siren: { isOn: false } },
  },
  { shows: "and nothing is repeated", pass: 3_600_000 },
  { shows: "nor taken out of a person's hand", user: { main: { openPct: 100 } } },
  { report: { sink: { moisture: false } } },
  { shows: "dry never reopens", report: { washer: { moisture: false } }, pass: 3_600_000 },
  {
    shows: "wet again",
    report: { washer: { moisture: true } },
    commands: { ...off, siren: { isOn: true } },
    alarms: ["LEAK washer"],
  },
  {
    shows: "dry: the siren alone ends",
    report: { washer: { moisture: false } },
    commands: { siren: { isOn: false } },
  },
  { pass: 3_600_000 },
  {
    shows: "and wet before anybody has heeded it",
    report: { sink: { moisture: true } },
    commands: { siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
  { shows: "C4: off leaves everything as it is", rule: "off", pass: 3_600_000 },
  {
    shows: "C2: it is looked at when the rule comes on",
    rule: "on",
    commands: { ...off, siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
]);

scenario("retry until confirmed", "LEAK_ALERT_VALVE", { ...home, dead: ["main"] }, [
  {
    report: { sink: { moisture: true } },
    commands: { ...off, siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
  { pass: 9000 },
  {
    shows: "retry, and of the valve alone that has not closed",
    pass: 1000,
    commands: { main: { openPct: 0 } },
  },
  { pass: 19_000 },
  { shows: "after twice as long", pass: 1000, commands: { main: { openPct: 0 } } },
  { pass: 39_000 },
  { shows: "people are told", pass: 1000, commands: { main: { openPct: 0 } }, alarms: ["VALVE_STUCK main"] },
  { shows: "it is not told twice", pass: 80_000, commands: { main: { openPct: 0 } } },
  { shows: "a sensor that falls silent is not dry", report: { sink: { reachable: false } } },
  { shows: "confirmed", report: { main: { openPct: 0 } }, alarms: ["-VALVE_STUCK main"] },
  { pass: 300_000 },
]);

scenario("late", "LEAK_ALERT_VALVE", { ...home, dead: ["main"] }, [
  {
    report: { sink: { moisture: true } },
    commands: { ...off, siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
  {
    shows: "F: what was due while the hub was down is done at the start",
    down: 3_600_000,
    commands: { main: { openPct: 0 }, siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
]);

scenario(
  "as it finds the world",
  "LEAK_ALERT_VALVE",
  { ...home, off: true, shown: { main: { openPct: 0 }, relay: { isOn: false }, sink: { moisture: true } } },
  [
    {
      shows: "safety: told to close even though they are, by their own word",
      rule: "on",
      commands: { ...off, siren: { isOn: true } },
      alarms: ["LEAK sink"],
    },
  ],
);
