import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import { eraseIfMarked, isMarkedForReset, markForReset } from "../folder/factory-reset.ts";
import { isServed, LockedError, lockFolder } from "@ledge/host/lock";
import { apiPrefix } from "../version.ts";
import { socketConsole } from "@ledge/host/cli/client";
import type { CliCommand, Invocation } from "@ledge/host/cli/command";
import { ask, CliError, exitCodes } from "@ledge/host/cli/command";

/** How long a hub may take to stop, and how often the command checks (ms). */
const stopMs = 30_000;
const lookMs = 100;

export const factoryReset: CliCommand = {
  words: "factory-reset",
  usage: "[--yes]",
  summary: "Erases the hub: keys, log, users, devices, networks; a hub that runs is stopped first",
  options: { yes: { type: "boolean", help: "does not ask" } },
  // The command opens no hub, because it must work on a damaged one too.
  standalone: true,
  async run(invocation) {
    const { folder, json, print } = invocation;
    if (!existsSync(folder)) throw new CliError(exitCodes.unavailable, `there is no ${folder}`);
    if (invocation.options["yes"] !== true) await confirm(invocation);
    if (await isServed(folder)) {
      await ask({ console: socketConsole(folder) }, "POST", `${apiPrefix}/console/factory-reset`);
      await erasedOnceStopped(folder);
    } else {
      await locked(folder, () => {
        markForReset(folder);
        eraseIfMarked(folder);
      });
    }
    print(json ? "true" : `${folder} is empty: the next start makes a new hub`);
    return exitCodes.done;
  },
};

async function confirm({ folder, interrupted }: Invocation): Promise<void> {
  if (!process.stdin.isTTY) throw new CliError(exitCodes.usage, "without a terminal, --yes is required");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const question = `Erase everything in ${folder}? There is no way back. Type "erase": `;
  const answer = await lines.question(question, { signal: interrupted }).catch(() => "");
  lines.close();
  if (answer.trim() !== "erase") throw new CliError(exitCodes.refused, "nothing was erased");
}

async function locked(folder: string, act: () => void): Promise<void> {
  const unlock = await lockFolder(folder, createServer());
  try {
    act();
  } finally {
    await unlock();
  }
}

/**
 * Erases the folder when its hub has stopped. A supervisor may restart the hub first; then that start erases
 * it.
 */
async function erasedOnceStopped(folder: string): Promise<void> {
  for (let waitedMs = 0; isMarkedForReset(folder); waitedMs += lookMs) {
    if (waitedMs >= stopMs)
      throw new CliError(
        exitCodes.unhealthy,
        "the hub does not stop: end it; its next start erases everything",
      );
    await setTimeout(lookMs);
    if (await isServed(folder)) continue;
    await locked(folder, () => eraseIfMarked(folder)).catch((error: unknown) => {
      if (!(error instanceof LockedError)) throw error;
    });
  }
}
