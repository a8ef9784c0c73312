import { randomBytes, randomUUID } from "node:crypto";
import type { BackupSubject, Since } from "@ledge/host/backup/subject";
import { createLogger } from "@ledge/host/logger";
import { type Clock, replay } from "@ledge/kernel";
import { openCloud } from "../cloud.ts";
import { goneLog, issuerOf } from "./folder.ts";
import { cloudAggregates, cloudDeclared } from "../model/index.ts";
import type { CloudStates } from "../model/states.ts";
import type { AnyCommand } from "../model/submitting.ts";
import { release } from "../version.ts";

/** The cloud as a subject of backups (decision 45). */
export const cloudSubject: BackupSubject = {
  kind: "cloud",
  declared: cloudDeclared,
  upcasters: {},
  needsSecrets: true,
  restored: "All users are logged out. Check who was given or lost access since the backup.",
  epochEvent: null,
  forgetting: { forgotten: "AccountForgotten", added: "AccountAdded" },
  layout: {
    settings: new Set(["cloud.json"]),
    local: new Set(["secret-key", "registers", "node"]),
    folders: [],
  },
  goneLog,
  replay: (log) =>
    replay<CloudStates>({ aggregates: cloudAggregates, categories: [], epochEvent: "", release, log }),
  problemIn: (folder, { issuer }) => (issuerOf(folder) === issuer ? undefined : "is of more than one cloud"),
  resume,
};

/** A clock whose timers never fire. */
const stillClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: () => () => {},
};

/**
 * Adapts a restored cloud to what happened after the backup: renumbers the lists, since hubs have seen newer
 * numbers, ends all sessions, and forgets accounts again that were forgotten.
 */
async function resume(folder: string, { above, forgotten }: Since): Promise<number> {
  const cloud = await openCloud({
    folder,
    issuer: issuerOf(folder) ?? "",
    clock: stillClock,
    newId: randomUUID,
    random: randomBytes,
    logger: createLogger("error"),
    onFatal: () => {},
    release,
  });
  const { kernel, sharing } = cloud;
  try {
    kernel.raiseTimestamp(above);
    const number = Math.max(kernel.now(), above);
    const commands: AnyCommand[] = [
      ...[...kernel.all("authorizations")].map(([id]) => ({ type: "RENUMBER_LIST", id, above: number })),
      ...[...kernel.all("sessions")].map(([id]) => ({ type: "END_SESSIONS", id })),
    ];
    for (const command of commands) {
      const outcome = await kernel.submit({ commands: [command], origin: "console" });
      if (!outcome.accepted) throw new Error(outcome.rejection.message);
    }
    // An owner whose hub belongs to somebody else now loses the name, but the account stays.
    for (const account of forgotten) await sharing.forget(account, "console");
    return kernel.timestamp;
  } finally {
    await cloud.close();
  }
}
