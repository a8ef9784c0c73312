// Sends a cloud malformed and hostile requests, from people who have logged in and from others; docs/fuzz.md.
import { cloudRows } from "@ledge/cloud";
import { type CloudRequest, cloudRequestFor, isRefused } from "./cloud-requests.ts";
import { type CaseMaker, fuzzWorld, wrongChanges } from "./cloud-target.ts";
import type { CloudWorld } from "./cloud-world.ts";
import type { FuzzOptions, FuzzResult } from "./run.ts";
import type { Sent } from "./wire.ts";

const shownChars = 300;

/** Starts a cloud with people and hubs, sends it the cases, and stops everything again. */
export function fuzzCloud(options: FuzzOptions): Promise<FuzzResult> {
  return fuzzWorld("cloud", options, caseFor);
}

const caseFor: CaseMaker = async (number, source, world) => {
  // Cycle through the rows, so that few cases reach all of them.
  const mounted = cloudRows[number % cloudRows.length] as (typeof cloudRows)[number];
  const sample = source.random.chance(0.5) ? await sampleFor(mounted.row.path, world) : undefined;
  const request = cloudRequestFor(mounted, source, sample);
  return {
    asker: request.asker,
    wire: request,
    shown: shownOf(request),
    asked: [decoded(request.path), decoded(request.body.toString())],
    problems: (sent, hasCommitted, changed) => problemsOf(request, sent, hasCommitted, changed),
  };
};

/** Returns valid fields for rows that would reject any generated ones. */
async function sampleFor(path: string, world: CloudWorld): Promise<object | undefined> {
  const { email } = world.people.stranger;
  if (path === "/hub/session") return world.sessionOf(world.a.hub);
  if (path === "/user/login") return { email, password: "correct horse battery staple" };
  // Without a mail, when those of this address are used up, send no sample.
  if (path === "/user/emaillogin") return world.oneTime(email).catch(() => undefined);
  return undefined;
}

function shownOf({ row, asker, kind, path, delivery, headers, body }: CloudRequest): string {
  const shown = body.toString("latin1", 0, shownChars);
  return `${row.method} ${row.path} as ${asker}, ${kind}, ${delivery}: ${path.slice(0, shownChars)} ${headers.join(" ").slice(0, shownChars)} ${shown}`;
}

function decoded(text: string): string {
  try {
    return `${text} ${decodeURIComponent(text.replaceAll("+", " "))}`;
  } catch {
    return text;
  }
}

/** Statuses of an external fault: no mail goes out, too much is waiting, the disk is full. */
const outside: ReadonlySet<number> = new Set([503, 507]);
/** Rows that count a wrong password, and therefore write. */
const countsTries: ReadonlySet<string> = new Set(["/user/emaillogin"]);
const incomplete: ReadonlySet<string> = new Set(["aborted", "more"]);

/**
 * Returns what is wrong with an answer and with the cloud's changes.
 * @param changed names of people and hubs that have changed
 */
export function problemsOf(
  { row, asker, delivery, headers, path }: CloudRequest,
  { status, isJson, body, head }: Sent,
  hasCommitted: boolean,
  changed: readonly string[],
): string[] {
  const problems: string[] = [];
  const isWhole = !incomplete.has(delivery);
  if (status === undefined && isWhole) problems.push("no answer");
  const rejected = status === undefined || status >= 400;
  if (status !== undefined && status >= 500 && !outside.has(status)) problems.push(`${status} ${body}`);
  if (!rejected && isRefused(row.who, asker)) problems.push(`${asker} was answered ${status}: ${body}`);
  if (status !== undefined && status >= 300 && status < 400)
    problems.push(`a redirect: ${status} ${head.join(" ")}`);
  const isPage = headers.includes("Accept: text/html") && row.path.endsWith("/accept");
  if (rejected && status !== undefined && !isPage && !(isJson && body.includes('"message":')))
    problems.push(`${status} without a message`);
  // An invitation is stored even when its mail could not be sent.
  if (rejected && hasCommitted && !countsTries.has(row.path) && !outside.has(status ?? 0))
    problems.push(`rejected with ${status}, but a commit was written`);
  if (row.path.endsWith("/accept") && path.includes("code=")) return problems;
  return [...problems, ...wrongChanges(asker, changed)];
}
