import { ask, type CliCommand, CliError, exitCodes, type Invocation } from "@ledge/host/cli/command";
import { isRejection } from "@ledge/model";
import { compileExpression, type Evaluate, scopeOver } from "@ledge/rules";
import type { PlacedEvent } from "../console/events.ts";
import { apiPrefix } from "../version.ts";
import { firstTrue } from "./first-true.ts";
import { momentIn } from "./moment.ts";
import { isView, type View, viewNames, views } from "./views.ts";

export const bisect: CliCommand = {
  words: "bisect",
  usage: "--predicate JSON [--from TIME] [--to TIME]",
  summary: `Since when it is so, as an expression says over ${viewNames}`,
  options: {
    predicate: { type: "string", help: 'such as {"var": "devices.Floor lamp.state.isOn"}' },
    from: { type: "string", help: "not before then (default: as far back as is known)" },
    to: { type: "string", help: "as of then (default: now)" },
  },
  check({ options }) {
    const { predicate } = options;
    if (typeof predicate !== "string") throw new CliError(exitCodes.usage, "bisect --predicate JSON");
    compiled(predicate);
    for (const name of ["from", "to"]) momentIn(options, name);
  },
  async run(invocation) {
    const { options } = invocation;
    const { evaluate, named } = compiled(String(options["predicate"]));
    const end = momentIn(options, "to") ?? (await newest(invocation));
    const begin = Math.max(momentIn(options, "from") ?? 0, await oldest(invocation));
    if (begin > end) throw new CliError(exitCodes.usage, "there is nothing between --from and --to");
    const isSo = async (at: number): Promise<boolean> => {
      const data: Partial<Record<View, unknown>> = {};
      for (const part of named) data[part] = byNameToo(await shownAt(invocation, part, at));
      return evaluate(scopeOver(data)) === true;
    };
    const since = await firstTrue(begin, end, isSo);
    const events = since === undefined || since === begin ? [] : await eventsAt(invocation, since);
    print(invocation, { since, begin, end, events });
    return since === undefined ? exitCodes.unhealthy : exitCodes.done;
  },
};

interface Found {
  /**
   * The first moment (ms) from which the predicate holds until the end; undefined when it does not hold at the
   * end.
   */
  readonly since: number | undefined;
  readonly begin: number;
  readonly end: number;
  readonly events: readonly PlacedEvent[];
}

function print({ json, print: say }: Invocation, { since, begin, end, events }: Found): void {
  const isBefore = since === begin;
  if (json) {
    say(JSON.stringify({ since: since ?? null, isBefore, from: begin, to: end, events }));
    return;
  }
  const time = (ms: number): string => new Date(ms).toISOString();
  if (since === undefined) say(`the predicate is false at ${time(end)}`);
  else if (isBefore) say(`the predicate has been true since ${time(since)} or earlier`);
  else say(`the predicate has been true since ${time(since)}`);
  for (const { ref, event } of events) say(`  ${ref} ${event.type} ${event.id} [${event.origin}]`);
}

/** @throws CliError */
function compiled(predicate: string): { readonly evaluate: Evaluate; readonly named: readonly View[] } {
  let json: unknown;
  try {
    json = JSON.parse(predicate);
  } catch (error) {
    throw new CliError(exitCodes.usage, `--predicate is no JSON: ${(error as Error).message}`);
  }
  const named = new Set<View>();
  const unreadable = ([part = ""]: readonly string[]): string | undefined => {
    if (!isView(part)) return `${part} is none of ${viewNames}`;
    named.add(part);
    return undefined;
  };
  const evaluate = compileExpression(json, { unreadable });
  if (isRejection(evaluate)) {
    const { field = "", message } = evaluate;
    throw new CliError(exitCodes.usage, `--predicate ${field} ${message}`.replace("  ", " "));
  }
  return { evaluate, named: [...named] };
}

/** Returns objects by id, and also by name where the name is unique. */
function byNameToo(objects: Readonly<Record<string, unknown>>): object {
  const names = new Map<string, unknown[]>();
  for (const object of Object.values(objects)) {
    const { name, config } = (object ?? {}) as { name?: string; config?: { name: string } };
    const called = config?.name ?? name;
    if (called !== undefined) names.set(called, [...(names.get(called) ?? []), object]);
  }
  const unique = [...names].flatMap(([name, named]) =>
    named.length === 1 ? [[name, named[0]] as const] : [],
  );
  return { ...Object.fromEntries(unique), ...objects };
}

function shownAt(invocation: Invocation, part: View, at: number): Promise<Readonly<Record<string, unknown>>> {
  return ask(invocation, "GET", `${views[part]}?at=${at}`);
}

/** Returns the oldest moment (ms) from which the log is complete. */
async function oldest({ console }: Invocation): Promise<number> {
  const { json } = await console.call("GET", "/hub?at=0");
  const { oldest: known } = (json ?? {}) as { oldest?: number };
  return known ?? 0;
}

async function newest({ console }: Invocation): Promise<number> {
  const { json } = await console.call("GET", `${apiPrefix}/console/status`);
  return (json as { timestamp: number }).timestamp;
}

async function eventsAt({ console }: Invocation, timestamp: number): Promise<PlacedEvent[]> {
  const after = `${timestamp - 1}-999999999`;
  const { status, json } = await console.call("GET", `${apiPrefix}/console/events?after=${after}`);
  return status === 200 ? (json as PlacedEvent[]).filter((one) => one.timestamp === timestamp) : [];
}
