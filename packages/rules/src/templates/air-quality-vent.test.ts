import { clock, range } from "../schedule/test-ranges.ts";
import { scenario } from "../test-scenario.ts";

const minute = 60_000;
const home = {
  devices: {
    living: ["CO2_SENSOR", "CO2", "VOC"],
    bed: ["CO2_SENSOR", "CO2"],
    index: ["MULTI_SENSOR", "VOX", "NOX", "PM25"],
    unit: ["MULTI_SENSOR", "VU"],
    ceiling: ["MULTI_SENSOR", "FAN_MODE", "ON_OFF"],
    hood: ["POWER_SOCKET", "ON_OFF"],
  },
  inputs: { air: ["living", "bed", "index"] },
  outputs: { fan: ["unit", "ceiling", "hood"] },
} as const;
const speed = [
  { unit: { mode: 1 }, ceiling: { fanMode: 0, isOn: false }, hood: { isOn: false } },
  { unit: { mode: 2 }, ceiling: { fanMode: 1, isOn: true }, hood: { isOn: true } },
  { unit: { mode: 3 }, ceiling: { fanMode: 3, isOn: true }, hood: { isOn: true } },
] as const;
/** From one speed above 0 to another: a switch stays on. */
const up = speed[2];

scenario("speed = max over sensors of the band", "AIR_QUALITY_VENT", home, [
  { shows: "nothing is known, nothing is done", pass: minute },
  { shows: "band 0", report: { bed: { co2Ppm: 799 } }, commands: speed[0] },
  { shows: "band 1 from its low limit on", report: { living: { co2Ppm: 800 } }, commands: speed[1] },
  { report: { bed: { co2Ppm: 1099 } } },
  {
    shows: "band 2 from its high limit on",
    report: { bed: { co2Ppm: 1100 } },
    commands: { unit: up.unit, ceiling: up.ceiling },
  },
  { shows: "it stays while it is not below low", report: { bed: { co2Ppm: 700 } }, pass: 60 * minute },
  { report: { living: { co2Ppm: 799 } }, pass: 9 * minute },
  {
    shows: "above low again: the ten minutes begin anew",
    report: { bed: { co2Ppm: 800 } },
    pass: 5 * minute,
  },
  { report: { bed: { co2Ppm: 600 } }, pass: 9.9 * minute },
  { shows: "down only after 10 min below low", pass: 0.2 * minute, commands: speed[0] },
  { pass: 60 * minute },
]);

for (const [name, sensor, attribute, low, high] of [
  ["VOC", "living", "vocPpm", 150, 250],
  ["VOX", "index", "voxIndex", 150, 250],
  ["NOX", "index", "noxIndex", 20, 150],
  ["PM25", "index", "pm25", 12, 35],
] as const) {
  const says = (value: number) => ({ [sensor]: { [attribute]: value } });
  scenario(`limits of ${name}`, "AIR_QUALITY_VENT", { ...home, shown: { unit: { mode: 1 } } }, [
    { report: { bed: { co2Ppm: 500 } }, commands: { ceiling: speed[0].ceiling, hood: speed[0].hood } },
    { report: says(low - 0.1) },
    { report: says(low), commands: speed[1] },
    { report: says(high - 0.1) },
    { report: says(high), commands: { unit: up.unit, ceiling: up.ceiling } },
  ]);
}

scenario("limits of one's own", "AIR_QUALITY_VENT", { ...home, extras: { co2Low: 500, co2High: 501 } }, [
  { report: { bed: { co2Ppm: 499 } }, commands: speed[0] },
  { report: { bed: { co2Ppm: 501 } }, commands: speed[2] },
]);

scenario(
  "quiet hours",
  "AIR_QUALITY_VENT",
  { ...home, at: "2026-01-15T21:00:00+02:00", extras: { quiet: [range(clock("22:00"), clock("06:00"))] } },
  [
    { report: { bed: { co2Ppm: 2000 } }, commands: speed[2] },
    { shows: "quiet caps speed at 1", pass: 60 * minute, commands: { ...speed[1] } },
    { shows: "however bad it is", report: { bed: { co2Ppm: 3000 } }, pass: 60 * minute },
    { shows: "the band counts that was reached", report: { bed: { co2Ppm: 700 } }, pass: 5 * minute },
    { report: { bed: { co2Ppm: 900 } } },
    { shows: "then it is as strong as it was bad", pass: 415 * minute, commands: speed[2] },
  ],
);

scenario(
  "quiet hours that end while it clears",
  "AIR_QUALITY_VENT",
  { ...home, at: "2026-01-15T05:54:00+02:00", extras: { quiet: [range(clock("22:00"), clock("06:00"))] } },
  [
    { report: { bed: { co2Ppm: 2000 } }, commands: speed[1] },
    { report: { bed: { co2Ppm: 700 } }, pass: 5.5 * minute },
    { pass: minute, commands: { unit: up.unit, ceiling: up.ceiling } },
    { pass: 4 * minute, commands: speed[0] },
  ],
);

scenario("unknown air", "AIR_QUALITY_VENT", home, [
  { report: { bed: { co2Ppm: 900 } }, commands: speed[1] },
  { shows: "all unknown: no action", report: { bed: { reachable: false } }, pass: 60 * minute },
  { report: { bed: { reachable: true, co2Ppm: 500 } }, pass: 5 * minute },
  {
    shows: "nobody says that it has been good for ten minutes",
    report: { bed: { reachable: false } },
    pass: 60 * minute,
  },
  { report: { bed: { reachable: true } }, pass: 10 * minute, commands: speed[0] },
]);

scenario("a person's change holds", "AIR_QUALITY_VENT", home, [
  { report: { bed: { co2Ppm: 500 } }, commands: speed[0] },
  { user: { hood: { isOn: true } } },
  {
    shows: "kept away",
    report: { bed: { co2Ppm: 1200 } },
    commands: { unit: up.unit, ceiling: up.ceiling },
    suppressed: ["hood"],
  },
  {
    report: { bed: { co2Ppm: 500 } },
    pass: 10 * minute,
    commands: { unit: speed[0].unit, ceiling: speed[0].ceiling },
    suppressed: ["hood"],
  },
  { shows: "free when the rule has come to rest", report: { bed: { co2Ppm: 1200 } }, commands: up },
]);

scenario("the rule goes off", "AIR_QUALITY_VENT", home, [
  { report: { bed: { co2Ppm: 900 } }, commands: speed[1] },
  { report: { bed: { co2Ppm: 500 } } },
  { shows: "outputs stay as they are, timers end", rule: "off", pass: 60 * minute },
  { shows: "evaluated on rule.on", rule: "on", commands: speed[0] },
]);

scenario("late timers", "AIR_QUALITY_VENT", home, [
  { report: { bed: { co2Ppm: 900 } }, commands: speed[1] },
  { report: { bed: { co2Ppm: 500 } } },
  { shows: "F", down: 11 * minute, commands: speed[0] },
  { shows: "a level rule: what is restored counts", resync: { bed: { co2Ppm: 900 } }, commands: speed[1] },
]);
