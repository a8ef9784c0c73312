import type { Kernel } from "@ledge/kernel";
import { LogError } from "@ledge/log";
import type { Command } from "@ledge/model";
import { isTimezone, limits } from "@ledge/model";
import { alarmOfHub } from "../notes/alarms.ts";
import { hubIdOf, rememberHubId } from "../folder/folder.ts";
import type { Logger } from "@ledge/host/logger";
import type { Notes } from "../notes/notes.ts";
import type { Profile } from "../profile.ts";
import { featureCodes } from "../profile.ts";
import { hubIdOfKey } from "@ledge/link";
import type { IdentityKey } from "../secrets/identity-key.ts";
import type { Lost } from "./start-kernel.ts";

interface EnsureOptions {
  readonly kernel: Kernel;
  readonly notes: Notes;
  readonly folder: string;
  readonly profile: Profile;
  readonly logger: Logger;
  /** Damage at the end of the log that is not reported yet. */
  readonly recovered: Lost | undefined;
  readonly identity: IdentityKey;
  readonly onFatal: (error: Error) => void;
}

/**
 * Returns the hub's id. A new log gets its hub, the profile's features and the factory scenes. Notes of the
 * start wait until the log takes them.
 * @returns `unknown` when neither the log nor the folder knows a hub and none may be made
 * @throws LogError `full` when there is no room for a new hub
 */
export async function ensureHub(options: EnsureOptions): Promise<string> {
  const { kernel, folder, identity, onFatal } = options;
  const isServing = kernel.health.state === "serving";
  if (kernel.size("hub") === 0) {
    if (kernel.health.state === "read-only") throw new LogError("full", kernel.health.reason ?? "");
    if (!isServing) return hubIdOf(folder) ?? "unknown";
    await createHub(kernel, identity, options.profile);
  }
  const [id] = [...kernel.all("hub")][0] as [string, unknown];
  if (isServing) await writeDown(options, id);
  else onceServing(kernel, () => void writeDown(options, id).catch((error: Error) => onFatal(error)));
  return id;
}

/** Derives the hub's id from its key, so that nobody else can register the id with a cloud. */
async function createHub(kernel: Kernel, identity: IdentityKey, { share }: Profile): Promise<void> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const timezone = isTimezone(timeZone) ? timeZone : "UTC";
  const { x } = identity.isKept ? identity.key.publicJwk : {};
  const id = x === undefined ? {} : { id: hubIdOfKey(x) };
  await submit(kernel, { type: "CREATE_HUB", ...id, name: "Ledge", timezone });
  const [made] = [...kernel.all("hub")][0] ?? [];
  if (made !== undefined && share !== undefined) await submit(kernel, { type: "SET_SHARE", id: made, share });
}

async function writeDown(options: EnsureOptions, id: string): Promise<void> {
  const { kernel, folder, profile } = options;
  await tellLost(options, id);
  if (hubIdOf(folder) !== id) rememberHubId(folder, id);
  await submit(kernel, { type: "SET_FEATURES", id, features: featureCodes(profile) });
  await submit(kernel, { type: "ADD_FACTORY_SCENES" });
}

/**
 * Reports an unreadable end of the log that was cut off. Clients may have seen the lost commits, so their
 * cursors become invalid, and no new timestamp may be one that they know.
 */
async function tellLost({ recovered, kernel, notes, logger }: EnsureOptions, id: string): Promise<void> {
  if (recovered === undefined) return;
  const { problem, lostUntil } = recovered;
  kernel.raiseTimestamp(Math.max(kernel.now(), lostUntil) + limits.clockLeadMs);
  await submit(kernel, { type: "OPEN_EPOCH", id, reason: problem });
  await alarmOfHub(kernel, notes, id, "LOG_DAMAGED", problem);
  // A repeated report is better than none.
  await recovered
    .settle()
    .catch((error: unknown) => logger.warn({ error }, "the next start will report the damage again"));
}

/** Calls back once, when the kernel serves. */
function onceServing(kernel: Kernel, callback: () => void): void {
  const end = kernel.subscribe({
    stateChanged: (state) => {
      if (state !== "serving") return;
      end();
      callback();
    },
  });
}

async function submit(kernel: Kernel, command: Command & Record<string, unknown>): Promise<void> {
  const outcome = await kernel.submit({ commands: [command], origin: "system" });
  if (!outcome.accepted) throw new Error(`${command.type}: ${outcome.rejection.message}`);
}
