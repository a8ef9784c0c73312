import { type CliCommand, ask, CliError, exitCodes, type Invocation } from "@ledge/host/cli/command";
import { span, table } from "@ledge/host/cli/print";
import type { Overview } from "@ledge/history";
import { limits } from "@ledge/model";
import { apiPrefix } from "../version.ts";
import { momentIn } from "./moment.ts";
import { idNamed } from "./named.ts";

type Found = Overview & { readonly from: number; readonly to: number; readonly oldest: number };

/** Points of a chart, and its columns for a bar. */
const usualPoints = 48;
const barColumns = 40;

export const history: CliCommand = {
  words: "history",
  usage: "DEVICE [ATTRIBUTE] [--from TIME] [--to TIME] [--points N]",
  summary: "What a device has reported, by its id or name; without an attribute, of which there is something",
  options: {
    from: { type: "string", help: "such as 2h ago or 2026-01-15T20:00; the last day when left out" },
    to: { type: "string", help: "the same; now when left out" },
    points: { type: "string", help: `how many lines at most, ${usualPoints} when left out` },
  },
  check({ positionals }) {
    if (positionals[0] === undefined || positionals.length > 2)
      throw new CliError(exitCodes.usage, "history DEVICE [ATTRIBUTE]");
  },
  async run(invocation) {
    const { positionals, print, json } = invocation;
    const [device = "", attribute] = positionals;
    const query = new URLSearchParams({
      ...spanOf(invocation),
      deviceId: await idNamed(invocation, device, ["devices"]),
      ...(attribute !== undefined && { attribute }),
    });
    const found = await ask<Found | { attributes: string[] }>(
      invocation,
      "GET",
      `${apiPrefix}/devices/history?${query.toString()}`,
    );
    if (json) print(JSON.stringify(found));
    else if ("attributes" in found) print(found.attributes);
    else print(describe(found));
    return exitCodes.done;
  },
};

function spanOf({ options }: Pick<Invocation, "options">): Record<string, string> {
  const { points = String(usualPoints) } = options;
  if (!(Number(points) >= 1 && Number(points) <= limits.historyPoints))
    throw new CliError(exitCodes.usage, `--points is a number from 1 to ${limits.historyPoints}`);
  const times = ["from", "to"].flatMap((name) => {
    const moment = momentIn(options, name);
    return moment === undefined ? [] : [[name, String(moment)] as const];
  });
  return { ...Object.fromEntries(times), points: String(points) };
}

function describe(found: Found): string[] {
  const since = found.oldest >= found.from ? [`all is known since ${timeText(found.oldest)}`] : [];
  if (found.points.length === 0) return [...since, "nothing was reported"];
  return [...since, ...tableOf(found)];
}

function tableOf(found: Found): string[] {
  if (found.form === "samples") {
    const bar = barsOf(found.points.map(({ value }) => value));
    const rows = found.points.map(({ timestamp, value }) => [timeText(timestamp), textOf(value), bar(value)]);
    return table(["time", "value", ""], rows);
  }
  if (found.form === "buckets") {
    const bar = barsOf(found.points.flatMap(({ min, max }) => [min, max]));
    const rows = found.points.map(({ from, min, max, avg }) => {
      return [timeText(from), textOf(avg), textOf(min), textOf(max), bar(avg)];
    });
    return table(["from", "average", "least", "most", ""], rows);
  }
  if (found.form === "changes")
    return table(
      ["from", "value", "for"],
      found.points.map(({ from, value, ms }) => [timeText(from), textOf(value), span(ms)]),
    );
  return table(
    ["from", "changes", "for how long each"],
    found.points.map(({ from, values, count }) => [
      timeText(from),
      String(count),
      values.map(({ value, ms }) => `${textOf(value)} ${span(ms)}`).join(", "),
    ]),
  );
}

/** Returns a function that draws a value as a bar, scaled between the smallest and the largest. */
function barsOf(values: readonly unknown[]): (value: unknown) => string {
  const numbers = values.filter((value) => typeof value === "number");
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return (value) => {
    if (typeof value !== "number" || most <= least) return "";
    return "#".repeat(1 + Math.round(((value - least) / (most - least)) * (barColumns - 1)));
  };
}

function textOf(value: unknown): string {
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  return typeof value === "string" ? value : JSON.stringify(value);
}

function timeText(timestamp: number): string {
  return new Date(timestamp).toISOString();
}
