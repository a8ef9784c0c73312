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
  usage: "[--email EMAIL [--role admin|user|remote-guest|guest]] | --recover",
  summary:
    "Prints a hub key, one line; the first one claims the hub for its owner (development profiles only)",
  options: {
    email: { type: "string", help: "a key for this user, who is added if need be, instead of the owner" },
    role: { type: "string", help: "the role of that user" },
    recover: {
      type: "boolean",
      help: "on any profile: a key of the owner's for 24 h, of which all users are told",
    },
  },
  async run(invocation) {
    const { email, role, recover } = invocation.options;
    if (typeof role === "string" && !Object.hasOwn(roleWords, role)) {
      throw new CliError(exitCodes.usage, `no role ${role}: one of ${Object.keys(roleWords).join(", ")}`);
    }
    const body = {
      ...(email !== undefined && { email }),
      ...(typeof role === "string" && { role: roleWords[role] }),
    };
    if (recover === true && Object.keys(body).length > 0)
      throw new CliError(exitCodes.usage, "--recover is for the owner: no email, no role");
    const path = `${apiPrefix}/console/${recover === true ? "recover" : "key"}`;
    const { key: issued } = await ask<{ key: string }>(invocation, "POST", path, body);
    invocation.print(invocation.json ? JSON.stringify({ key: issued }) : issued);
    return exitCodes.done;
  },
};
