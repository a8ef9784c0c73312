import { isServed } from "@ledge/host/lock";
import { apiPrefix } from "../version.ts";
import { socketConsole } from "@ledge/host/cli/client";
import type { CliCommand } from "@ledge/host/cli/command";
import { ask, CliError, exitCodes } from "@ledge/host/cli/command";

export const claimOpen: CliCommand = {
  words: "claim open",
  usage: "",
  summary: "Lets a running hub without an owner be claimed for the next 30 minutes",
  // The claim window belongs to the running hub, so no stopped hub is opened for this command.
  standalone: true,
  async run({ folder, print, json }) {
    if (!(await isServed(folder)))
      throw new CliError(exitCodes.unavailable, `no hub is running on ${folder}`);
    const path = `${apiPrefix}/console/claim/open`;
    const opened = await ask<{ code: string }>({ console: socketConsole(folder) }, "POST", path);
    print(json ? JSON.stringify(opened) : `the hub can be claimed: setup code ${opened.code}`);
    return exitCodes.done;
  },
};
