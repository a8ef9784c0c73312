import { cell, hygrometer, thermometer } from "./behaviour/air.ts";
import { light } from "./behaviour/light.ts";
import { relay } from "./behaviour/power.ts";
import { remote } from "./behaviour/presence.ts";
import type { DeviceRow } from "./home.ts";
import { pairedByRequest } from "./radios.ts";

/**
 * A step of a stray's pairing, at a time after it was found. The hub does not know what it is until `known`.
 */
export type StrayStep =
  | {
      readonly atMs: number;
      readonly status: "CONNECTING" | "CONNECTED" | "COMPLETE";
      readonly known?: true;
      readonly actionRequired?: true;
      readonly help?: string;
    }
  | { readonly atMs: number; readonly lost: true };

/** A device outside the home, and the course of its pairing. */
export interface Stray {
  readonly row: DeviceRow;
  /** Absent when no window finds it, because a request pairs it. */
  readonly course?: readonly StrayStep[];
  /** The course after somebody presses its button. */
  readonly pressed?: readonly StrayStep[];
}

const near = { radio: "air", place: "outdoors" } as const;
const joined: readonly StrayStep[] = [
  { atMs: 0, status: "CONNECTED", known: true },
  { atMs: 1000, status: "COMPLETE", known: true },
];

/** Devices to pair: one joins at once, one needs its button, one fails, one goes away again. */
export const strays: readonly Stray[] = [
  {
    row: {
      ...near,
      native: "stray/porch",
      class: "LIGHT",
      name: "Porch lamp",
      model: "Glow White",
      capabilities: ["ON_OFF", "CONTROL_LIGHT", "BRIGHTNESS"],
      parts: [light({ dims: true })],
    },
    course: joined,
  },
  {
    row: {
      ...near,
      native: "stray/remote",
      class: "REMOTE_CONTROL",
      name: "Garden remote",
      model: "Two keys",
      capabilities: ["REMOTE_CONTROL", "BATTERY_U"],
      parts: [remote(2, 24 * 3_600_000), cell],
    },
    course: [{ atMs: 0, status: "CONNECTING", actionRequired: true, help: "pairing.press-button" }],
    pressed: joined,
  },
  {
    row: {
      ...near,
      native: "stray/weather",
      class: "MULTI_SENSOR",
      name: "Weather station",
      model: "Air O",
      capabilities: ["TEMPERATURE", "HUMIDITY"],
      parts: [thermometer, hygrometer],
    },
    course: [
      { atMs: 0, status: "CONNECTING", help: "pairing.wait" },
      { atMs: 3000, status: "CONNECTING", actionRequired: true, help: "pairing.failed" },
    ],
  },
  {
    row: {
      ...near,
      native: "stray/passing",
      class: "POWER_SOCKET",
      name: "Plug of a neighbour",
      model: "Plug S",
      capabilities: ["ON_OFF", "CONTROL_POWER"],
      parts: [relay(true)],
    },
    course: [...joined, { atMs: 4000, lost: true }],
  },
  {
    row: {
      ...near,
      native: pairedByRequest.plug433,
      class: "POWER_SOCKET",
      name: "433 MHz plug",
      model: "Plug 433",
      capabilities: ["ON_OFF", "CONTROL_POWER"],
      parts: [relay(true)],
    },
  },
  {
    row: {
      ...near,
      radio: "wire",
      native: pairedByRequest.bacnetSensor,
      class: "MULTI_SENSOR",
      name: "Supply air",
      model: "Air handler",
      capabilities: ["TEMPERATURE"],
      parts: [thermometer],
    },
  },
];
