import type { LoggedEvent } from "@ledge/model";
import { parseEventRef } from "@ledge/model";
import type { PlacedEvent } from "../console/events.ts";
import { parse } from "@ledge/host/cli/client";
import type { CliCommand, Invocation } from "@ledge/host/cli/command";
import { apiPrefix } from "../version.ts";
import { ask, CliError, exitCodes } from "@ledge/host/cli/command";

const envelope: ReadonlySet<string> = new Set(["type", "id", "version", "origin", "depth", "cause", "root"]);

export const eventsTail: CliCommand = {
  words: "events tail",
  usage: "[--after REF] [--once] [--count N]",
  summary: "Events as they become durable; with --after those since then first (0: all)",
  options: {
    after: { type: "string", help: "start behind this event or timestamp" },
    once: { type: "boolean", help: "end with the newest event instead of waiting for more" },
    count: { type: "string", help: "end after so many events" },
  },
  async run(invocation) {
    const { after, count } = invocation.options;
    const wanted = count === undefined ? Infinity : Number(count);
    if (!(wanted > 0)) throw new CliError(exitCodes.usage, "--count is a number above 0");
    if (invocation.options["once"] === true)
      return list(invocation, typeof after === "string" ? after : "0", wanted);
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, invocation.interrupted]);
    const path = `${apiPrefix}/events${typeof after === "string" ? `?after=${encodeURIComponent(placeOf(after))}` : ""}`;
    let seen = 0;
    let ref = "";
    for await (const line of invocation.console.lines(path, signal)) {
      if (line.startsWith("id:")) ref = line.slice(3).trim();
      if (!line.startsWith("data:") || signal.aborted) continue;
      const { timestamp, ...event } = (parse(line.slice(5)) ?? {}) as LoggedEvent & { timestamp: number };
      if (event.type === undefined) continue;
      print(invocation, { ref, timestamp, event });
      if (++seen >= wanted) ended.abort();
    }
    return exitCodes.done;
  },
};

export const eventsShow: CliCommand = {
  words: "events show",
  usage: "REF",
  summary: "One event and what led to it, the nearest cause first",
  async run(invocation) {
    const [ref] = invocation.positionals;
    if (ref === undefined) throw new CliError(exitCodes.usage, "events show REF");
    const path = `${apiPrefix}/console/event?ref=${encodeURIComponent(ref)}`;
    const { causes, ...found } = await ask<PlacedEvent & { causes: PlacedEvent[] }>(invocation, "GET", path);
    if (invocation.json) {
      invocation.print(JSON.stringify({ ...found, causes }));
      return exitCodes.done;
    }
    for (const placed of [found, ...causes]) print(invocation, placed);
    return exitCodes.done;
  },
};

async function list(invocation: Invocation, after: string, wanted: number): Promise<number> {
  let left = wanted;
  let place = placeOf(after);
  while (left > 0 && !invocation.interrupted.aborted) {
    const path = `${apiPrefix}/console/events?after=${encodeURIComponent(place)}`;
    const page = await ask<PlacedEvent[]>(invocation, "GET", path);
    for (const placed of page.slice(0, left)) print(invocation, placed);
    left -= page.length;
    const last = page.at(-1);
    if (last === undefined) break;
    place = last.ref;
  }
  return exitCodes.done;
}

/** Returns a place in the log. A bare timestamp means the end of its commit. @throws CliError */
function placeOf(after: string): string {
  const place = /^\d+$/.test(after) ? `${after}-999999999` : after;
  if (parseEventRef(place) === undefined)
    throw new CliError(exitCodes.usage, `--after ${after} is neither an event nor a timestamp`);
  return place;
}

function print(invocation: Invocation, { ref, timestamp, event }: PlacedEvent): void {
  if (invocation.json) {
    invocation.print(JSON.stringify({ ref, timestamp, event }));
    return;
  }
  const fields = Object.entries(event).filter(([name]) => !envelope.has(name));
  const text = fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ");
  const cause = event.cause === undefined ? "" : ` <- ${event.cause}`;
  const time = new Date(timestamp).toISOString();
  invocation.print(
    `${ref} ${time} ${event.type} ${event.id} ${text} [${event.origin}]${cause}`.replace(/ +/g, " "),
  );
}
