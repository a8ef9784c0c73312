import { apiPrefix } from "../version.ts";
import type { CliCommand, Invocation } from "@ledge/host/cli/command";
import { ask, CliError, exitCodes } from "@ledge/host/cli/command";

type Users = Readonly<Record<string, { readonly user_info: { readonly user: { readonly email: string } } }>>;

export const userForget: CliCommand = {
  words: "user forget",
  usage: "ID|EMAIL",
  summary: "Revokes a user for good and forgets who it was; nobody can undo that",
  async run(invocation) {
    const [name, ...more] = invocation.positionals;
    if (name === undefined || more.length > 0) throw new CliError(exitCodes.usage, "name exactly one user");
    const id = await userIdOf(invocation, name);
    await ask(
      invocation,
      "DELETE",
      `${apiPrefix}/hub/users?${new URLSearchParams({ userId: id }).toString()}`,
    );
    invocation.print(
      invocation.json
        ? "true"
        : `${id} is forgotten. Backups with a passphrase, and folders set aside, still know who it was: delete them.`,
    );
    return exitCodes.done;
  },
};

/** Returns the id of a user who is named by it, or by an email address. */
export async function userIdOf(invocation: Invocation, name: string): Promise<string> {
  const users = await ask<Users>(invocation, "GET", `${apiPrefix}/hub/users`);
  if (Object.hasOwn(users, name)) return name;
  const found = Object.entries(users).filter(([, { user_info }]) => user_info.user.email === name);
  if (found.length > 1)
    throw new CliError(exitCodes.refused, `${name} is ${found.map(([id]) => id).join(", ")}: say which`);
  const [one] = found;
  if (one === undefined) throw new CliError(exitCodes.refused, `no user ${name}`);
  return one[0];
}
