import { orNull } from "@ledge/model";
import Type from "typebox";

/** How far the hub's own update is. */
export const HubUpdate = Type.Object({
  type: Type.Literal("HUB_UPDATE"),
  release: Type.String(),
  /** Whether this machine installs releases by itself; otherwise its package or its image is what is updated. */
  updatesItself: Type.Boolean(),
  /** `INSTALLED`: it runs after the next reboot. `TRIAL`: it runs, and stays if it serves for a minute. */
  phase: Type.Enum(["IDLE", "FETCHING", "CHECKING", "INSTALLING", "INSTALLED", "TRIAL", "RETURNING"]),
  /** The release that is being installed or tried. */
  version: orNull(Type.String()),
  pctComplete: orNull(Type.Number()),
  /** A newer release, as of the last check. */
  available: orNull(Type.String()),
  /** How the last update ended. */
  outcome: orNull(
    Type.Object({
      result: Type.Enum(["INSTALLED", "FAILED", "ROLLED_BACK"]),
      version: orNull(Type.String()),
      message: orNull(Type.String()),
      at: Type.Integer(),
    }),
  ),
  /**
   * The release that a rollback brings back. `losesSince`: all that the hub recorded since then (ms since the epoch)
   * would be lost, because that release cannot read it; null: nothing would.
   */
  previous: orNull(Type.Object({ version: Type.String(), losesSince: orNull(Type.Integer()) })),
});
export type HubUpdate = Type.Static<typeof HubUpdate>;
