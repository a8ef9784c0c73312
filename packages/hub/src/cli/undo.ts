import { ask, type CliCommand, CliError, exitCodes } from "@ledge/host/cli/command";
import { restorableKinds } from "@ledge/model";
import { apiPrefix } from "../version.ts";
import { idNamed, momentOf } from "./named.ts";

const kinds: readonly string[] = restorableKinds;

export const undo: CliCommand = {
  words: "undo",
  usage: "KIND ID|NAME [--to TIME]",
  summary: `Puts settings back as before their last change; KIND is ${kinds.join(", ")}`,
  options: { to: { type: "string", help: "as they were then, such as 2h ago" } },
  check({ positionals: [kind, id], options: { to } }) {
    if (kind === undefined || (id === undefined && kind !== "hub"))
      throw new CliError(exitCodes.usage, "undo KIND ID|NAME");
    if (!kinds.includes(kind)) throw new CliError(exitCodes.usage, `${kind} is none of ${kinds.join(", ")}`);
    if (typeof to === "string") momentOf(to);
  },
  async run(invocation) {
    const [kind = "", text] = invocation.positionals;
    const { to } = invocation.options;
    const id =
      text === undefined
        ? (await ask<{ hubId: string }>(invocation, "GET", "/hub")).hubId
        : await idNamed(invocation, text);
    const body = { kind, id, ...(typeof to === "string" && { to: momentOf(to) }) };
    const done = await ask<{ timestamp: number; changed: boolean }>(
      invocation,
      "POST",
      `${apiPrefix}/undo`,
      body,
    );
    const time = new Date(done.timestamp).toISOString();
    if (invocation.json) invocation.print(JSON.stringify(done));
    else if (!done.changed) invocation.print(`${kind} ${id} is as it was`);
    else if (typeof to === "string") invocation.print(`${kind} ${id} is as it was at ${time}`);
    else invocation.print(`${kind} ${id}: the change of ${time} is undone`);
    return exitCodes.done;
  },
};
