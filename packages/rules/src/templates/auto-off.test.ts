import { scenario } from "../test-scenario.ts";

const home = {
  devices: { iron: ["POWER_SOCKET", "ON_OFF"], kettle: ["POWER_SOCKET", "ON_OFF"] },
  outputs: { devices: ["iron", "kettle"] },
  extras: { after: 60_000 },
} as const;

scenario("each device goes off by itself", "AUTO_OFF", home, [
  { shows: "turned on by anything", user: { iron: { isOn: true } } },
  { pass: 30_000 },
  { report: { kettle: { isOn: true } } },
  { shows: "OFF after the time, manual hold ignored", pass: 30_000, commands: { iron: { isOn: false } } },
  { pass: 29_000 },
  { pass: 1000, commands: { kettle: { isOn: false } } },
  { pass: 600_000 },
  { shows: "restart on re-on", user: { iron: { isOn: true } } },
  { pass: 50_000 },
  { user: { iron: { isOn: false } } },
  { user: { iron: { isOn: true } } },
  { pass: 59_000 },
  { pass: 1000, commands: { iron: { isOn: false } } },
]);

scenario("what was late fires at the start", "AUTO_OFF", home, [
  { user: { iron: { isOn: true } } },
  { shows: "F", down: 3_600_000, commands: { iron: { isOn: false } } },
]);

const many = Array.from({ length: 32 }, (_, index) => `socket ${index}`);
const each = <Value>(value: Value): Record<string, Value> =>
  Object.fromEntries(many.map((name) => [name, value]));

scenario(
  "as many as there may be",
  "AUTO_OFF",
  { ...home, devices: each(["POWER_SOCKET", "ON_OFF"] as const), outputs: { devices: many } },
  [
    { user: each({ isOn: true }) },
    { shows: "at once are not too often", pass: 60_000, commands: each({ isOn: false }) },
  ],
);
