import { clock, daily } from "../daily.ts";
import { scenario } from "../test-scenario.ts";

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

scenario("it chimes", "DOOR_CHIME", { ...home, extras: { cooldown: 10_000 } }, [
  { shows: "edge", ...rings(true), commands: on, alarms: ["DOOR_CHIME bell"] },
  { shows: "for a moment", pass: 3000, commands: off },
  { shows: "an edge, not a level", pass: 60_000 },
  { shows: "let go", ...rings(false) },
  { ...rings(true), pass: 3000, commands: off, alarms: ["DOOR_CHIME bell"] },
  rings(false),
  { shows: "cooldown", ...rings(true), pass: 8000 },
  { shows: "a door", report: { shop: { open: true } }, commands: on, alarms: ["DOOR_CHIME shop"] },
  { pass: 10_000, commands: off },
  { shows: "that closes", report: { shop: { open: false } } },
  {
    shows: "a button, and what plays already is left alone",
    report: { radio: { isOn: true }, knob: { button: 1, modifiers: [] } },
    commands: { gong: { sirenOn: true } },
    alarms: ["DOOR_CHIME knob"],
  },
  { pass: 60_000, commands: { gong: { sirenOn: false } } },
  { report: { knob: { button: 1, modifiers: ["stop"] } } },
  { shows: "known again after a start", resync: { shop: { open: true } } },
  { user: { radio: { isOn: false } } },
  {
    shows: "C6: a person has just turned it off",
    report: { knob: { button: 1, modifiers: [] } },
    commands: { gong: { sirenOn: true } },
    alarms: ["DOOR_CHIME knob"],
    suppressed: ["radio"],
  },
  {
    shows: "what rings does not go on when the rule is off",
    rule: "off",
    commands: { gong: { sirenOn: false } },
    suppressed: ["radio"],
  },
  { report: { shop: { open: false } } },
  { report: { shop: { open: true } } },
]);

scenario("late", "DOOR_CHIME", home, [
  { ...rings(true), commands: on, alarms: ["DOOR_CHIME bell"] },
  { shows: "it does not ring for ever", down: 600_000, commands: off },
  rings(false),
  { ...rings(true), commands: on, alarms: ["DOOR_CHIME bell"] },
]);

scenario(
  "quiet times",
  "DOOR_CHIME",
  { ...home, at: "2026-01-15T21:59:00+02:00", extras: { dnd: [daily(clock(22 * 60), clock(7 * 60))] } },
  [
    { ...rings(true), commands: on, alarms: ["DOOR_CHIME bell"] },
    { pass: 60_000, commands: off },
    rings(false),
    { shows: "dnd", ...rings(true), pass: 9 * 3_600_000 },
    rings(false),
    { ...rings(true), commands: on, alarms: ["DOOR_CHIME bell"] },
  ],
);
