// Sends a cloud malformed and hostile requests, from people who have logged in and from others; docs/fuzz.md.
import { cloudRows } from "@ledge/cloud";
import { seeded } from "../crash/random.ts";
import {
  type CloudAsker,
  type CloudRequest,
  cloudRequestFor,
  credentialOf,
  forged,
  isRefused,
  wordsFor,
} from "./cloud-requests.ts";
import { CloudWorld, people, type PersonName } from "./cloud-world.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";
import { leaksIn, secretsOf } from "./secrets.ts";
import type { Source } from "./values.ts";
import { type Sent, send } from "./wire.ts";

/** How many requests one set of people makes: fewer than the cloud allows each of them per minute. */
const peopleLast = 150;
const shownChars = 300;

/** Starts a cloud with people and hubs, sends it the cases, and stops everything again. */
export async function fuzzCloud(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new CloudTarget(options.seed, await CloudWorld.open()), options);
}

class CloudTarget implements Target {
  readonly name = "cloud";
  readonly #seed: string;
  readonly #world: CloudWorld;

  constructor(seed: string, world: CloudWorld) {
    this.#seed = seed;
    this.#world = world;
  }

  get runs(): boolean {
    return this.#world.runs;
  }

  async try(number: number): Promise<Tried> {
    const world = this.#world;
    if (number % peopleLast === peopleLast - 1) await world.replace();
    const random = seeded(`${this.#seed}/${number}`);
    const emails = people.map((name) => world.people[name].email);
    const hubs = [world.a.hub.id, world.c.hub.id];
    const source: Source = { random, ids: hubs, wordsOf: wordsFor({ emails, hubs, codes: world.codes }) };
    // Cycle through the rows, so that few cases reach all of them.
    const mounted = cloudRows[number % cloudRows.length] as (typeof cloudRows)[number];
    const sample = random.chance(0.5) ? await this.#sample(mounted.row.path) : undefined;
    const request = cloudRequestFor(mounted, source, sample);
    const secrets = secretsOf(world);
    const before = await world.commits();
    const credential = credentialOf(this.#token(request.asker, source), source);
    const from = `X-Forwarded-For: ${world.newCaller()}`;
    const sent = await send(request, world.cloud.port, "127.0.0.1", [from, ...credential]);
    const answered = { statuses: [sent.status], shown: shownOf(request) };
    if (!world.runs) return { ...answered, problems: [] };
    const hasCommitted = (await world.commits()) !== before;
    const changed = hasCommitted ? await world.changes() : [];
    const asked = [decoded(request.path), decoded(request.body.toString()), ...credential].join("\n");
    const problems = [
      ...problemsOf(request, sent, hasCommitted, changed),
      ...leaksIn([...sent.head, sent.body].join("\n"), asked, request.asker, secrets),
    ];
    if (!world.isWhole) await world.renew();
    return { ...answered, problems };
  }

  #token(asker: CloudAsker, source: Source): string | undefined {
    const { a, c, ended, hubKey, people: known } = this.#world;
    if (asker === "nobody") return undefined;
    if (asker === "forged") return forged(known.owner.token, source);
    const others = { ended, hubKey, hubA: a.token, hubC: c.token } as const;
    return asker in others ? others[asker as keyof typeof others] : known[asker as PersonName].token;
  }

  /** Returns valid fields for rows that would reject any generated ones. */
  async #sample(path: string): Promise<object | undefined> {
    const { people: known, a } = this.#world;
    const { email } = known.stranger;
    if (path === "/hub/session") return this.#world.sessionOf(a.hub);
    if (path === "/user/login") return { email, password: "correct horse battery staple" };
    // Without a mail, when those of this address are used up, send no sample.
    if (path === "/user/emaillogin") return this.#world.oneTime(email).catch(() => undefined);
    return undefined;
  }

  memory(): number {
    return this.#world.memory();
  }

  finish(): Promise<readonly string[]> {
    return this.#world.healthProblems();
  }

  close(): Promise<void> {
    return this.#world.close();
  }
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

/** Who may change the data of people and hubs, in addition to the person themselves. */
export const hands: Readonly<Record<string, readonly CloudAsker[]>> = {
  "hub a": ["owner", "admin", "guest", "hubA"],
  "hub c": ["other", "hubC"],
};

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
  for (const name of changed) {
    if (name !== asker && hands[name]?.includes(asker) !== true)
      problems.push(`${asker} has changed: ${name}`);
  }
  return problems;
}
