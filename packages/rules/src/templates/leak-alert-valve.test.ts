import { scenario } from "../testdata/scenario.ts";

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

scenario("closes the valves and alerts people", "LEAK_ALERT_VALVE", home, [
  { shows: "dry", report: { sink: { moisture: false } }, pass: 3_600_000 },
  { shows: "a person may move the valve", user: { main: { openPct: 50 } } },
  {
    shows: "wet: closes the valve whoever opened it, sounds the siren, raises the alarm",
    report: { sink: { moisture: true } },
    commands: { ...off, siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
  { shows: "the valves confirm: no retry, and no repetition yet", pass: 599_000 },
  { shows: "it repeats the alarm", pass: 1000, commands: { siren: { isOn: true } }, alarms: ["LEAK sink"] },
  {
    shows: "a second sensor raises its alarm at once",
    report: { washer: { moisture: true } },
    commands: { siren: { isOn: true } },
    alarms: ["LEAK sink", "LEAK washer"],
  },
  {
    shows: "a valve that somebody opens meanwhile closes again",
    user: { main: { openPct: 100 } },
    commands: off,
  },
  { shows: "one of two alarms is closed", close: ["LEAK", "sink"] },
  {
    shows: "a person closes the last alarm: the siren ends",
    close: ["LEAK", "washer"],
    commands: { siren: { isOn: false } },
  },
  { shows: "nothing is repeated", pass: 3_600_000 },
  { shows: "a person may open the valve now", user: { main: { openPct: 100 } } },
  { report: { sink: { moisture: false } } },
  { shows: "dry: the valve is never reopened", report: { washer: { moisture: false } }, pass: 3_600_000 },
  {
    shows: "wet again",
    report: { washer: { moisture: true } },
    commands: { ...off, siren: { isOn: true } },
    alarms: ["LEAK washer"],
  },
  {
    shows: "dry: only the siren ends",
    report: { washer: { moisture: false } },
    commands: { siren: { isOn: false } },
  },
  { pass: 3_600_000 },
  {
    shows: "wet before anybody closed the alarm",
    report: { sink: { moisture: true } },
    commands: { siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
  { shows: "rule off leaves the outputs as they are", rule: "off", pass: 3_600_000 },
  {
    shows: "rule on looks at what the sensors show",
    rule: "on",
    commands: { ...off, siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
]);

scenario("retries until the valve confirms", "LEAK_ALERT_VALVE", { ...home, dead: ["main"] }, [
  {
    report: { sink: { moisture: true } },
    commands: { ...off, siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
  { pass: 9000 },
  {
    shows: "a retry, only to the valve that has not closed",
    pass: 1000,
    commands: { main: { openPct: 0 } },
  },
  { pass: 19_000 },
  { shows: "the next after twice the time", pass: 1000, commands: { main: { openPct: 0 } } },
  { pass: 39_000 },
  {
    shows: "the third retry warns people",
    pass: 1000,
    commands: { main: { openPct: 0 } },
    alarms: ["VALVE_STUCK main"],
  },
  { shows: "it warns once", pass: 80_000, commands: { main: { openPct: 0 } } },
  { shows: "a sensor that is out of reach is not dry", report: { sink: { reachable: false } } },
  { shows: "the valve confirms", report: { main: { openPct: 0 } }, alarms: ["-VALVE_STUCK main"] },
  { pass: 300_000 },
]);

scenario("acts at the start when its timers are late", "LEAK_ALERT_VALVE", { ...home, dead: ["main"] }, [
  {
    report: { sink: { moisture: true } },
    commands: { ...off, siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
  {
    shows: "late: fires at the start",
    down: 3_600_000,
    commands: { main: { openPct: 0 }, siren: { isOn: true } },
    alarms: ["LEAK sink"],
  },
]);

scenario(
  "commands closed valves too when the rule goes on",
  "LEAK_ALERT_VALVE",
  { ...home, off: true, shown: { main: { openPct: 0 }, relay: { isOn: false }, sink: { moisture: true } } },
  [
    {
      shows: "safety: it commands valves that already show closed",
      rule: "on",
      commands: { ...off, siren: { isOn: true } },
      alarms: ["LEAK sink"],
    },
  ],
);
