import type { CliCommand, Invocation } from "@ledge/host/cli/command";
import { ask, CliError, exitCodes } from "@ledge/host/cli/command";
import type { Why, WhyLink, WhyNot } from "@ledge/model";
import { apiPrefix } from "../version.ts";
import { momentIn } from "./moment.ts";
import { idNamed } from "./named.ts";

export const why: CliCommand = {
  words: "why",
  usage: "ID|NAME [ATTRIBUTE]",
  summary: "Why something is as it is, the nearest cause first",
  options: {
    not: { type: "boolean", help: "why a rule did nothing, or the rules that drive a device" },
    at: { type: "string", help: "as of then: ms since the epoch, or such as 2026-01-15T20:00" },
  },
  check: ({ positionals, options }) => {
    if (positionals[0] === undefined) throw new CliError(exitCodes.usage, "why ID|NAME [ATTRIBUTE]");
    momentIn(options, "at");
  },
  async run(invocation) {
    const { positionals, options } = invocation;
    const [text = "", attribute] = positionals;
    const query = new URLSearchParams({ id: await idNamed(invocation, text) });
    if (attribute !== undefined) query.set("attribute", attribute);
    if (options["not"] === true) query.set("not", "true");
    const at = momentIn(options, "at");
    if (at !== undefined) query.set("at", String(at));
    const found = await ask<Why>(invocation, "GET", `${apiPrefix}/why?${query.toString()}`);
    if (invocation.json) invocation.print(JSON.stringify(found));
    else if (options["not"] === true) printNot(found, invocation);
    else printLinks(found, invocation);
    return exitCodes.done;
  },
};

const ends: Readonly<Record<NonNullable<Why["end"]>, string | undefined>> = {
  root: undefined,
  limit: "There are more causes than are kept.",
  gone: "What led to that is not in the log any more.",
  never: "Nothing has changed it.",
};

function printLinks({ object, attribute, value, attempts, links, end }: Why, { print }: Invocation): void {
  print(`${object.name}: ${attribute} = ${JSON.stringify(value)}`);
  for (const attempt of attempts) print(line(attempt));
  for (const link of links) {
    print(line(link));
    for (const { text, held } of link.step?.guards ?? []) print(`      ${held ? "yes" : "no "} ${text}`);
  }
  const last = end === null ? undefined : ends[end];
  if (last !== undefined) print(last);
}

function printNot({ object, not, more }: Why, { print }: Invocation): void {
  if (not.length === 0) print(`No rule drives ${object.name}.`);
  for (const one of not) printRule(one, print);
  if (more) print("There are more rules that drive it.");
}

function printRule({ name, isOn, state, event, obstacles }: WhyNot, print: (text: string) => void): void {
  print(`${name}: ${isOn ? `on, in state ${state ?? "none"}` : "off"}`);
  if (event !== null) print(`  last event: ${line(event).trim()}`);
  for (const { text } of obstacles) print(`  ${text}`);
  if (obstacles.length === 0) print("  nothing kept it from acting");
}

function line({ at, text, outcome }: WhyLink): string {
  const message = outcome?.message ?? null;
  const end = outcome && ` (${outcome.outcome}${message === null ? "" : `: ${message}`})`;
  return `  ${new Date(at).toISOString()}  ${text}${end ?? ""}`;
}
