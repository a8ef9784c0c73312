import { scenario } from "../testdata/scenario.ts";
import { pricesFrom } from "../testdata/prices.ts";

const minute = 60_000;
const hour = 60 * minute;
const on = { charger: { isOn: true } };
const off = { charger: { isOn: false } };

/** At 10 A on one phase, 2.3 kW, it takes an hour to charge 2.3 kWh. */
const home = {
  devices: {
    charger: ["POWER_SOCKET", "ON_OFF"],
    meter: ["MULTI_SENSOR", "MEASURE_POWER"],
    ann: ["UI_DEVICE", "USER_PRESENCE"],
  },
  shown: { charger: { isOn: true }, meter: { activePower: 0 } },
  outputs: { charger: ["charger"] },
  extras: { kWhNeeded: 2.3, maxA: 10 },
  off: true,
} as const;
const metered = { ...home, inputs: { meter: ["meter"] } };
const [noon, seven] = ["2026-01-15T12:00+02:00", "2026-01-16T07:00+02:00"];
/** 13:00 to 14:00 is the cheapest time; 20:00 to 20:30 comes next. */
const prices = pricesFrom(noon, seven, 9, { 60: 1, 75: 1, 90: 1, 105: 1, 480: 2, 495: 2 });

scenario("estimates the energy from the current without a meter", "EV_CHARGE", home, [
  { shows: "it waits for a cheap slot", rule: "on", commands: off },
  { prices },
  { pass: 59 * minute },
  { shows: "it charges in the slots that SPOT_CHEAPEST would take", pass: 2 * minute, commands: on },
  { pass: 58 * minute },
  { shows: "for as long as the current says it needs", pass: 2 * minute, commands: off },
  { pass: 17 * hour - 2 * minute },
  { shows: "the next day: no prices, so the fallback times", pass: 19 * hour + 2 * minute, commands: on },
  { pass: hour, commands: off },
]);

scenario(
  "charges in a third of the time on three phases",
  "EV_CHARGE",
  { ...home, extras: { ...home.extras, phases: "3" } },
  [
    { rule: "on", commands: off },
    { prices },
    { pass: 61 * minute, commands: on },
    { pass: 18 * minute },
    { shows: "it ends when the energy is delivered, also within a slot", pass: 2 * minute, commands: off },
    { pass: 17 * hour },
  ],
);

scenario("counts the energy that the meter measures", "EV_CHARGE", metered, [
  { rule: "on", commands: off },
  { prices },
  { pass: 61 * minute, commands: on },
  { shows: "the car draws less power", report: { meter: { activePower: 1600 } } },
  { report: { meter: { activePower: 1610 } } },
  { pass: 58 * minute },
  { shows: "it goes on in the next cheapest slots", pass: 2 * minute, commands: off },
  { report: { meter: { activePower: 0 } } },
  { pass: 6 * hour - 2 * minute },
  { pass: 2 * minute, commands: on },
  { report: { meter: { activePower: 1600 } } },
  { shows: "1.6 kWh in the first hour, then the rest of 2.3 kWh", pass: 26 * minute },
  { pass: 3 * minute, commands: off },
  { report: { meter: { activePower: 0 } } },
  { pass: 10 * hour },
]);

scenario("makes a new plan from measured power", "EV_CHARGE", metered, [
  { rule: "on", commands: off },
  { prices: pricesFrom(noon, seven, 9, { 60: 1, 90: 3, 105: 3, 480: 2, 495: 2, 510: 2, 525: 2 }) },
  { pass: 61 * minute, commands: on },
  { shows: "less power takes more slots", report: { meter: { activePower: 1600 } } },
  { pass: 15 * minute, commands: off },
  { report: { meter: { activePower: 0 } } },
  {
    shows: "the plan still has the slot at 13:30 after the charger went off",
    pass: 15 * minute,
    commands: on,
  },
]);

scenario("stops early when the car draws more than expected", "EV_CHARGE", metered, [
  { rule: "on", commands: off },
  { prices },
  { pass: 61 * minute, commands: on },
  { report: { meter: { activePower: 4600 } } },
  { shows: "it ends when the energy is delivered", pass: 28 * minute },
  { pass: 4 * minute, commands: off },
  { shows: "energy that flows without the rule does not count", report: { meter: { activePower: 4500 } } },
  { pass: 17 * hour },
]);

scenario("takes later slots when no car draws power", "EV_CHARGE", metered, [
  { rule: "on", commands: off },
  { prices: pricesFrom(noon, seven, 9, { 60: 1, 75: 1, 90: 1, 105: 1, 900: 2, 915: 2, 930: 2, 945: 2 }) },
  { pass: 61 * minute, commands: on },
  { pass: 58 * minute },
  { shows: "nothing is delivered", pass: 2 * minute, commands: off },
  { pass: 13 * hour - 2 * minute },
  { shows: "so it takes the next cheapest slots", pass: 2 * minute, commands: on },
]);

scenario("charges only while somebody is at home", "EV_CHARGE", { ...home, inputs: { presence: ["ann"] } }, [
  { rule: "on", commands: off },
  { prices },
  { report: { ann: { reachable: false } } },
  { shows: "nobody is at home", pass: 70 * minute },
  { shows: "somebody comes home", report: { ann: { reachable: true } }, commands: on },
  { pass: 20 * minute },
  { shows: "everybody leaves", report: { ann: { reachable: false } }, commands: off },
  { pass: 24 * hour },
]);

scenario("catches up after the hub was down", "EV_CHARGE", home, [
  { rule: "on", commands: off },
  { prices },
  { shows: "late: down at the beginning of a slot", down: hour + 10 * minute, commands: on },
  { shows: "down at its end", down: 2 * hour, commands: off },
  { shows: "the car got what it needs meanwhile", pass: 16 * hour },
]);

scenario("leaves the charger alone after a person switched it", "EV_CHARGE", home, [
  { rule: "on", commands: off },
  { prices },
  { pass: 61 * minute, commands: on },
  { shows: "a person stops it", user: { charger: { isOn: false } } },
  { shows: "the rule's commands are held back", pass: hour, suppressed: ["charger"] },
]);

scenario("leaves the charger as it is when it goes off", "EV_CHARGE", home, [
  { rule: "on", commands: off },
  { prices },
  { pass: 61 * minute, commands: on },
  { shows: "the charger stays as it is", rule: "off" },
  { pass: 24 * hour },
]);
