import { apiPrefix } from "../version.ts";
import type { CliCommand } from "@ledge/host/cli/command";
import { ask, CliError, exitCodes } from "@ledge/host/cli/command";

export const ownerTransfer: CliCommand = {
  words: "owner transfer",
  usage: "EMAIL",
  summary: "Makes somebody else the owner, a user of the hub or not yet; who was it becomes an admin",
  async run(invocation) {
    const [email, ...rest] = invocation.positionals;
    if (email === undefined || rest.length > 0)
      throw new CliError(exitCodes.usage, "name exactly one email address");
    const query = new URLSearchParams({ email }).toString();
    await ask(invocation, "POST", `${apiPrefix}/console/owner?${query}`);
    invocation.print(invocation.json ? "true" : `${email} is the owner now`);
    return exitCodes.done;
  },
};
