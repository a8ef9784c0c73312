import assert from "node:assert/strict";
import { test } from "node:test";
import { isRejection } from "@ledge/model";
import { scenario } from "../test-scenario.ts";
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

scenario("each sensor by itself", "FREEZE_TEMP_LIMIT", home, [
  { shows: "at the limit it is not outside", ...cold("cellar", 5), pass: 3_600_000 },
  { shows: "outside", ...cold("cellar", 4.9), pass: 599_000 },
  { shows: "the opposite edge begins it anew", ...cold("cellar", 5) },
  { ...cold("cellar", 4.94), pass: 599_000 },
  { shows: "for forMs: warn, output ON", pass: 1000, commands: on, alarms: ["TOO_COLD cellar"] },
  { shows: "once in repeat", pass: 21_599_000 },
  { pass: 1000, commands: on, alarms: ["TOO_COLD cellar"] },
  { shows: "somebody has taken note", close: ["TOO_COLD", "cellar"], commands: { siren: { isOn: false } } },
  { shows: "still outside", pass: 21_600_000, commands: on, alarms: ["TOO_COLD cellar"] },
  {
    shows: "the other one too",
    ...cold("attic", 35.1),
    pass: 600_000,
    alarms: ["TOO_HOT attic"],
    commands: on,
  },
  { shows: "not back inside by less than 1 degree", ...cold("cellar", 5.9) },
  { shows: "clear, while the other is not", ...cold("cellar", 6), alarms: ["-TOO_COLD cellar"] },
  { ...cold("attic", 34.1) },
  { shows: "and off with the last", ...cold("attic", 34), alarms: ["-TOO_HOT attic"], commands: off },
  { pass: 86_400_000 },
]);

scenario("it knows its place", "FREEZE_TEMP_LIMIT", home, [
  { shows: "manual change: a hold", user: { heater: { isOn: false } } },
  {
    shows: "C6: what a person has just set stays",
    report: { cellar: { temperature: 0 } },
    pass: 600_000,
    commands: { siren: { isOn: true } },
    suppressed: ["heater"],
    alarms: ["TOO_COLD cellar"],
  },
  { shows: "a sensor out of reach says nothing", report: { cellar: { reachable: false } } },
  { shows: "C4", rule: "off", pass: 86_400_000 },
  { shows: "C1: unknown is no reason", rule: "on", pass: 86_400_000 },
  {
    shows: "C2: what is known again is looked at",
    report: { cellar: { reachable: true } },
    pass: 600_000,
    commands: on,
    alarms: ["TOO_COLD cellar"],
  },
]);

scenario("late", "FREEZE_TEMP_LIMIT", { ...home, extras: { low: 18, high: 20, forMs: 60_000 } }, [
  { ...cold("cellar", 20.1) },
  { shows: "F", down: 3_600_000, commands: on, alarms: ["TOO_HOT cellar"] },
]);

test("FREEZE_TEMP_LIMIT: the limits leave room between them to be inside", () => {
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
