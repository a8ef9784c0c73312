import { ask, type CliCommand, CliError, exitCodes } from "@ledge/host/cli/command";
import { type RestorableKind, restorableKinds } from "@ledge/model";
import { apiPrefix } from "../version.ts";
import { momentIn } from "./moment.ts";
import { idNamed, type Listing } from "./named.ts";

const kinds: readonly string[] = restorableKinds;
/** The endpoint that lists objects of a kind. */
const listings: Readonly<Record<Exclude<RestorableKind, "hub">, Listing>> = {
  room: "rooms",
  zone: "zones",
  group: "groups",
  scene: "scenes",
  rule: "rules",
  device: "devices",
  configuration: "devices",
};

export const undo: CliCommand = {
  words: "undo",
  usage: "KIND ID|NAME [--to TIME]",
  summary: `Puts settings back as before their last change; KIND is ${kinds.join(", ")}`,
  options: { to: { type: "string", help: "as they were then, such as 2h ago" } },
  check({ positionals: [kind, id], options }) {
    if (kind === undefined || (id === undefined && kind !== "hub"))
      throw new CliError(exitCodes.usage, "undo KIND ID|NAME");
    if (!kinds.includes(kind)) throw new CliError(exitCodes.usage, `${kind} is none of ${kinds.join(", ")}`);
    momentIn(options, "to");
  },
  async run(invocation) {
    const [kind = "", text] = invocation.positionals;
    const to = momentIn(invocation.options, "to");
    const id =
      text === undefined
        ? (await ask<{ hubId: string }>(invocation, "GET", "/hub")).hubId
        : await idNamed(invocation, text, [listings[kind as keyof typeof listings]]);
    const body = { kind, id, ...(to !== undefined && { to }) };
    const done = await ask<{ timestamp: number; changed: boolean }>(
      invocation,
      "POST",
      `${apiPrefix}/undo`,
      body,
    );
    const time = new Date(done.timestamp).toISOString();
    if (invocation.json) invocation.print(JSON.stringify(done));
    else if (!done.changed) invocation.print(`${kind} ${id} is as it was`);
    else if (to !== undefined) invocation.print(`${kind} ${id} is as it was at ${time}`);
    else invocation.print(`${kind} ${id}: the change of ${time} is undone`);
    return exitCodes.done;
  },
};
