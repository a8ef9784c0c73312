import type { Kernel } from "@ledge/kernel";
import { scanId } from "@ledge/model";
import type { About, AnyCommand } from "./random-configuration.ts";
import { chosen } from "./random-configuration.ts";
import { contentOf } from "./sample-devices.ts";

/** What can happen during pairing, and to the settings of a protocol. */
export const pairingMoves = [
  "scan",
  "find device",
  "find removed device",
  "lose find",
  "choose find",
  "end scan",
  "ignore device",
  "reset ignored",
  "set bacnet",
] as const;

type PairingMove = (typeof pairingMoves)[number];

export function isPairing(name: string): name is PairingMove {
  return pairingMoves.some((move) => move === name);
}

/** Returns the command of a move; see `commandOf`. */
export function pairingOf(
  name: PairingMove,
  pick: number,
  value: number,
  kernel: Pick<Kernel, "all">,
  about: About,
): AnyCommand | undefined {
  const [scan] = [...kernel.all("scan")].map(([, state]) => state);
  switch (name) {
    case "scan":
      return { type: "SCAN", durationMs: 1000 * (1 + (value % 60)) };
    case "find device":
      return find(`find ${pick % 5}`, null, value);
    case "find removed device": {
      const removed = [...kernel.all("binding")].filter(([, binding]) => binding.removed);
      const former = chosen(removed.map(([id]) => id).toSorted(), pick);
      const native = removed.find(([id]) => id === former)?.[1].native;
      return former === undefined || native === undefined ? undefined : find(native, former, value);
    }
    case "lose find":
      return { type: "NOTE_LOST", protocol: "sim", native: `find ${pick % 5}` };
    case "choose find": {
      const id = chosen(Object.keys(scan?.finds ?? {}).toSorted(), pick);
      return id === undefined ? undefined : { type: "SET_SCAN_RESULT", id, ignored: value % 4 === 0 };
    }
    case "end scan":
      return scan === undefined ? undefined : { type: "END_SCAN", id: scanId };
    case "ignore device":
      return about("device", { type: "CMD_IGNORE_DEVICE" });
    case "reset ignored":
      return { type: "CMD_RESET_IGNORED" };
    case "set bacnet":
      return value % 3 === 0
        ? { type: "RESET_BACNET_SETTINGS" }
        : { type: "BACNET_SETTINGS", ...bacnet(value) };
  }
}

function find(native: string, device: string | null, value: number): AnyCommand {
  const description = {
    name: `Found ${value % 3}`,
    radio: "sim",
    ...contentOf("LIGHT", ["DEVICE", "ON_OFF"]),
  };
  const isKnown = value % 4 !== 0;
  return {
    type: "NOTE_FOUND",
    protocol: "sim",
    native,
    device,
    description: isKnown ? description : null,
    pairingStatus: isKnown ? "COMPLETE" : "CONNECTING",
    actionRequired: value % 5 === 0,
    help: null,
  };
}

function bacnet(value: number): object {
  return {
    bacnetEnabled: value % 2 === 0,
    deviceId: value,
    deviceName: `B${value}`,
    port: 1025 + (value % 9),
  };
}
