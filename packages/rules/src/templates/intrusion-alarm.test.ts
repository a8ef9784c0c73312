import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: {
    door: ["CONTACT", "CONTACT"],
    hall: ["MULTI_SENSOR", "MOTION", "CONTACT"],
    phone: ["UI_DEVICE", "USER_PRESENCE"],
    siren: ["ALARM_DEVICE", "ON_OFF", "GENERATE_ALERT"],
    lamp: ["LIGHT", "ON_OFF", "BRIGHTNESS"],
    camera: ["CAMERA", "RECORD_VIDEO"],
  },
  inputs: { sensors: ["door", "hall"] },
  outputs: { siren: ["siren"], lights: ["lamp"], cameras: ["camera"] },
} as const;

const alarm = { siren: { isOn: true }, lamp: { isOn: true, brightness: 1 }, camera: {} };
/** The lamps are already on. */
const again = { siren: { isOn: true }, camera: {} };
const silent = { siren: { isOn: false } };
const sees = (motion: boolean) => ({ report: { hall: { motion } } });
const opens = (open: boolean) => ({ report: { door: { open } } });

scenario("goes from exit delay to armed, entry delay and alarm", "INTRUSION_ALARM", { ...home, off: true }, [
  { shows: "the rule is off: disarmed", ...opens(true), pass: 600_000 },
  { shows: "rule on: armed after exitDelay", rule: "on" },
  { shows: "motion within exitDelay triggers nothing", ...sees(true), pass: 59_000 },
  { pass: 1000 },
  { shows: "a door that is already open raises no alarm", pass: 3_600_000 },
  { shows: "a sensor that clears raises no alarm", ...sees(false) },
  { user: { lamp: { isOn: false }, siren: { isOn: false } } },
  { shows: "motion: the entry delay begins", ...sees(true), pass: 29_000 },
  {
    shows: "alarm, also on devices that a person holds",
    pass: 1000,
    commands: alarm,
    alarms: ["INTRUSION hall"],
  },
  { shows: "the same sensor raises no second alarm", ...sees(false) },
  sees(true),
  opens(false),
  { shows: "another sensor does", ...opens(true), commands: { camera: {} }, alarms: ["INTRUSION door"] },
  { pass: 299_000 },
  { shows: "sirenMax ends the siren", pass: 1000, commands: silent },
  { shows: "armed again", ...opens(false) },
  { ...opens(true), pass: 30_000, commands: again, alarms: ["INTRUSION door"] },
  { shows: "one of two alarms is closed", close: ["INTRUSION", "hall"] },
  { shows: "a person closes the last one", close: ["INTRUSION", "door"], commands: silent },
  { shows: "a new exit delay", ...sees(false) },
  { ...sees(true), pass: 60_000 },
  sees(false),
  { shows: "rule off within the entry delay: disarmed", ...sees(true), pass: 20_000 },
  { rule: "off", pass: 600_000 },
]);

scenario(
  "arms and disarms with the rule",
  "INTRUSION_ALARM",
  { ...home, extras: { entryDelay: 0, exitDelay: 0 } },
  [
    { shows: "no exitDelay: armed at once" },
    { shows: "a restored state raises no alarm", resync: { door: { open: true } }, pass: 600_000 },
    { shows: "no entryDelay: alarm at once", ...sees(true), commands: alarm, alarms: ["INTRUSION hall"] },
    { shows: "rule off: the siren ends", rule: "off", commands: silent },
    { shows: "rule on: armed again", rule: "on" },
    sees(false),
    { ...sees(true), commands: again, alarms: ["INTRUSION hall"] },
    { shows: "late: the siren ends at the start", down: 3_600_000, commands: silent },
  ],
);

scenario(
  "arms itself when everybody has left",
  "INTRUSION_ALARM",
  { ...home, inputs: { ...home.inputs, presence: ["phone"] } },
  [
    { shows: "somebody is at home", ...sees(true), pass: 600_000 },
    sees(false),
    { shows: "everybody has left", report: { phone: { reachable: false } }, pass: 60_000 },
    sees(true),
    {
      shows: "a user who comes home within the entry delay disarms it",
      report: { phone: { reachable: true } },
      pass: 600_000,
    },
    sees(false),
    { report: { phone: { reachable: false } }, pass: 60_000 },
    { ...sees(true), pass: 30_000, commands: alarm, alarms: ["INTRUSION hall"] },
    { shows: "after that a user has to close the alarm", report: { phone: { reachable: true } } },
    { close: ["INTRUSION", "hall"], commands: silent },
  ],
);
