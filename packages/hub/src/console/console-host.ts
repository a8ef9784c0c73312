import type { Sealing } from "@ledge/log";
import type { ClaimWindow } from "../users/claim-window.ts";
import type { CloudLink } from "../cloud/cloud-link.ts";
import type { Devices } from "../devices/devices.ts";
import type { IdentityKey } from "../secrets/identity-key.ts";
import type { History } from "../history/history.ts";
import type { LostFile } from "../start/lost-files.ts";
import type { HttpsState } from "../tls/https.ts";
import type { Updates } from "../update/updates.ts";

/** The parts of the process that only the console can reach. */
export interface ConsoleHost {
  readonly profile: string;
  readonly folder: string;
  /** The start of the process on the monotonic clock (ms). */
  readonly startedAt: number;
  readonly address: () => string | null;
  readonly https: () => HttpsState;
  readonly devices: Devices;
  readonly history: Pick<History, "status">;
  readonly link: CloudLink | undefined;
  readonly claim: ClaimWindow;
  /** Undefined for a machine that has none. */
  readonly updates: Updates | undefined;
  readonly identity: IdentityKey;
  /** The lost files of the data folder. */
  readonly lost: () => readonly LostFile[];
  /** Opens secrets for a backup. */
  readonly secrets: Pick<Sealing, "open">;
}
