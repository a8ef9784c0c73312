import assert from "node:assert/strict";
import { test } from "node:test";
import { isRejection } from "@ledge/model";
import { scenario } from "../testdata/scenario.ts";
import { freezeTempLimit } from "./freeze-temp-limit.ts";

const home = {
  devices: {
    cellar: ["MULTI_SENSOR", "TEMPERATURE"],
    attic: ["MULTI_SENSOR", "TEMPERATURE"],
    siren: ["ALARM_DEVICE", "ON_OFF", "GENERATE_ALERT"],
    heater: ["POWER_SOCKET", "ON_OFF"],
  },
  inputs: { temp: ["cellar", "attic"] },
  outputs: { siren: ["siren"], devices: ["heater"] },
  shown: { attic: { temperature: 20 } },
} as const;

const on = { siren: { isOn: true }, heater: { isOn: true } };
const off = { siren: { isOn: false }, heater: { isOn: false } };
const cold = (name: string, temperature: number) => ({ report: { [name]: { temperature } } });

scenario("watches each sensor on its own", "FREEZE_TEMP_LIMIT", home, [
  { shows: "a value at the limit is not outside", ...cold("cellar", 5), pass: 3_600_000 },
  { shows: "below the limit", ...cold("cellar", 4.9), pass: 599_000 },
  { shows: "back at the limit: the time restarts", ...cold("cellar", 5) },
  { ...cold("cellar", 4.94), pass: 599_000 },
  {
    shows: "below the limit for forMs: it warns and switches on",
    pass: 1000,
    commands: on,
    alarms: ["TOO_COLD cellar"],
  },
  { shows: "it warns once per repeat", pass: 21_599_000 },
  { pass: 1000, commands: on, alarms: ["TOO_COLD cellar"] },
  {
    shows: "a person closes the warning: the siren ends",
    close: ["TOO_COLD", "cellar"],
    commands: { siren: { isOn: false } },
  },
  { shows: "still outside: it warns again", pass: 21_600_000, commands: on, alarms: ["TOO_COLD cellar"] },
  {
    shows: "the other sensor is too hot",
    ...cold("attic", 35.1),
    pass: 600_000,
    alarms: ["TOO_HOT attic"],
    commands: on,
  },
  { shows: "hysteresis: less than 1 degree back inside", ...cold("cellar", 5.9) },
  { shows: "back inside, while the other sensor is not", ...cold("cellar", 6), alarms: ["-TOO_COLD cellar"] },
  { ...cold("attic", 34.1) },
  {
    shows: "the outputs go off with the last sensor",
    ...cold("attic", 34),
    alarms: ["-TOO_HOT attic"],
    commands: off,
  },
  { pass: 86_400_000 },
]);

scenario("leaves a heater alone that a person switched", "FREEZE_TEMP_LIMIT", home, [
  { shows: "the person's change sets a hold", user: { heater: { isOn: false } } },
  {
    shows: "the held heater gets no command",
    report: { cellar: { temperature: 0 } },
    pass: 600_000,
    commands: { siren: { isOn: true } },
    suppressed: ["heater"],
    alarms: ["TOO_COLD cellar"],
  },
  { shows: "an unreachable sensor says nothing", report: { cellar: { reachable: false } } },
  { shows: "rule off cancels the timers", rule: "off", pass: 86_400_000 },
  { shows: "an unknown temperature is no reason to warn", rule: "on", pass: 86_400_000 },
  {
    shows: "a restored temperature counts",
    report: { cellar: { reachable: true } },
    pass: 600_000,
    commands: on,
    alarms: ["TOO_COLD cellar"],
  },
]);

scenario(
  "warns at the start when its timer is late",
  "FREEZE_TEMP_LIMIT",
  { ...home, extras: { low: 18, high: 20, forMs: 60_000 } },
  [
    { ...cold("cellar", 20.1) },
    { shows: "late: fires at the start", down: 3_600_000, commands: on, alarms: ["TOO_HOT cellar"] },
  ],
);

test("FREEZE_TEMP_LIMIT refuses limits without room between them", () => {
  const check = (low: number): boolean => {
    const extras = { low: [{ type: "TEMPERATURE", value: low }] };
    const config = {
      type: "CONFIG",
      id: "r",
      name: "",
      configType: "",
      inputs: {},
      outputs: {},
      extras,
    } as const;
    return isRejection(freezeTempLimit.check?.(config, {} as never) ?? []);
  };
  assert.deepEqual([33, 33.1, 40].map(check), [false, true, true]);
});
