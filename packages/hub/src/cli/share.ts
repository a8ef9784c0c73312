import { type Share, shares, type Sharing } from "@ledge/model";
import type Type from "typebox";
import type { CliCommand } from "@ledge/host/cli/command";
import { ask, CliError, exitCodes } from "@ledge/host/cli/command";
import { apiPrefix } from "../version.ts";

const said: Readonly<Record<Share, string>> = {
  none: "the cloud keeps nothing of this home",
  states: "the cloud keeps the states of this home's devices, and its alarms",
};

export const share: CliCommand = {
  words: "share",
  usage: "[SHARE]",
  summary: "Shows or sets what the cloud may keep of the home: none, or states",
  async run(invocation) {
    const [wanted, ...rest] = invocation.positionals;
    if (rest.length > 0 || (wanted !== undefined && !(shares as readonly string[]).includes(wanted)))
      throw new CliError(exitCodes.usage, "say none, or states");
    const path = `${apiPrefix}/hub/sharing`;
    const shown =
      wanted === undefined
        ? await ask<Type.Static<typeof Sharing>>(invocation, "GET", path)
        : await ask<Type.Static<typeof Sharing>>(invocation, "PUT", path, { type: "SHARING", share: wanted });
    invocation.print(invocation.json ? JSON.stringify(shown) : said[shown.share]);
    return exitCodes.done;
  },
};
