import { join } from "node:path";
import { logFolder } from "@ledge/host/folder";
import type { Logger } from "@ledge/host/logger";
import { type Clock, systemClock } from "@ledge/kernel";
import { declared } from "@ledge/model";
import { lookAtLog } from "../start/log-task.ts";
import { openEpochIn } from "../repair/new-epoch.ts";
import type { Profile } from "../profile.ts";
import type { RunningHub } from "../hub.ts";
import { release } from "../version.ts";
import { formatsOf } from "./formats.ts";
import { Rauc } from "./rauc.ts";
import { updateFolder } from "./update-file.ts";
import { Updates } from "./updates.ts";

/** Returns the updates of a machine that an image was made for; undefined for others. */
export function openUpdates(
  profile: Profile,
  folder: string,
  logger: Logger,
  reboot: () => void,
): Updates | undefined {
  if (profile.updates === undefined) return undefined;
  return new Updates({
    folder,
    backend: new Rauc({ work: join(updateFolder(folder), "check") }),
    running: { version: release, profile: profile.name, formats: formatsOf(declared) },
    url: profile.updates.url,
    clock: systemClock,
    logger,
    reboot,
    onRestored: async (reason) => {
      // Clients may know more than the log that counts again: each gets a full answer.
      await openEpochIn(folder, { reason, above: systemClock.wall() });
    },
  });
}

/** Has a release on trial kept once it has served, and looks for newer ones. */
export function watchUpdates(
  updates: Updates | undefined,
  { kernel, lost }: Pick<RunningHub, "kernel" | "lost">,
  folder: string,
  clock: Pick<Clock, "after">,
): void {
  updates?.watchFeed();
  updates?.watch({
    clock,
    isServing: () => kernel.health.state === "serving" && lost().length === 0,
    walkLog: () => damageOf(folder),
  });
}

async function damageOf(folder: string): Promise<string | undefined> {
  let found: string | undefined = "the log was not walked to its end";
  const failed = await lookAtLog("verify", logFolder(folder), (report) => {
    if (report.type === "verified") found = report.verification.damage[0]?.problem;
    else if (report.type === "damaged" || report.type === "refused") found = report.message;
  });
  return failed === undefined ? found : failed.how;
}
