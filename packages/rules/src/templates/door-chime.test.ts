import { clock, daily } from "../schedule/daily.ts";
import { scenario } from "../testdata/scenario.ts";

const home = {
  devices: {
    bell: ["DOORBELL", "DOORBELL"],
    shop: ["CONTACT", "CONTACT"],
    knob: ["REMOTE_CONTROL", "REMOTE_CONTROL"],
    gong: ["ALARM_DEVICE", "GENERATE_ALERT"],
    radio: ["MEDIA_RENDERER", "ON_OFF", "VOLUME"],
  },
  inputs: { bell: ["bell", "shop", "knob"] },
  outputs: { speaker: ["gong", "radio"] },
  shown: { gong: { sirenOn: false } },
} as const;

const on = { gong: { sirenOn: true }, radio: { isOn: true } };
const off = { gong: { sirenOn: false }, radio: { isOn: false } };
const rings = (alert: boolean) => ({ report: { bell: { alert } } });

scenario("chimes and tells people", "DOOR_CHIME", { ...home, extras: { cooldown: 10_000 } }, [
  { shows: "the bell rings", ...rings(true), commands: on, alarms: ["DOOR_CHIME bell"] },
  { shows: "for a moment", pass: 3000, commands: off },
  { shows: "it reacts to an edge, not to a level", pass: 60_000 },
  { shows: "the button is released", ...rings(false) },
  { ...rings(true), pass: 3000, commands: off, alarms: ["DOOR_CHIME bell"] },
  rings(false),
  { shows: "a second ring within the cooldown is ignored", ...rings(true), pass: 8000 },
  { shows: "a door opens", report: { shop: { open: true } }, commands: on, alarms: ["DOOR_CHIME shop"] },
  { pass: 10_000, commands: off },
  { shows: "a door closes", report: { shop: { open: false } } },
  {
    shows: "a button; a speaker that is already playing is left alone",
    report: { radio: { isOn: true }, knob: { button: 1, modifiers: [] } },
    commands: { gong: { sirenOn: true } },
    alarms: ["DOOR_CHIME knob"],
  },
  { pass: 60_000, commands: { gong: { sirenOn: false } } },
  { report: { knob: { button: 1, modifiers: ["stop"] } } },
  { shows: "a restored state does not ring", resync: { shop: { open: true } } },
  { user: { radio: { isOn: false } } },
  {
    shows: "a person has just turned the gong off",
    report: { knob: { button: 1, modifiers: [] } },
    commands: { gong: { sirenOn: true } },
    alarms: ["DOOR_CHIME knob"],
    suppressed: ["radio"],
  },
  {
    shows: "rule off silences what rings",
    rule: "off",
    commands: { gong: { sirenOn: false } },
    suppressed: ["radio"],
  },
  { report: { shop: { open: false } } },
  { report: { shop: { open: true } } },
]);

scenario("ends the sound when the hub was down", "DOOR_CHIME", home, [
  { ...rings(true), commands: on, alarms: ["DOOR_CHIME bell"] },
  { shows: "late: fires at the start", down: 600_000, commands: off },
  rings(false),
  { ...rings(true), commands: on, alarms: ["DOOR_CHIME bell"] },
]);

scenario(
  "stays silent in quiet times",
  "DOOR_CHIME",
  { ...home, at: "2026-01-15T21:59:00+02:00", extras: { dnd: [daily(clock(22 * 60), clock(7 * 60))] } },
  [
    { ...rings(true), commands: on, alarms: ["DOOR_CHIME bell"] },
    { pass: 60_000, commands: off },
    rings(false),
    { shows: "within the quiet times", ...rings(true), pass: 9 * 3_600_000 },
    rings(false),
    { ...rings(true), commands: on, alarms: ["DOOR_CHIME bell"] },
  ],
);
