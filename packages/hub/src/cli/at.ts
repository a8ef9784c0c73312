import { ask, type CliCommand, CliError, exitCodes } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import { momentOf } from "./moment.ts";
import { isView, type View, viewNames, views } from "./views.ts";

/** Attributes that `at` leaves out, because they say little about a past state. */
const quiet: ReadonlySet<string> = new Set(["type", "id", "name", "timestamp", "config", "capabilities"]);

export const at: CliCommand = {
  words: "at",
  usage: "TIME [WHAT]",
  summary: `How it was then: ${viewNames}`,
  check({ positionals: [time, what = "devices"] }) {
    if (time === undefined) throw new CliError(exitCodes.usage, "at TIME [WHAT]");
    momentOf(time);
    if (!isView(what)) throw new CliError(exitCodes.usage, `${what} is none of ${viewNames}`);
  },
  async run(invocation) {
    const [time = "", what = "devices"] = invocation.positionals;
    const path = `${views[what as View]}?at=${momentOf(time)}`;
    const found = await ask<Readonly<Record<string, unknown>> | null>(invocation, "GET", path);
    if (invocation.json) invocation.print(JSON.stringify(found));
    else invocation.print(shown(found ?? {}));
    return exitCodes.done;
  },
};

function shown(found: Readonly<Record<string, unknown>>): string | string[] {
  const objects = Object.entries(found);
  if (objects.some(([, value]) => typeof value !== "object" || value === null)) return fieldsOf(found);
  const rows = objects.map(([id, value]) => {
    const object = value as Readonly<Record<string, unknown>>;
    const { name, config } = object as {
      readonly name?: string;
      readonly config?: { readonly name: string };
    };
    const { state } = object as { readonly state?: Readonly<Record<string, unknown>> | null };
    return [id, name ?? config?.name ?? "", fieldsOf(state ?? object)];
  });
  return table(["id", "name", "state"], rows);
}

function fieldsOf(object: Readonly<Record<string, unknown>>): string {
  return Object.entries(object)
    .filter(([key, value]) => !quiet.has(key) && value !== null && value !== -1)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}
