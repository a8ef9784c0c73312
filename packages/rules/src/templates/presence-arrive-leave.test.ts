import { scenario } from "../testdata/scenario.ts";

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

scenario("turns scenes on when people arrive and leave", "PRESENCE_ARRIVE_LEAVE", home, [
  { shows: "at home when the rule goes on: not an arrival", pass: 60 * minute },
  { shows: "one leaves, one is still at home", report: { ann: gone }, pass: 60 * minute },
  { shows: "everybody has left: leaveDelay begins", report: { bob: gone } },
  { pass: 9 * minute },
  { shows: "home again in time: nothing happens", report: { bob: there }, pass: 60 * minute },
  { report: { bob: gone } },
  { pass: 10 * minute - 1000 },
  { shows: "nobody home for leaveDelay: leaveScene", pass: 1000, turned: { goodbye: true } },
  { pass: 600 * minute },
  { shows: "the first one home: arriveScene", report: { ann: there }, turned: { welcome: true } },
  { shows: "the second one home changes nothing", report: { bob: there }, pass: 60 * minute },
]);

scenario(
  "does not take an empty home at the start for leaving",
  "PRESENCE_ARRIVE_LEAVE",
  { ...home, shown: { ann: gone, bob: gone }, extras: { ...home.extras, leaveDelay: 0 } },
  [
    { shows: "no leaveScene", pass: 60 * minute },
    { report: { bob: there }, turned: { welcome: true } },
    { shows: "without a delay the scene goes on at once", report: { bob: gone }, turned: { goodbye: true } },
  ],
);

scenario("takes restored states for neither arriving nor leaving", "PRESENCE_ARRIVE_LEAVE", home, [
  { shows: "a restored absence is not leaving", resync: { ann: gone, bob: gone }, pass: 60 * minute },
  { shows: "a restored presence is not an arrival", resync: { ann: there }, pass: minute },
  { report: { ann: gone } },
  { pass: 10 * minute, turned: { goodbye: true } },
]);

scenario("looks again when everybody left before the hub went down", "PRESENCE_ARRIVE_LEAVE", home, [
  { report: { ann: gone } },
  { report: { bob: gone } },
  {
    shows: "late: looks again, still nobody at home",
    down: 60 * minute,
    resync: { bob: gone },
    turned: { goodbye: true },
  },
]);

scenario("looks again when somebody came back while the hub was down", "PRESENCE_ARRIVE_LEAVE", home, [
  { report: { ann: gone } },
  { report: { bob: gone } },
  {
    shows: "late: looks again, somebody is at home",
    down: 60 * minute,
    resync: { bob: there },
    pass: 60 * minute,
  },
  { report: { bob: gone } },
  { pass: 10 * minute, turned: { goodbye: true } },
]);

scenario("cancels its delay when it goes off", "PRESENCE_ARRIVE_LEAVE", home, [
  { report: { ann: gone } },
  { report: { bob: gone } },
  { shows: "the delay is cancelled", rule: "off", pass: 60 * minute },
  { report: { bob: there } },
  { rule: "on" },
  { report: { bob: gone } },
  { pass: 10 * minute, turned: { goodbye: true } },
]);

scenario(
  "works with one scene alone",
  "PRESENCE_ARRIVE_LEAVE",
  { ...home, extras: { arriveScene: "welcome", leaveDelay: minute } },
  [
    { report: { ann: gone } },
    { report: { bob: gone }, pass: 60 * minute },
    { report: { bob: there }, turned: { welcome: true } },
  ],
);
