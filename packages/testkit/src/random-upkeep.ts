import type { Kernel } from "@ledge/kernel";
import type { About, AnyCommand } from "./random-configuration.ts";
import { setting, upgradeAvailable } from "./sample-devices.ts";

/** What can happen to the settings and the firmware of devices. */
export const upkeepMoves = [
  "describe configuration",
  "configure device",
  "reset configuration",
  "settle configuration",
  "note upgrade",
  "start upgrade",
  "refuse upgrade",
] as const;

type UpkeepMove = (typeof upkeepMoves)[number];

export function isUpkeep(name: string): name is UpkeepMove {
  return upkeepMoves.some((move) => move === name);
}

/** Returns the command of a move; see `commandOf`. */
export function upkeepOf(
  name: UpkeepMove,
  value: number,
  kernel: Pick<Kernel, "all">,
  about: About,
): AnyCommand | undefined {
  switch (name) {
    case "describe configuration":
      return about("device", { type: "DESCRIBE_CONFIGURATION", ...settings(value) });
    case "configure device":
      return about("configuration", {
        type: "CONFIGURATION",
        parameters: { offset: (value % 11) - 5, lock: value % 2 === 0 },
      });
    case "reset configuration":
      return about("configuration", { type: "RESET_CONFIGURATION" });
    case "settle configuration": {
      const waiting = [...kernel.all("configuration")].find(([, { pending }]) => pending.length > 0);
      const request = waiting?.[1].pending[0]?.request;
      if (waiting === undefined || request === undefined) return undefined;
      return value % 3 === 0
        ? { type: "NOTE_CONFIGURATION_FAILED", id: waiting[0], request, code: "timeout", message: "silence" }
        : { type: "NOTE_CONFIGURED", id: waiting[0], request };
    }
    case "note upgrade":
      return about("device", { type: "NOTE_UPGRADE", upgrade: value % 7 === 0 ? null : report(value) });
    case "start upgrade":
      return about("upgrade", { type: "CMD_START_UPGRADE" });
    case "refuse upgrade": {
      const asked = [...kernel.all("upgrade")].find(([, { requested }]) => requested !== null);
      if (asked === undefined) return undefined;
      const request = asked[1].requested;
      return { type: "NOTE_UPGRADE_REFUSED", id: asked[0], request, code: "refused", message: "battery" };
    }
  }
}

function settings(value: number): object {
  const [offset, lock] = [setting("offset", "NUMBER", { defaultValue: 0 }), setting("lock", "BOOL")];
  if (value % 5 === 0) return { items: null, values: {} };
  return { items: value % 2 === 0 ? [offset, lock] : [lock], values: { lock: value % 3 === 0 } };
}

function report(value: number): object {
  const statuses = ["UP_TO_DATE", "AVAILABLE", "INSTALLING", "FAILED"];
  const status = statuses[value % statuses.length];
  return { ...upgradeAvailable, status, fwVersion: `${value % 3}`, newFwVersion: null, lastUpgrade: value };
}
