import { readFileSync } from "node:fs";
import type { Invocation } from "@ledge/host/cli/command";
import { ask, type CliCommand, CliError, exitCodes } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import type { Device, Rule } from "@ledge/model";
import type { WhatIfAnswer } from "@ledge/rules";
import type Type from "typebox";
import { apiPrefix } from "../version.ts";
import { momentIn } from "./moment.ts";
import { idNamed } from "./named.ts";

const weekMs = 604_800_000;
const hourMs = 3_600_000;
/** How many examples of each kind are printed. */
const examples = 3;

type Rules = Record<string, Type.Static<typeof Rule>>;
type Names = (device: string) => string;

export const replay: CliCommand = {
  words: "replay",
  usage: "--rules FILE|RULE [--from TIME] [--to TIME]",
  summary: "What rules would have done, open loop, over what was recorded",
  options: {
    rules: { type: "string", help: "a file with CONFIGs as PUT /rules takes them, or a rule's id or name" },
    replaces: { type: "string", multiple: true, help: "a rule that is left out instead, by its id or name" },
    from: {
      type: "string",
      help: "such as 2026-01-15T20:00 or 2d; a week before the end, where that is known",
    },
    to: { type: "string", help: "the same; now" },
    recorded: { type: "boolean", help: "they are on when those were whose place they take" },
  },
  check: ({ options }) => {
    if (typeof options["rules"] !== "string") throw new CliError(exitCodes.usage, "--rules FILE|RULE");
    for (const name of ["from", "to"]) momentIn(options, name);
  },
  async run(invocation) {
    const { options } = invocation;
    const { rules, isRecorded } = await rulesIn(invocation, String(options["rules"]));
    const given = [options["replaces"] ?? []].flat().map(String);
    const replaces: string[] = [];
    for (const text of given) replaces.push(await idNamed(invocation, text, ["rules"]));
    const to = momentIn(options, "to") ?? Date.now();
    const from = momentIn(options, "from");
    const on = isRecorded || options["recorded"] === true ? "recorded" : "always";
    const found = await tryOut(invocation, { rules, replaces, to, on }, from);
    if (invocation.json) invocation.print(JSON.stringify(found));
    else await tell(found, invocation);
    return exitCodes.done;
  },
};

interface Tried {
  readonly rules: readonly unknown[];
  readonly replaces: readonly string[];
  readonly to: number;
  readonly on: "always" | "recorded";
}

/**
 * Tries the rules from `from` on; by default over the last week, or as far back as the log is complete. @throws
 * CliError
 */
async function tryOut(invocation: Invocation, tried: Tried, from: number | undefined): Promise<WhatIfAnswer> {
  const path = `${apiPrefix}/rules/whatif`;
  if (from !== undefined) return ask(invocation, "POST", path, { ...tried, from });
  const body = { ...tried, from: tried.to - weekMs };
  const { status, json } = await invocation.console.call("POST", path, body);
  const { code, oldest } = (json ?? {}) as { code?: string; oldest?: number };
  if (status === 200) return json as WhatIfAnswer;
  return ask(invocation, "POST", path, code === "HISTORY_PRUNED" ? { ...tried, from: oldest } : body);
}

/**
 * Returns the CONFIGs of a file, or of an installed rule, which is tried against itself for the times it was
 * on. @throws CliError
 */
async function rulesIn(
  invocation: Invocation,
  text: string,
): Promise<{ rules: readonly unknown[]; isRecorded: boolean }> {
  const known = await ask<Rules>(invocation, "GET", `${apiPrefix}/rules`);
  const rule = known[await idNamed(invocation, text, ["rules"])];
  if (rule !== undefined) return { rules: [rule.config], isRecorded: true };
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(text, "utf8"));
  } catch (error) {
    throw new CliError(
      exitCodes.usage,
      `${text} is no rule, and no file of JSON: ${(error as Error).message}`,
    );
  }
  const { rules = read } = (read ?? {}) as { rules?: unknown };
  return { rules: [rules].flat(), isRecorded: false };
}

async function tell(found: WhatIfAnswer, invocation: Invocation): Promise<void> {
  const { print } = invocation;
  const devices = await ask<Record<string, Device>>(invocation, "GET", `${apiPrefix}/devices`);
  const nameOf: Names = (id) => devices[id]?.name ?? id;
  const { from, to, firings, commandCount, suppressed, diff, truncated } = found;
  print(`${timeOf(from)} to ${timeOf(truncated ?? to)}: ${firings} firings, ${commandCount} commands`);
  if (truncated !== undefined)
    print(`the time ran out: not tried from ${timeOf(truncated)} to ${timeOf(to)}`);
  if (suppressed > 0) print(`commands withheld because something else holds the device: ${suppressed}`);
  for (const [id, ms] of Object.entries(found.onTimeMs))
    print(`${nameOf(id)} on for ${(ms / hourMs).toFixed(1)} h`);
  list("", found.commands, commandCount, nameOf, print);
  list("only in the trial", diff.onlyNew, diff.onlyNewCount, nameOf, print);
  list("only as recorded", diff.onlyOld, diff.onlyOldCount, nameOf, print);
  for (const { at, kind, sourceId } of found.alarms.slice(0, examples))
    print(`alarm ${timeOf(at)} ${kind} ${nameOf(sourceId)}`);
  for (const { at, reason } of found.faults.slice(0, examples)) print(`fault ${timeOf(at)} ${reason}`);
  print("Open loop: the commands of the trial do not change the recorded device states.");
}

type Shown = WhatIfAnswer["diff"]["onlyOld"][number] & Partial<WhatIfAnswer["commands"][number]>;

function list(
  title: string,
  commands: readonly Shown[],
  count: number,
  nameOf: Names,
  print: Invocation["print"],
): void {
  if (count === 0) return;
  if (title !== "") print(`${title}: ${count} commands`);
  const rows = commands.slice(0, examples).map(({ at, device, attributes, because }) => {
    const told = Object.entries(attributes).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return [
      timeOf(at),
      nameOf(device),
      told.join(" "),
      because === undefined ? "" : reasonOf(because, nameOf),
    ];
  });
  print(table(["at", "device", "command", "because"], rows));
}

function reasonOf(
  { event, timer, device, attribute, value }: WhatIfAnswer["commands"][number]["because"],
  nameOf: Names,
): string {
  const heard = device === undefined ? event : `${nameOf(device)} ${attribute}=${JSON.stringify(value)}`;
  return timer === undefined ? heard : `a timer, set at ${heard}`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
