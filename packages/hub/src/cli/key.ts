import { roles } from "@ledge/model";
import type { CliCommand } from "./command.ts";
import { apiPrefix } from "../version.ts";
import { ask, CliError, exitCodes } from "./command.ts";

const roleWords: Readonly<Record<string, number>> = {
  admin: roles.USER_ADMIN,
  user: roles.IDENTIFIED_USER,
  "remote-guest": roles.REMOTE_GUEST,
  guest: roles.GUEST,
};

export const key: CliCommand = {
  words: "key",
  usage: "[--email EMAIL [--role admin|user|remote-guest|guest]]",
  summary:
    "Prints a hub key, one line; the first one claims the hub for its owner (development profiles only)",
  options: {
    email: { type: "string", help: "a key for this user, who is added if need be, instead of the owner" },
    role: { type: "string", help: "the role of that user" },
  },
  async run(invocation) {
    const { email, role } = invocation.options;
    if (typeof role === "string" && !Object.hasOwn(roleWords, role)) {
      throw new CliError(exitCodes.usage, `no role ${role}: one of ${Object.keys(roleWords).join(", ")}`);
    }
    const body = {
      ...(email !== undefined && { email }),
      ...(typeof role === "string" && { role: roleWords[role] }),
    };
    const { key: issued } = await ask<{ key: string }>(invocation, "POST", `${apiPrefix}/console/key`, body);
    invocation.print(invocation.json ? JSON.stringify({ key: issued }) : issued);
    return exitCodes.done;
  },
};
