import { apiPrefix } from "../version.ts";
import type { CliCommand } from "@ledge/host/cli/command";
import { ask, CliError, exitCodes } from "@ledge/host/cli/command";
import { userIdOf } from "./user.ts";

interface Approved {
  readonly keyId: string;
  readonly userId: string;
  readonly name: string;
}

export const loginApprove: CliCommand = {
  words: "login approve",
  usage: "CODE [--user ID|EMAIL | --panel]",
  summary: "Lets in the browser that shows CODE: as the owner, as another user, or as a panel",
  options: {
    user: { type: "string", help: "the user, instead of the owner" },
    panel: { type: "boolean", help: "a new user with the role of a guest, such as a tablet on a wall" },
  },
  async run(invocation) {
    const [code, ...more] = invocation.positionals;
    const { user, panel } = invocation.options;
    if (code === undefined || more.length > 0) throw new CliError(exitCodes.usage, "say exactly one code");
    if (user !== undefined && panel === true)
      throw new CliError(exitCodes.usage, "a panel is a user of its own: say --user or --panel");
    const body = {
      code,
      ...(typeof user === "string" && { userId: await userIdOf(invocation, user) }),
      ...(panel === true && { panel }),
    };
    const approved = await ask<Approved>(invocation, "POST", `${apiPrefix}/hub/logins/approve`, body);
    const { name, userId, keyId } = approved;
    invocation.print(
      invocation.json ? JSON.stringify(approved) : `${name} is in, as ${userId}: key ${keyId}`,
    );
    return exitCodes.done;
  },
};
