import assert from "node:assert/strict";
import test from "node:test";
import {
  keptSettings,
  readBacksOf,
  settingActions,
  settingItems,
  settingProblem,
  settingsSaid,
  settingValues,
} from "./configuration.ts";
import { nodeFacts } from "./test-node.ts";
import { monday, noDays, scheduleSuite } from "./test-schedule.ts";
import { scheduleQuestions } from "./thermostat-schedule.ts";
import type { Unit } from "./unit.ts";
import { unitsOf } from "./units.ts";

const cluster = "hvacThermostat";

function thermostat(said: Readonly<Record<string, unknown>>): Unit {
  const values = { [cluster]: said };
  return unitsOf(nodeFacts([{ device: 0x0301, in: [0x0201], values }]))[0] as Unit;
}

const heating = thermostat({ startOfWeek: 1, numberOfDailyTrans: 4 });
const command = { kind: "command", endpoint: 1, cluster } as const;
const answer = (data: unknown, endpoint = 1) => ({
  endpoint,
  cluster,
  type: "commandGetWeeklyScheduleRsp",
  data,
});

scheduleSuite(heating, { [monday]: "" });

test("a thermostat with a weekly schedule keeps it as a setting", () => {
  assert.ok(heating.capabilities.includes("CONFIGURABLE"));
  assert.ok(keptSettings(heating).has(monday));
});

test("one without a weekly schedule has none", () => {
  for (const said of [{}, { numberOfDailyTrans: 4 }, { startOfWeek: 255 }, { startOfWeek: "1" }]) {
    const unit = thermostat(said);
    assert.deepEqual(
      settingItems(unit).filter(({ name }) => name.startsWith("weekly_schedule.")),
      [],
    );
    assert.deepEqual(settingActions(unit, { [monday]: "06:00/20" }), []);
    assert.deepEqual(scheduleQuestions(unit, {}), []);
  }
});

test("sends days that are alike in one frame, and the others in frames of their own", () => {
  const wanted = {
    [monday]: "6:30/20.5 22:00/-5",
    "weekly_schedule.sunday": "00:00/17",
    "weekly_schedule.away_or_vacation": "6:30/20.5 22:00/-5",
    "weekly_schedule.caturday": "00:00/17",
  };
  assert.deepEqual(settingActions(heating, wanted), [
    {
      ...command,
      name: "setWeeklySchedule",
      payload: {
        numoftrans: 2,
        dayofweek: 0x82,
        mode: 1,
        transitions: [
          { transitionTime: 390, heatSetpoint: 2050 },
          { transitionTime: 1320, heatSetpoint: -500 },
        ],
      },
    },
    {
      ...command,
      name: "setWeeklySchedule",
      payload: {
        numoftrans: 1,
        dayofweek: 0x01,
        mode: 1,
        transitions: [{ transitionTime: 0, heatSetpoint: 1700 }],
      },
    },
  ]);
});

test("a device that only cools is told when to cool", () => {
  const cooling = thermostat({ startOfWeek: 0, ctrlSeqeOfOper: 0 });
  const [action] = settingActions(cooling, { [monday]: "06:00/25" });
  assert.deepEqual(action?.kind === "command" && action.payload["transitions"], [
    { transitionTime: 360, coolSetpoint: 2500 },
  ]);
  const said = { dayofweek: 2, mode: 2, transitions: [{ transitionTime: 360, coolSetpoint: 2500 }] };
  assert.deepEqual(settingsSaid(cooling, answer(said)), { [monday]: "06:00/25" });
  assert.deepEqual(settingsSaid(cooling, answer({ ...said, mode: 1 })), {});
});

test("refuses a text that is no schedule, and more times than the device keeps", () => {
  const impossible = ["06:00/999", "06:00/150.01", "06:00/-50.01", "06:00/20 22:00/300"];
  for (const text of [...noDays, ...impossible])
    assert.match(settingProblem(heating, { [monday]: text }) ?? "", /^monday: write times/, text);
  const five = Array.from({ length: 5 }, (_, hour) => `0${hour}:00/17`).join(" ");
  assert.equal(settingProblem(heating, { [monday]: five }), "monday: the device keeps at most 4 times");
  assert.equal(settingProblem(heating, { [monday]: five.slice(0, -9) }), undefined);
  assert.equal(settingProblem(heating, { [monday]: "06:00/-50 22:00/150" }), undefined);
});

test("shows the days that a device tells", () => {
  const transitions = [
    { transitionTime: 0, heatSetpoint: 1700 },
    { transitionTime: 390, heatSetpoint: 2050, coolSetpoint: 2600 },
  ];
  const said = settingsSaid(heating, answer({ numoftrans: 2, dayofweek: 0x82, mode: 3, transitions }));
  assert.deepEqual(settingValues(heating, said), {
    [monday]: "00:00/17 06:30/20.5",
    "weekly_schedule.away_or_vacation": "00:00/17 06:30/20.5",
  });
  const empty = settingsSaid(heating, answer({ numoftrans: 0, dayofweek: 2, mode: 1, transitions: [] }));
  assert.deepEqual(settingValues(heating, empty), { [monday]: "" });
});

test("ignores an answer with impossible values, or of another endpoint", () => {
  const good = { dayofweek: 2, mode: 1, transitions: [{ transitionTime: 0, heatSetpoint: 1700 }] };
  for (const wrong of [
    null,
    [],
    {},
    { ...good, mode: 0 },
    { ...good, dayofweek: "2" },
    { ...good, transitions: "00:00/17" },
    { ...good, transitions: [{ transitionTime: 1440, heatSetpoint: 1700 }] },
    { ...good, transitions: [{ transitionTime: 0, heatSetpoint: -0x8000 }] },
    { ...good, transitions: [{ transitionTime: 0 }] },
    { ...good, transitions: [null] },
    { ...good, transitions: Array.from({ length: 11 }, () => good.transitions[0]) },
  ])
    assert.deepEqual(settingsSaid(heating, answer(wrong)), {}, JSON.stringify(wrong));
  assert.deepEqual(settingsSaid(heating, answer(good, 2)), {});
  assert.deepEqual(settingsSaid(heating, { ...answer(good), type: "attributeReport" }), {});
});

test("asks for each unknown day, and again for the days that were set", () => {
  const asked = scheduleQuestions(heating, { [monday]: "06:00/20" });
  assert.equal(asked.length, 7);
  assert.deepEqual(asked[0], {
    ...command,
    name: "getWeeklySchedule",
    payload: { daystoreturn: 0x04, modetoreturn: 1 },
  });
  const set = settingActions(heating, { [monday]: "06:00/20", "weekly_schedule.sunday": "06:00/20" });
  assert.deepEqual(
    readBacksOf(set).map((each) => each.kind === "command" && each.payload["daystoreturn"]),
    [0x02, 0x01],
  );
});
