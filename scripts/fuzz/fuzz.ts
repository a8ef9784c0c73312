// Sends a running hub what nobody should, and looks whether it minds; docs/fuzz.md.
import { type Row, rows, rowName } from "@ledge/api";
import { roles } from "@ledge/model";
import { seeded } from "../crash/random.ts";
import { addressOf } from "../load/caller.ts";
import { LoadedHub } from "../load/hub.ts";
import { HubNews, type News } from "./hub-news.ts";
import { type Asker, type FuzzRequest, requestFor } from "./requests.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";
import { type Sent, send } from "./wire.ts";

/** Requests of one set of keys: fewer than the hub grants a key's holder in a minute. */
const keysLast = 400;
const shownChars = 300;

/** Runs a hub with a simulated home, sends it so many cases, and takes everything down again. */
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
    // Each row in turn, so that few cases reach all.
    const request = requestFor(rows[number % rows.length] as Row, { random, ids: this.#news.ids });
    const key = request.asker === "stranger" ? "eyJhbGciOiJub25lIn0.e30." : this.#keys[request.asker];
    // Whoever is not known is counted by address.
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

/** A request in a line. */
export function shownOf({ row, asker, kind, path, delivery, headers, body }: FuzzRequest): string {
  const shown = body.toString("latin1", 0, shownChars);
  return `${rowName(row)} as ${asker}, ${kind}, ${delivery}: ${path.slice(0, shownChars)} ${headers.join(" ")} ${shown}`;
}

/** Deliveries whose body is never whole: nothing is owed but that the hub lives. */
const incomplete: ReadonlySet<string> = new Set(["aborted", "more"]);

/** What an answer, and what the hub did beside it, have wrong. */
export function problemsOf(request: FuzzRequest, sent: Sent, { changed, events }: News): string[] {
  const problems: string[] = [];
  const { status } = sent;
  const owed = !incomplete.has(request.delivery) || request.row.body === undefined;
  if (status === undefined && owed) problems.push("no answer");
  if (status === 500) problems.push(`500 ${sent.body}`);
  const rejected = status === undefined ? !owed : status >= 400;
  // Who had an adapter asked is written down whatever the adapter says.
  const own = events.filter(({ cause, type }) => cause?.startsWith("request:") && type !== "AdapterAsked");
  if (rejected && own.length > 0)
    problems.push(`rejected with ${status}, yet it led to ${own.map(({ type }) => type).join(", ")}`);
  if (changed && events.length === 0) problems.push("objects have changed without an event");
  if (status !== undefined && status >= 400 && !(sent.isJson && sent.body.includes('"message":')))
    problems.push(`${status} without a message`);
  return problems;
}
