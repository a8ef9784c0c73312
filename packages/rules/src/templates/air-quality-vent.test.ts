import { clock, range } from "../schedule/test-ranges.ts";
import { scenario } from "../testdata/scenario.ts";

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
/** Between two speeds above 0 a plain switch stays on. */
const up = speed[2];

scenario("runs at the speed of the worst sensor's band", "AIR_QUALITY_VENT", home, [
  { shows: "does nothing while nothing is known", pass: minute },
  { shows: "band 0", report: { bed: { co2Ppm: 799 } }, commands: speed[0] },
  { shows: "band 1 from its low limit on", report: { living: { co2Ppm: 800 } }, commands: speed[1] },
  { report: { bed: { co2Ppm: 1099 } } },
  {
    shows: "band 2 from its high limit on",
    report: { bed: { co2Ppm: 1100 } },
    commands: { unit: up.unit, ceiling: up.ceiling },
  },
  {
    shows: "keeps the speed until every reading is below its low limit",
    report: { bed: { co2Ppm: 700 } },
    pass: 60 * minute,
  },
  { report: { living: { co2Ppm: 799 } }, pass: 9 * minute },
  {
    shows: "a reading above low restarts the ten minutes",
    report: { bed: { co2Ppm: 800 } },
    pass: 5 * minute,
  },
  { report: { bed: { co2Ppm: 600 } }, pass: 9.9 * minute },
  { shows: "slows down only after 10 min below low", pass: 0.2 * minute, commands: speed[0] },
  { pass: 60 * minute },
]);

for (const [name, sensor, attribute, low, high] of [
  ["VOC", "living", "vocPpm", 150, 250],
  ["VOX", "index", "voxIndex", 150, 250],
  ["NOX", "index", "noxIndex", 20, 150],
  ["PM25", "index", "pm25", 12, 35],
] as const) {
  const says = (value: number) => ({ [sensor]: { [attribute]: value } });
  scenario(
    `changes speed at the limits of ${name}`,
    "AIR_QUALITY_VENT",
    { ...home, shown: { unit: { mode: 1 } } },
    [
      { report: { bed: { co2Ppm: 500 } }, commands: { ceiling: speed[0].ceiling, hood: speed[0].hood } },
      { report: says(low - 0.1) },
      { report: says(low), commands: speed[1] },
      { report: says(high - 0.1) },
      { report: says(high), commands: { unit: up.unit, ceiling: up.ceiling } },
    ],
  );
}

scenario(
  "uses the limits that the rule sets",
  "AIR_QUALITY_VENT",
  { ...home, extras: { co2Low: 500, co2High: 501 } },
  [
    { report: { bed: { co2Ppm: 499 } }, commands: speed[0] },
    { report: { bed: { co2Ppm: 501 } }, commands: speed[2] },
  ],
);

scenario(
  "caps the speed in quiet hours",
  "AIR_QUALITY_VENT",
  { ...home, at: "2026-01-15T21:00:00+02:00", extras: { quiet: [range(clock("22:00"), clock("06:00"))] } },
  [
    { report: { bed: { co2Ppm: 2000 } }, commands: speed[2] },
    { shows: "quiet caps speed at 1", pass: 60 * minute, commands: { ...speed[1] } },
    { shows: "however bad the air is", report: { bed: { co2Ppm: 3000 } }, pass: 60 * minute },
    { shows: "the highest band reached still counts", report: { bed: { co2Ppm: 700 } }, pass: 5 * minute },
    { report: { bed: { co2Ppm: 900 } } },
    {
      shows: "after the quiet hours the speed follows the band again",
      pass: 415 * minute,
      commands: speed[2],
    },
  ],
);

scenario(
  "clears the air through the end of quiet hours",
  "AIR_QUALITY_VENT",
  { ...home, at: "2026-01-15T05:54:00+02:00", extras: { quiet: [range(clock("22:00"), clock("06:00"))] } },
  [
    { report: { bed: { co2Ppm: 2000 } }, commands: speed[1] },
    { report: { bed: { co2Ppm: 700 } }, pass: 5.5 * minute },
    { pass: minute, commands: { unit: up.unit, ceiling: up.ceiling } },
    { pass: 4 * minute, commands: speed[0] },
  ],
);

scenario("takes no action while the air quality is unknown", "AIR_QUALITY_VENT", home, [
  { report: { bed: { co2Ppm: 900 } }, commands: speed[1] },
  { shows: "all unknown: no action", report: { bed: { reachable: false } }, pass: 60 * minute },
  { report: { bed: { reachable: true, co2Ppm: 500 } }, pass: 5 * minute },
  {
    shows: "an unreachable sensor does not confirm ten good minutes",
    report: { bed: { reachable: false } },
    pass: 60 * minute,
  },
  { report: { bed: { reachable: true } }, pass: 10 * minute, commands: speed[0] },
]);

scenario("leaves a fan alone after a person switched it", "AIR_QUALITY_VENT", home, [
  { report: { bed: { co2Ppm: 500 } }, commands: speed[0] },
  { user: { hood: { isOn: true } } },
  {
    shows: "the held fan gets no command",
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
  { shows: "the hold ends when the rule is idle again", report: { bed: { co2Ppm: 1200 } }, commands: up },
]);

scenario("leaves its fans as they are when it goes off", "AIR_QUALITY_VENT", home, [
  { report: { bed: { co2Ppm: 900 } }, commands: speed[1] },
  { report: { bed: { co2Ppm: 500 } } },
  { shows: "outputs stay as they are, timers are cancelled", rule: "off", pass: 60 * minute },
  { shows: "evaluated on rule.on", rule: "on", commands: speed[0] },
]);

scenario("catches up on late timers", "AIR_QUALITY_VENT", home, [
  { report: { bed: { co2Ppm: 900 } }, commands: speed[1] },
  { report: { bed: { co2Ppm: 500 } } },
  { shows: "late: fires at the start", down: 11 * minute, commands: speed[0] },
  { shows: "a level rule: a restored state counts", resync: { bed: { co2Ppm: 900 } }, commands: speed[1] },
]);
