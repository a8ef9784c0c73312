import { scenario } from "../test-scenario.ts";

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
/** The lamps are on already. */
const again = { siren: { isOn: true }, camera: {} };
const silent = { siren: { isOn: false } };
const sees = (motion: boolean) => ({ report: { hall: { motion } } });
const opens = (open: boolean) => ({ report: { door: { open } } });

scenario("disarmed, exit, armed, entry, alarm", "INTRUSION_ALARM", { ...home, off: true }, [
  { shows: "disarmed", ...opens(true), pass: 600_000 },
  { shows: "rule on = arm, after exitDelay", rule: "on" },
  { shows: "who leaves sets nothing off", ...sees(true), pass: 59_000 },
  { pass: 1000 },
  { shows: "what is open already is no intrusion", pass: 3_600_000 },
  { shows: "nor is what closes", ...sees(false) },
  { user: { lamp: { isOn: false }, siren: { isOn: false } } },
  { shows: "entry", ...sees(true), pass: 29_000 },
  {
    shows: "alarm, whatever a person has set by hand",
    pass: 1000,
    commands: alarm,
    alarms: ["INTRUSION hall"],
  },
  { shows: "the same sensor tells nothing new", ...sees(false) },
  sees(true),
  opens(false),
  { shows: "another one does", ...opens(true), commands: { camera: {} }, alarms: ["INTRUSION door"] },
  { pass: 299_000 },
  { shows: "sirenMax", pass: 1000, commands: silent },
  { shows: "armed again", ...opens(false) },
  { ...opens(true), pass: 30_000, commands: again, alarms: ["INTRUSION door"] },
  { shows: "one of two", close: ["INTRUSION", "hall"] },
  { shows: "closed by a person", close: ["INTRUSION", "door"], commands: silent },
  { shows: "time to leave again", ...sees(false) },
  { ...sees(true), pass: 60_000 },
  sees(false),
  { shows: "rule off in time: disarmed", ...sees(true), pass: 20_000 },
  { rule: "off", pass: 600_000 },
]);

scenario("scene off = disarm", "INTRUSION_ALARM", { ...home, extras: { entryDelay: 0, exitDelay: 0 } }, [
  { shows: "armed at once" },
  { shows: "known again after a start is no intrusion", resync: { door: { open: true } }, pass: 600_000 },
  { shows: "no entryDelay", ...sees(true), commands: alarm, alarms: ["INTRUSION hall"] },
  { shows: "disarmed: the siren is silent", rule: "off", commands: silent },
  { shows: "and armed anew", rule: "on" },
  sees(false),
  { ...sees(true), commands: again, alarms: ["INTRUSION hall"] },
  { shows: "F: it does not sound for ever", down: 3_600_000, commands: silent },
]);

scenario("presence", "INTRUSION_ALARM", { ...home, inputs: { ...home.inputs, presence: ["phone"] } }, [
  { shows: "somebody is home", ...sees(true), pass: 600_000 },
  sees(false),
  { shows: "all are gone", report: { phone: { reachable: false } }, pass: 60_000 },
  sees(true),
  { shows: "whoever comes home in time disarms it", report: { phone: { reachable: true } }, pass: 600_000 },
  sees(false),
  { report: { phone: { reachable: false } }, pass: 60_000 },
  { ...sees(true), pass: 30_000, commands: alarm, alarms: ["INTRUSION hall"] },
  { shows: "later somebody has to close the alarm", report: { phone: { reachable: true } } },
  { close: ["INTRUSION", "hall"], commands: silent },
]);
