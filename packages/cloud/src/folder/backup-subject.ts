import { randomBytes, randomUUID } from "node:crypto";
import type { BackupSubject, Since } from "@ledge/host/backup/subject";
import { createLogger } from "@ledge/host/logger";
import { type Clock, replay } from "@ledge/kernel";
import { openCloud } from "../cloud.ts";
import { goneLog, issuerOf } from "./folder.ts";
import { cloudAggregates, cloudDeclared } from "../model/index.ts";
import type { CloudStates } from "../model/states.ts";
import type { AnyCommand } from "../parts.ts";
import { release } from "../version.ts";

/** A cloud, as what is backed up (decision 45). */
export const cloudSubject: BackupSubject = {
  kind: "cloud",
  declared: cloudDeclared,
  upcasters: {},
  needsSecrets: true,
  restored:
    "Nobody is logged in any more. Who was given or refused access since the backup is to be looked at.",
  epochEvent: null,
  forgetting: { forgotten: "AccountForgotten", added: "AccountAdded" },
  layout: {
    settings: new Set(["cloud.json"]),
    local: new Set(["secret-key"]),
    folders: [],
  },
  goneLog,
  replay: (log) =>
    replay<CloudStates>({ aggregates: cloudAggregates, categories: [], epochEvent: "", release, log }),
  problemIn: (folder, { issuer }) => (issuerOf(folder) === issuer ? undefined : "is of more than one cloud"),
  resume,
};

/** Nothing that waits comes due under it. */
const stillClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: () => () => {},
};

/**
 * Hubs have seen numbers that the log does not know, people have logged out and were forgotten since: no number is
 * given twice, nobody is logged in, and who was forgotten stays so.
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
    // Of an owner, whose hub somebody else has got since, the name is gone and the account stays.
    for (const account of forgotten) await sharing.forget(account, "console");
    return kernel.timestamp;
  } finally {
    await cloud.close();
  }
}
