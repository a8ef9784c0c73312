import type { Audit, AuditEntry } from "@ledge/api";
import { ask, type CliCommand, CliError, exitCodes } from "@ledge/host/cli/command";
import { limits } from "@ledge/model";
import { apiPrefix } from "../version.ts";
import { momentIn } from "./moment.ts";
import { idNamed } from "./named.ts";

export const audit: CliCommand = {
  words: "audit",
  usage: "[--from TIME] [--to TIME] [--user ID] [--id ID|NAME] [--count N]",
  summary: "Who did what, when and from where, the newest first",
  options: {
    from: { type: "string", help: "since then, such as yesterday 18:00" },
    to: { type: "string", help: "until then" },
    user: { type: "string", help: "of that user" },
    id: { type: "string", help: "about that object" },
    count: { type: "string", help: `so many at most (default ${limits.auditDefault})` },
  },
  check({ options }) {
    for (const name of ["from", "to"]) momentIn(options, name);
    const { count } = options;
    if (typeof count === "string" && !(Number.isSafeInteger(Number(count)) && Number(count) > 0))
      throw new CliError(exitCodes.usage, "--count is a number above 0");
  },
  async run(invocation) {
    const { options } = invocation;
    const { user, id, count } = options;
    const query = new URLSearchParams();
    for (const name of ["from", "to"]) {
      const moment = momentIn(options, name);
      if (moment !== undefined) query.set(name, String(moment));
    }
    if (typeof user === "string") query.set("user", user);
    if (typeof id === "string") query.set("id", await idNamed(invocation, id));
    let left = typeof count === "string" ? Number(count) : limits.auditDefault;
    while (left > 0 && !invocation.interrupted.aborted) {
      query.set("limit", String(Math.min(left, limits.auditEntries)));
      const { entries, next } = await ask<Audit>(invocation, "GET", `${apiPrefix}/audit?${query.toString()}`);
      for (const entry of entries) invocation.print(invocation.json ? JSON.stringify(entry) : line(entry));
      left -= entries.length;
      if (next === null) break;
      query.set("before", next);
    }
    return exitCodes.done;
  },
};

function line({ ref, at, from, text }: AuditEntry): string {
  return `${ref} ${new Date(at).toISOString()} ${from ?? "-"} ${text}`;
}
