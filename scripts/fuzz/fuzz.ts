// Sends a running hub what nobody should, and looks whether it minds; docs/fuzz.md.
import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { type Row, rows, rowName } from "@ledge/api";
import { roles } from "@ledge/model";
import { type PollAnswer, PollClient } from "@ledge/testkit";
import { seeded } from "../crash/random.ts";
import { addressOf } from "../load/caller.ts";
import { LoadedHub } from "../load/hub.ts";
import { type Asker, type FuzzRequest, requestFor } from "./requests.ts";
import { type Sent, send } from "./wire.ts";

export interface FuzzOptions {
  readonly cases: number;
  readonly seed: string;
  readonly tell: (line: string) => void;
}

export interface FuzzResult {
  readonly cases: number;
  /** How many answers had each status; `none` had none. */
  readonly byStatus: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  readonly seed: string;
  /** Resident memory of the hub's process (MB) after the first fifth of the cases, and at the end. */
  readonly memoryStart: number;
  readonly memoryEnd: number;
}

/** Requests of one set of keys: fewer than the hub grants a key's holder in a minute. */
const keysLast = 400;
const failuresMax = 20;
const memoryGrowthMb = 160;
const shownChars = 300;
const warmUpShare = 0.2;
const settleTries = 100;

/** Runs a hub with a simulated home, sends it so many cases, and takes everything down again. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzResult> {
  const hub = await LoadedHub.start({ sim: { seed: 1, speed: 0.01 } });
  try {
    return await new Fuzz(options, hub).run();
  } finally {
    await hub.stop();
  }
}

/** What the hub has written down since the last look. */
interface News {
  /** Whether objects have changed. */
  readonly changed: boolean;
  readonly events: readonly LoggedEvent[];
}

interface LoggedEvent {
  readonly type: string;
  readonly cause?: string;
}

class Fuzz {
  readonly #options: FuzzOptions;
  readonly #hub: LoadedHub;
  readonly #home = new PollClient();
  readonly #byStatus = new Map<string, number>();
  readonly #failures: string[] = [];
  #keys: Partial<Record<Asker, string>> = {};

  constructor(options: FuzzOptions, hub: LoadedHub) {
    this.#options = options;
    this.#hub = hub;
  }

  async run(): Promise<FuzzResult> {
    const { cases, seed, tell } = this.#options;
    await this.#keysFor(0);
    await this.#devices();
    let memoryStart = 0;
    let sent = 0;
    for (; sent < cases && this.#hub.runs && this.#failures.length < failuresMax; sent += 1) {
      if (sent % keysLast === keysLast - 1) await this.#keysFor(sent);
      if (sent === Math.floor(cases * warmUpShare)) memoryStart = await this.#memory();
      // Each row in turn, so that few cases reach all.
      await this.#try(rows[sent % rows.length] as Row, sent);
      if (sent % 1000 === 999) tell(`${sent + 1} cases, ${this.#failures.length} failures`);
    }
    const memoryEnd = this.#hub.runs ? await this.#finish(memoryStart) : 0;
    const byStatus = Object.fromEntries([...this.#byStatus].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return { cases: sent, byStatus, failures: this.#failures, seed, memoryStart, memoryEnd };
  }

  async #try(row: Row, number: number): Promise<void> {
    const random = seeded(`${this.#options.seed}/${number}`);
    const ids = Object.values(this.#home.known).flatMap((objects) => Object.keys(objects));
    const request = requestFor(row, { random, ids });
    const { key, address } = this.#credential(request.asker, number);
    const sent = await send(request, this.#hub.port, address, key);
    const status = String(sent.status ?? "none");
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
    if (!this.#hub.runs) return this.#fail(request, number, "the hub has ended");
    const news = await this.#look();
    for (const problem of problemsOf(request, sent, news)) this.#fail(request, number, problem);
  }

  #credential(asker: Asker, number: number): { readonly key: string | undefined; readonly address: string } {
    const key = asker === "stranger" ? "eyJhbGciOiJub25lIn0.e30." : this.#keys[asker];
    // Whoever is not known is counted by address.
    return { key, address: addressOf(1 + Math.floor(number / 15)) };
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
    await this.#look();
  }

  /** Waits for the devices of the home. */
  async #devices(): Promise<void> {
    for (let left = settleTries; left > 0; left -= 1) {
      await this.#look();
      if (Object.keys(this.#home.known["devices"] ?? {}).length > 20) return;
      await sleep(200);
    }
    throw new Error("the simulated home has no devices");
  }

  async #look(): Promise<News> {
    const { cursor } = this.#home;
    const answer = (await this.#hub.console("GET", `/hub/poll?ts=${cursor}`)) as PollAnswer;
    this.#home.apply(answer);
    if (answer.timestamp === cursor) return { changed: answer.polls.length > 0, events: [] };
    const found = await this.#hub.console("GET", `/console/events?after=${cursor}-999999999`);
    return {
      changed: answer.polls.length > 0,
      events: (found as { event: LoggedEvent }[]).map(({ event }) => event),
    };
  }

  async #memory(): Promise<number> {
    const { memory } = (await this.#hub.console("GET", "/console/status")) as { memory: number };
    return Math.round(memory / 104_857.6) / 10;
  }

  /** What holds for the whole run. */
  async #finish(memoryStart: number): Promise<number> {
    this.#hub.freezeAdapters();
    let fresh = new PollClient();
    for (let left = settleTries; left > 0; left -= 1) {
      await this.#look();
      fresh = new PollClient();
      fresh.apply((await this.#hub.console("GET", "/hub/poll?ts=0")) as PollAnswer);
      if (fresh.cursor === this.#home.cursor) break;
    }
    if (!isDeepStrictEqual(bare(fresh.known), bare(this.#home.known)))
      this.#failures.push("what the deltas came to is not what a full poll says");
    const memoryEnd = await this.#memory();
    if (memoryEnd > memoryStart + memoryGrowthMb)
      this.#failures.push(`memory grew from ${memoryStart} to ${memoryEnd} MB`);
    return memoryEnd;
  }

  #fail(
    { row, asker, kind, path, delivery, headers, body }: FuzzRequest,
    number: number,
    problem: string,
  ): void {
    const shown = body.toString("latin1", 0, shownChars);
    this.#failures.push(
      `case ${number}, ${rowName(row)} as ${asker}, ${kind}, ${delivery}: ${problem}\n` +
        `  ${path.slice(0, shownChars)} ${headers.join(" ")} ${shown}`,
    );
  }
}

/** When a device was last heard of is told with its next change. */
function bare(known: PollClient["known"]): unknown {
  return JSON.parse(JSON.stringify(known, (name, value: unknown) => (name === "lastSeen" ? null : value)));
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
