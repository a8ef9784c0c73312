// Sends a hub malformed and hostile requests through the relay of its cloud, and the relay bytes that are not
// requests; docs/fuzz.md.
import { type Row, rows } from "@ledge/api";
import { seeded } from "../crash/random.ts";
import { problemsOf as problemsAtHub, shownOf } from "./fuzz.ts";
import type { News } from "./hub-news.ts";
import { rawFor, type RawRequest } from "./raw.ts";
import { type RawSent, sendRaw } from "./raw-wire.ts";
import { RelayHome } from "./relay-home.ts";
import { type RelayRequest, relayRequestFor } from "./relay-requests.ts";
import { drive, type FuzzOptions, type FuzzResult, type Target, type Tried } from "./run.ts";
import { type Sent, send } from "./wire.ts";

/** How many requests one set of members makes: fewer than the hub allows each of them per minute. */
const membersLast = 400;
/** One of this many cases is raw. */
const rawEach = 4;
const shownChars = 400;

/** Starts a hub and its cloud, sends them the cases, and stops everything again. */
export async function fuzzRelay(options: FuzzOptions): Promise<FuzzResult> {
  return drive(new RelayTarget(options.seed, await RelayHome.open()), options);
}

class RelayTarget implements Target {
  readonly name = "relay";
  readonly #seed: string;
  readonly #home: RelayHome;

  constructor(seed: string, home: RelayHome) {
    this.#seed = seed;
    this.#home = home;
  }

  get runs(): boolean {
    return this.#home.runs;
  }

  async try(number: number): Promise<Tried> {
    if (number % membersLast === membersLast - 1) await this.#home.renew(number);
    return number % rawEach === rawEach - 1 ? this.#raw(number) : this.#request(number);
  }

  async #request(number: number): Promise<Tried> {
    const { news, world } = this.#home;
    const source = { random: seeded(`${this.#seed}/${number}`), ids: news.ids };
    const row = rows[number % rows.length] as Row;
    const request = relayRequestFor(row, this.#home, source);
    const from = `X-Forwarded-For: ${world.newCaller()}`;
    const sent = await send(request, world.cloud.port, "127.0.0.1", [from, ...request.credentials]);
    const problems = this.runs ? problemsOf(request, sent, await news.look(), this.#secrets(request)) : [];
    return { statuses: [sent.status], shown: `${request.how}: ${shownOf(request)}`, problems };
  }

  async #raw(number: number): Promise<Tried> {
    const { members, hubId, world, news } = this.#home;
    const marker = `smuggled-${number}`;
    const { token, hubKey } = members.owner;
    const credentials = [
      `Authorization: ${token}`,
      `X-Hub-Key: ${hubKey}`,
      `X-Forwarded-For: ${world.newCaller()}`,
    ];
    const random = seeded(`${this.#seed}/${number}`);
    const request = rawFor({ random, hubId, credentials, marker });
    const sent = await sendRaw(request, world.cloud.port);
    const shown = `${request.kind}: ${request.bytes.toString("latin1", 0, shownChars)}`;
    const problems = this.runs ? problemsOfRaw(request, sent, await news.look(), marker) : [];
    return { statuses: sent.answers.map(({ status }) => status), shown, problems };
  }

  /** Returns the secrets of others, which the asker must not read, by name. */
  #secrets({ credentials }: RelayRequest): Readonly<Record<string, string>> {
    const { members } = this.#home;
    const own = credentials.join("\n");
    const all = Object.entries(members).flatMap(([name, { token, hubKey }]) => [
      [`the token of ${name}`, token] as const,
      [`the HubKey of ${name}`, hubKey] as const,
    ]);
    return Object.fromEntries(all.filter(([, secret]) => !own.includes(secret)));
  }

  memory(): number {
    return this.#home.world.memory();
  }

  async finish(): Promise<readonly string[]> {
    const { news, world } = this.#home;
    return [...(await world.healthProblems()), ...(await news.problems())];
  }

  close(): Promise<void> {
    return this.#home.close();
  }
}

/** All headers that an answer of the relay may have. */
const mayStand: ReadonlySet<string> = new Set(
  `content-encoding content-language content-length content-type etag last-modified ledge-recorded retry-after vary
  access-control-allow-headers access-control-allow-methods access-control-allow-origin access-control-expose-headers
  access-control-max-age cache-control content-security-policy referrer-policy strict-transport-security
  x-content-type-options x-frame-options connection keep-alive transfer-encoding date`.split(/\s+/),
);

/** 502, 503 and 504: the hub does not answer; 501: it has no such adapter; 507: the disk is full. */
const known5xx: ReadonlySet<number> = new Set([501, 502, 503, 504, 507]);

/** The relay's answers when the tunnel is gone. No request may break the tunnel. */
const isCutOff = (body: string): boolean =>
  /the hub is (?:not connected|offline)|connection to the hub was lost/.test(body);

function ofAnswer(status: number, head: readonly string[]): string[] {
  const problems: string[] = [];
  if (status >= 500 && !known5xx.has(status)) problems.push(`${status}`);
  if (status >= 300 && status < 400 && status !== 304) problems.push(`a redirect: ${status}`);
  for (const line of head) {
    const name = line.split(":", 1)[0]?.toLowerCase() ?? "";
    if (!mayStand.has(name)) problems.push(`the answer has the header ${line.slice(0, 100)}`);
  }
  return problems;
}

/**
 * Returns what is wrong with an answer and with the hub's events.
 * @param secrets of others, by name
 */
export function problemsOf(
  request: RelayRequest,
  sent: Sent,
  news: News,
  secrets: Readonly<Record<string, string>>,
): string[] {
  const { status, head, body } = sent;
  const problems = problemsAtHub(request, sent, news);
  if (status === undefined) return problems;
  problems.push(...ofAnswer(status, head.slice(1)));
  if (request.isGood && isCutOff(body)) problems.push(`${status}: the tunnel is gone`);
  if (!request.isGood && status < 400) problems.push(`was answered ${status}`);
  const own = news.events.filter(({ cause }) => cause?.startsWith("request:"));
  if (!request.isGood && own.length > 0) problems.push(`led to ${own.map(({ type }) => type).join(", ")}`);
  for (const [what, secret] of Object.entries(secrets))
    if (body.includes(secret)) problems.push(`reveals ${what} to ${request.asker}`);
  return problems;
}

/**
 * Returns what is wrong with the answers to raw bytes.
 * @param marker appears in the hidden request
 */
export function problemsOfRaw(
  { kind, bytes, owed, most }: RawRequest,
  { answers, rest }: RawSent,
  { events }: News,
  marker: string,
): string[] {
  const problems = answers.flatMap(({ status, head }) => ofAnswer(status, head));
  if (answers.length < owed)
    problems.push(`${answers.length} answers instead of ${owed}; ${rest.slice(0, 200)}`);
  if (answers.length > most) problems.push(`${answers.length} answers to ${most} requests`);
  for (const { status, body } of answers) {
    if (isCutOff(body)) problems.push(`${status}: the tunnel is gone`);
    const isHead = bytes.toString("latin1", 0, 4) === "HEAD";
    if (status >= 400 && !isHead && !body.includes('"message":'))
      problems.push(`${status} without a message`);
  }
  if (kind !== "upgrade" && JSON.stringify(events).includes(marker))
    problems.push("the body of a request was taken for a request");
  return problems;
}
