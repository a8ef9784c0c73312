import { scenario } from "../test-scenario.ts";

const minute = 60_000;
const there = { reachable: true };
const gone = { reachable: false };

const home = {
  devices: {
    ann: ["UI_DEVICE", "USER_PRESENCE"],
    bob: ["UI_DEVICE", "USER_PRESENCE"],
  },
  inputs: { presence: ["ann", "bob"] },
  scenes: ["welcome", "goodbye"],
  extras: { arriveScene: "welcome", leaveScene: "goodbye" },
} as const;

scenario("who comes and goes", "PRESENCE_ARRIVE_LEAVE", home, [
  { shows: "at home when the rule goes on: no arrival", pass: 60 * minute },
  { shows: "somebody is still at home", report: { ann: gone }, pass: 60 * minute },
  { shows: "none home starts leaveDelay", report: { bob: gone } },
  { pass: 9 * minute },
  { shows: "home again in time: nothing happens", report: { bob: there }, pass: 60 * minute },
  { report: { bob: gone } },
  { pass: 10 * minute - 1000 },
  { shows: "none home for leaveDelay: leaveScene", pass: 1000, turned: { goodbye: true } },
  { pass: 600 * minute },
  { shows: "first home: arriveScene", report: { ann: there }, turned: { welcome: true } },
  { shows: "the second is no first", report: { bob: there }, pass: 60 * minute },
]);

scenario(
  "nobody at home when the rule goes on",
  "PRESENCE_ARRIVE_LEAVE",
  { ...home, shown: { ann: gone, bob: gone }, extras: { ...home.extras, leaveDelay: 0 } },
  [
    { shows: "no leaving", pass: 60 * minute },
    { report: { bob: there }, turned: { welcome: true } },
    { shows: "without a delay at once", report: { bob: gone }, turned: { goodbye: true } },
  ],
);

scenario("restored state", "PRESENCE_ARRIVE_LEAVE", home, [
  { shows: "what is restored is no leaving", resync: { ann: gone, bob: gone }, pass: 60 * minute },
  { shows: "and no arrival", resync: { ann: there }, pass: minute },
  { report: { ann: gone } },
  { pass: 10 * minute, turned: { goodbye: true } },
]);

scenario("the hub is down while they leave", "PRESENCE_ARRIVE_LEAVE", home, [
  { report: { ann: gone } },
  { report: { bob: gone } },
  {
    shows: "V: still nobody, once the radios have reported",
    down: 60 * minute,
    resync: { bob: gone },
    turned: { goodbye: true },
  },
]);

scenario("the hub is down when one comes back", "PRESENCE_ARRIVE_LEAVE", home, [
  { report: { ann: gone } },
  { report: { bob: gone } },
  {
    shows: "V: the condition holds no more",
    down: 60 * minute,
    resync: { bob: there },
    pass: 60 * minute,
  },
  { report: { bob: gone } },
  { pass: 10 * minute, turned: { goodbye: true } },
]);

scenario("the rule goes off", "PRESENCE_ARRIVE_LEAVE", home, [
  { report: { ann: gone } },
  { report: { bob: gone } },
  { shows: "timers are cancelled", rule: "off", pass: 60 * minute },
  { report: { bob: there } },
  { rule: "on" },
  { report: { bob: gone } },
  { pass: 10 * minute, turned: { goodbye: true } },
]);

scenario(
  "one scene only",
  "PRESENCE_ARRIVE_LEAVE",
  { ...home, extras: { arriveScene: "welcome", leaveDelay: minute } },
  [
    { report: { ann: gone } },
    { report: { bob: gone }, pass: 60 * minute },
    { report: { bob: there }, turned: { welcome: true } },
  ],
);
