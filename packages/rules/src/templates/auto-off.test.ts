import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: { iron: ["POWER_SOCKET", "ON_OFF"], kettle: ["POWER_SOCKET", "ON_OFF"] },
  outputs: { devices: ["iron", "kettle"] },
  extras: { after: 60_000 },
} as const;

scenario("turns each device off on its own timer", "AUTO_OFF", home, [
  { shows: "whoever turned it on", user: { iron: { isOn: true } } },
  { pass: 30_000 },
  { report: { kettle: { isOn: true } } },
  {
    shows: "OFF after the time, also for a device that a person holds",
    pass: 30_000,
    commands: { iron: { isOn: false } },
  },
  { pass: 29_000 },
  { pass: 1000, commands: { kettle: { isOn: false } } },
  { pass: 600_000 },
  { shows: "turning it on again restarts the time", user: { iron: { isOn: true } } },
  { pass: 50_000 },
  { user: { iron: { isOn: false } } },
  { user: { iron: { isOn: true } } },
  { pass: 59_000 },
  { pass: 1000, commands: { iron: { isOn: false } } },
]);

scenario("turns a device off at the start when its timer is late", "AUTO_OFF", home, [
  { user: { iron: { isOn: true } } },
  { shows: "late: fires at the start", down: 3_600_000, commands: { iron: { isOn: false } } },
]);

const many = Array.from({ length: 32 }, (_, index) => `socket ${index}`);
const each = <Value>(value: Value): Record<string, Value> =>
  Object.fromEntries(many.map((name) => [name, value]));

scenario(
  "turns off the most devices that it can have",
  "AUTO_OFF",
  { ...home, devices: each(["POWER_SOCKET", "ON_OFF"] as const), outputs: { devices: many } },
  [
    { user: each({ isOn: true }) },
    {
      shows: "32 commands at once do not exceed the rate limit",
      pass: 60_000,
      commands: each({ isOn: false }),
    },
  ],
);
