import { scenario } from "../test-scenario.ts";
import { pricesFrom } from "../test-prices.ts";

const minute = 60_000;
const hour = 60 * minute;
const on = { charger: { isOn: true } };
const off = { charger: { isOn: false } };

/** 10 A on one phase are 2.3 kW: 2.3 kWh take an hour. */
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
/** Cheap are 13:00 to 14:00, and 20:00 to 20:30 somewhat less so. */
const prices = pricesFrom(noon, seven, 9, { 60: 1, 75: 1, 90: 1, 105: 1, 480: 2, 495: 2 });

scenario("without a meter", "EV_CHARGE", home, [
  { shows: "it is not charged at once", rule: "on", commands: off },
  { prices },
  { pass: 59 * minute },
  { shows: "slots as those of SPOT_CHEAPEST", pass: 2 * minute, commands: on },
  { pass: 58 * minute },
  { shows: "as long as the current says that it takes", pass: 2 * minute, commands: off },
  { pass: 17 * hour - 2 * minute },
  { shows: "the next day: no prices, fallback", pass: 19 * hour + 2 * minute, commands: on },
  { pass: hour, commands: off },
]);

scenario(
  "three phases take a third of the time",
  "EV_CHARGE",
  { ...home, extras: { ...home.extras, phases: "3" } },
  [
    { rule: "on", commands: off },
    { prices },
    { pass: 61 * minute, commands: on },
    { pass: 18 * minute },
    { shows: "ends when the energy is delivered, also within a slot", pass: 2 * minute, commands: off },
    { pass: 17 * hour },
  ],
);

scenario("energy as it is measured", "EV_CHARGE", metered, [
  { rule: "on", commands: off },
  { prices },
  { pass: 61 * minute, commands: on },
  { shows: "less power", report: { meter: { activePower: 1600 } } },
  { report: { meter: { activePower: 1610 } } },
  { pass: 58 * minute },
  { shows: "in the slots that are cheapest next", pass: 2 * minute, commands: off },
  { report: { meter: { activePower: 0 } } },
  { pass: 6 * hour - 2 * minute },
  { pass: 2 * minute, commands: on },
  { report: { meter: { activePower: 1600 } } },
  { shows: "1.6 kWh in the first hour, and what was lacking of 2.3", pass: 26 * minute },
  { pass: 3 * minute, commands: off },
  { report: { meter: { activePower: 0 } } },
  { pass: 10 * hour },
]);

scenario("what is measured makes the plan anew", "EV_CHARGE", metered, [
  { rule: "on", commands: off },
  { prices: pricesFrom(noon, seven, 9, { 60: 1, 90: 3, 105: 3, 480: 2, 495: 2, 510: 2, 525: 2 }) },
  { pass: 61 * minute, commands: on },
  { shows: "less power takes more slots", report: { meter: { activePower: 1600 } } },
  { pass: 15 * minute, commands: off },
  { report: { meter: { activePower: 0 } } },
  { shows: "also once it is off: that at 13:30 too", pass: 15 * minute, commands: on },
]);

scenario("more than was expected", "EV_CHARGE", metered, [
  { rule: "on", commands: off },
  { prices },
  { pass: 61 * minute, commands: on },
  { report: { meter: { activePower: 4600 } } },
  { shows: "ends when the energy is delivered", pass: 28 * minute },
  { pass: 4 * minute, commands: off },
  { shows: "what flows without the rule does not count", report: { meter: { activePower: 4500 } } },
  { pass: 17 * hour },
]);

scenario("no car is there", "EV_CHARGE", metered, [
  { rule: "on", commands: off },
  { prices: pricesFrom(noon, seven, 9, { 60: 1, 75: 1, 90: 1, 105: 1, 900: 2, 915: 2, 930: 2, 945: 2 }) },
  { pass: 61 * minute, commands: on },
  { pass: 58 * minute },
  { shows: "nothing is delivered", pass: 2 * minute, commands: off },
  { pass: 13 * hour - 2 * minute },
  { shows: "so that it takes the slots that are cheapest next", pass: 2 * minute, commands: on },
]);

scenario("presence", "EV_CHARGE", { ...home, inputs: { presence: ["ann"] } }, [
  { rule: "on", commands: off },
  { prices },
  { report: { ann: { reachable: false } } },
  { shows: "not while nobody is at home", pass: 70 * minute },
  { shows: "from when somebody comes", report: { ann: { reachable: true } }, commands: on },
  { pass: 20 * minute },
  { shows: "to when all leave", report: { ann: { reachable: false } }, commands: off },
  { pass: 24 * hour },
]);

scenario("what was late", "EV_CHARGE", home, [
  { rule: "on", commands: off },
  { prices },
  { shows: "F: down at the begin", down: hour + 10 * minute, commands: on },
  { shows: "down at the end", down: 2 * hour, commands: off },
  { shows: "it has got what it needs meanwhile", pass: 16 * hour },
]);

scenario("somebody else", "EV_CHARGE", home, [
  { rule: "on", commands: off },
  { prices },
  { pass: 61 * minute, commands: on },
  { shows: "a person stops it", user: { charger: { isOn: false } } },
  { shows: "the rule keeps away", pass: hour, suppressed: ["charger"] },
]);

scenario("the rule goes off", "EV_CHARGE", home, [
  { rule: "on", commands: off },
  { prices },
  { pass: 61 * minute, commands: on },
  { shows: "outputs stay as they are", rule: "off" },
  { pass: 24 * hour },
]);
