// Sends the OAuth2 server of a cloud malformed and hostile requests, from clients and from browsers; docs/fuzz.md.
import { seeded } from "../crash/random.ts";
import { cases, type Make } from "./oauth-cases.ts";
import { broughtBy, type OAuthCase, problemsOf } from "./oauth-problems.ts";
import { OAuthWorld } from "./oauth-world.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";
import type { Source } from "./values.ts";
import { send } from "./wire.ts";

/** How many cases one set of people and clients makes: the cloud keeps codes and refresh tokens of each. */
const peopleLast = 1500;
const shownChars = 300;

/** Starts a cloud with people and clients, sends it the cases, and stops everything again. */
export async function fuzzOAuth(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new OAuthTarget(options.seed, await OAuthWorld.open()), options);
}

class OAuthTarget implements Target {
  readonly name = "oauth";
  readonly #seed: string;
  readonly #world: OAuthWorld;

  constructor(seed: string, world: OAuthWorld) {
    this.#seed = seed;
    this.#world = world;
  }

  get runs(): boolean {
    return this.#world.world.runs;
  }

  async try(number: number): Promise<Tried> {
    const { world } = this.#world;
    if (number % peopleLast === peopleLast - 1) {
      await world.replace();
      await this.#world.renew();
    }
    const source: Source = { random: seeded(`${this.#seed}/${number}`), ids: [] };
    // Cycle through the endpoints, so that few cases reach all of them.
    const makers = Object.values(cases);
    const made = await (makers[number % makers.length] as Make)(source, this.#world);
    const wire = {
      row: { method: made.method },
      path: made.path,
      headers: [],
      body: made.body,
      delivery: "whole",
    } as const;
    const from = `X-Forwarded-For: ${world.newCaller()}`;
    const sent = await send(wire, world.cloud.port, "127.0.0.1", [from, ...made.headers]);
    const brought = broughtBy(sent);
    if (brought.refresh !== undefined) this.#world.refreshToken = brought.refresh;
    else if (made.name === "refresh") this.#world.refreshToken = undefined;
    const outcomes = [sent.status, ...(brought.code ? ["code"] : []), ...(brought.token ? ["token"] : [])];
    return { statuses: outcomes, shown: shownOf(made), problems: problemsOf(made, sent, world.cloud.url) };
  }

  memory(): number {
    return this.#world.world.memory();
  }

  finish(): Promise<readonly string[]> {
    return this.#world.world.healthProblems();
  }

  close(): Promise<void> {
    return this.#world.world.close();
  }
}

function shownOf({ name, kind, method, path, headers, body }: OAuthCase): string {
  const shown = body.toString("latin1", 0, shownChars);
  return `${name}, ${kind}: ${method} ${path.slice(0, shownChars)} ${headers.join(" ").slice(0, shownChars)} ${shown}`;
}
