// Sends a running hub malformed and hostile requests, and checks how it copes; docs/fuzz.md.
import { type Row, rows, rowName } from "@ledge/api";
import { roles } from "@ledge/model";
import { seeded } from "../crash/random.ts";
import { addressOf } from "../load/caller.ts";
import { LoadedHub } from "../load/hub.ts";
import { HubNews, type News } from "./hub-news.ts";
import { type Asker, type FuzzRequest, requestFor } from "./requests.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";
import { type Sent, send } from "./wire.ts";

/** How many requests one set of keys makes: fewer than the hub allows the holder of a key per minute. */
const keysLast = 400;
const shownChars = 300;

/** Starts a hub with a simulated home, sends it the cases, and stops everything again. */
export async function fuzzHub(options: FuzzOptions): Promise<FuzzResult> {
  const target = new HubTarget(options.seed, await LoadedHub.start({ sim: { seed: 1, speed: 0.01 } }));
  await target.begin();
  return drive(target, options);
}

class HubTarget implements Target {
  readonly name = "hub";
  readonly #seed: string;
  readonly #hub: LoadedHub;
  readonly #news: HubNews;
  #keys: Partial<Record<Asker, string>> = {};

  constructor(seed: string, hub: LoadedHub) {
    this.#seed = seed;
    this.#hub = hub;
    this.#news = new HubNews(hub);
  }

  get runs(): boolean {
    return this.#hub.runs;
  }

  async begin(): Promise<void> {
    await this.#keysFor(0);
    await this.#news.devices();
  }

  async try(number: number): Promise<Tried> {
    if (number % keysLast === keysLast - 1) await this.#keysFor(number);
    const random = seeded(`${this.#seed}/${number}`);
    // Cycle through the rows, so that few cases reach all of them.
    const request = requestFor(rows[number % rows.length] as Row, { random, ids: this.#news.ids });
    const key = request.asker === "stranger" ? "eyJhbGciOiJub25lIn0.e30." : this.#keys[request.asker];
    // Unknown callers are limited by address.
    const from = addressOf(1 + Math.floor(number / 15));
    const credentials = key === undefined ? [] : [`Authorization: ${key}`];
    const sent = await send(request, this.#hub.port, from, credentials);
    const problems = this.runs ? problemsOf(request, sent, await this.#news.look()) : [];
    return { statuses: [sent.status], shown: shownOf(request), problems };
  }

  async #keysFor(number: number): Promise<void> {
    const of = (name: string, role: number): Promise<string> =>
      this.#hub.key(`${name}-${number}@example.org`, role);
    this.#keys = {
      owner: await this.#hub.key(),
      admin: await of("admin", roles.USER_ADMIN),
      user: await of("user", roles.IDENTIFIED_USER),
      guest: await of("guest", roles.GUEST),
    };
    await this.#news.look();
  }

  memory(): number {
    return this.#hub.ownBytes();
  }

  finish(): Promise<readonly string[]> {
    return this.#news.problems();
  }

  async close(): Promise<void> {
    await this.#hub.stop();
  }
}

/** Describes a request in one line. */
export function shownOf({ row, asker, kind, path, delivery, headers, body }: FuzzRequest): string {
  const shown = body.toString("latin1", 0, shownChars);
  return `${rowName(row)} as ${asker}, ${kind}, ${delivery}: ${path.slice(0, shownChars)} ${headers.join(" ")} ${shown}`;
}

/** Deliveries whose body is never complete. They need no answer, but the hub must survive. */
const incomplete: ReadonlySet<string> = new Set(["aborted", "more"]);

/** Returns what is wrong with an answer and with the hub's events. */
export function problemsOf(request: FuzzRequest, sent: Sent, { changed, events }: News): string[] {
  const problems: string[] = [];
  const { status } = sent;
  const owed = !incomplete.has(request.delivery) || request.row.body === undefined;
  if (status === undefined && owed) problems.push("no answer");
  if (status === 500) problems.push(`500 ${sent.body}`);
  const rejected = status === undefined ? !owed : status >= 400;
  // A request to an adapter is logged, whatever the adapter answers.
  const own = events.filter(({ cause, type }) => cause?.startsWith("request:") && type !== "AdapterAsked");
  if (rejected && own.length > 0)
    problems.push(`rejected with ${status}, but it led to ${own.map(({ type }) => type).join(", ")}`);
  if (changed && events.length === 0) problems.push("objects changed without an event");
  if (status !== undefined && status >= 400 && !(sent.isJson && sent.body.includes('"message":')))
    problems.push(`${status} without a message`);
  return problems;
}
