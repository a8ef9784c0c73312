// A cloud under test, with people and hubs. One case sends one request from one of them; docs/fuzz.md.
import { seeded } from "../crash/random.ts";
import { type CloudAsker, credentialOf, forged, wordsFor } from "./cloud-requests.ts";
import { CloudWorld, people, type PersonName } from "./cloud-world.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type TargetName, type Tried } from "./run.ts";
import { leaksIn, secretsOf } from "./secrets.ts";
import type { Source } from "./values.ts";
import { type Sent, send, type WireRequest } from "./wire.ts";

/** How many requests one set of people makes: fewer than the cloud allows each of them per minute. */
const peopleLast = 150;

/** One request, and how to judge its answer. */
export interface CloudCase {
  readonly asker: CloudAsker;
  readonly wire: WireRequest;
  /** What is sent, in a line. */
  readonly shown: string;
  /** What it says; an answer may repeat this. */
  readonly asked: readonly string[];
  /**
   * Returns what is wrong with the answer and with the cloud's changes.
   * @param changed names of people and hubs that have changed
   */
  readonly problems: (sent: Sent, hasCommitted: boolean, changed: readonly string[]) => readonly string[];
}

/** Generates the case of a number. It depends only on the source, the number and the world. */
export type CaseMaker = (number: number, source: Source, world: CloudWorld) => Promise<CloudCase>;

/** Starts a cloud with people and hubs, sends it the cases, and stops everything again. */
export async function fuzzWorld(
  name: TargetName,
  options: FuzzOptions,
  caseFor: CaseMaker,
): Promise<FuzzResult> {
  return drive(new CloudTarget(name, options.seed, await CloudWorld.open(), caseFor), options);
}

class CloudTarget implements Target {
  readonly name: TargetName;
  readonly #seed: string;
  readonly #world: CloudWorld;
  readonly #caseFor: CaseMaker;

  constructor(name: TargetName, seed: string, world: CloudWorld, caseFor: CaseMaker) {
    this.name = name;
    this.#seed = seed;
    this.#world = world;
    this.#caseFor = caseFor;
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
    const { asker, wire, shown, asked, problems } = await this.#caseFor(number, source, world);
    const secrets = secretsOf(world);
    const before = await world.commits();
    const credential = credentialOf(this.#token(asker, source), source);
    const from = `X-Forwarded-For: ${world.newCaller()}`;
    const sent = await send(wire, world.cloud.port, "127.0.0.1", [from, ...credential]);
    const answered = { statuses: [sent.status], shown };
    if (!world.runs) return { ...answered, problems: [] };
    const hasCommitted = (await world.commits()) !== before;
    const changed = hasCommitted ? await world.changes() : [];
    const answer = [...sent.head, sent.body].join("\n");
    const found = [
      ...problems(sent, hasCommitted, changed),
      ...leaksIn(answer, [...asked, ...credential].join("\n"), asker, secrets),
    ];
    if (!world.isWhole) await world.renew();
    return { ...answered, problems: found };
  }

  #token(asker: CloudAsker, source: Source): string | undefined {
    const { a, c, ended, hubKey, people: known } = this.#world;
    if (asker === "nobody") return undefined;
    if (asker === "forged") return forged(known.owner.token, source);
    const others = { ended, hubKey, hubA: a.token, hubC: c.token } as const;
    return asker in others ? others[asker as keyof typeof others] : known[asker as PersonName].token;
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

/** Who may change the data of people and hubs, in addition to the person themselves. */
const hands: Readonly<Record<string, readonly CloudAsker[]>> = {
  "hub a": ["owner", "admin", "guest", "hubA"],
  "hub c": ["other", "hubC"],
};

/** Returns the people and hubs that an asker has changed without a right to. */
export function wrongChanges(asker: CloudAsker, changed: readonly string[]): readonly string[] {
  return changed
    .filter((name) => name !== asker && hands[name]?.includes(asker) !== true)
    .map((name) => `${asker} has changed: ${name}`);
}
