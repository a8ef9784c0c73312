import { Cluster } from "../cluster.ts";
import type { Keyboard } from "./remote.ts";

const [scenes, onOff, level, color] = [0x0005, 0x0006, 0x0008, 0x0300];
const ikea = 0x117c;

/** TRADFRI remote control (five buttons). Its arrows use IKEA's own commands in the scenes cluster. */
export const ikeaRemote = {
  toggle: { press: [{ cluster: onOff, command: 0x02 }] },
  up: {
    press: [{ cluster: level, command: 0x06, payload: [0, 43, 5, 0] }],
    hold: [{ cluster: level, command: 0x05, payload: [0, 83] }],
    release: [{ cluster: level, command: 0x07 }],
  },
  down: {
    press: [{ cluster: level, command: 0x02, payload: [1, 43, 5, 0] }],
    hold: [{ cluster: level, command: 0x01, payload: [1, 83] }],
    release: [{ cluster: level, command: 0x03 }],
  },
  left: {
    press: [{ cluster: scenes, command: 0x07, payload: [1, 1, 13, 0], manufacturer: ikea }],
    hold: [{ cluster: scenes, command: 0x08, payload: [1, 13, 0], manufacturer: ikea }],
    release: [{ cluster: scenes, command: 0x09, payload: [0, 0], manufacturer: ikea }],
  },
  right: {
    press: [{ cluster: scenes, command: 0x07, payload: [0, 1, 13, 0], manufacturer: ikea }],
    hold: [{ cluster: scenes, command: 0x08, payload: [0, 13, 0], manufacturer: ikea }],
    release: [{ cluster: scenes, command: 0x09, payload: [0, 0], manufacturer: ikea }],
  },
} satisfies Keyboard;

/** TRADFRI wireless dimmer (ICTC-G-1), a dial. */
export const ikeaDimmer = {
  dial: {
    up: [{ cluster: level, command: 0x05, payload: [0, 195] }],
    down: [{ cluster: level, command: 0x01, payload: [1, 195] }],
    stop: [{ cluster: level, command: 0x07 }],
    on: [{ cluster: level, command: 0x04, payload: [255, 0, 0] }],
    off: [{ cluster: level, command: 0x04, payload: [0, 0, 0] }],
  },
} satisfies Keyboard;

/** A remote of no known make, with a scene button and colour temperature. */
export const plainRemote = {
  on: { press: [{ cluster: onOff, command: 0x01 }] },
  off: { press: [{ cluster: onOff, command: 0x00 }] },
  brighter: {
    press: [{ cluster: level, command: 0x06, payload: [0, 32, 10, 0] }],
    hold: [{ cluster: level, command: 0x05, payload: [0, 50] }],
    release: [{ cluster: level, command: 0x07 }],
  },
  darker: {
    press: [{ cluster: level, command: 0x06, payload: [1, 32, 10, 0] }],
    hold: [{ cluster: level, command: 0x05, payload: [1, 50] }],
    release: [{ cluster: level, command: 0x07 }],
  },
  scene: { press: [{ cluster: scenes, command: 0x05, payload: [0, 0, 1] }] },
  warmer: { press: [{ cluster: color, command: 0x4c, payload: [1, 69, 0, 10, 0, 0, 0, 0, 0] }] },
  cooler: { press: [{ cluster: color, command: 0x4c, payload: [3, 69, 0, 10, 0, 0, 0, 0, 0] }] },
} satisfies Keyboard;

const tuyaKey = (endpoint: number) => ({
  press: [{ endpoint, cluster: onOff, command: 0xfd, payload: [0] }],
  double: [{ endpoint, cluster: onOff, command: 0xfd, payload: [1] }],
  hold: [{ endpoint, cluster: onOff, command: 0xfd, payload: [2] }],
});

/** TS004F in its event mode: Tuya's own command in the on/off cluster, one endpoint per key. */
export const tuyaRemote = { 1: tuyaKey(1), 2: tuyaKey(2), 3: tuyaKey(3), 4: tuyaKey(4) } satisfies Keyboard;

/**
 * Returns the other parts of TS004F: Tuya's attributes in the basic and on/off clusters. Mode 1 is the event
 * mode.
 */
export function tuyaRemoteParts() {
  const operationMode = { id: 0x8004, type: "enum8", value: 1, isWritable: true } as const;
  return {
    own: { id: 0xfffe, type: "enum8", value: 0 } as const,
    further: [new Cluster(onOff, { operationMode })],
  };
}
