// Sends Graph malformed and hostile envelopes and fields, from people who have logged in and from others;
// docs/fuzz.md.
import { graphFields, graphRows } from "@ledge/cloud/graph";
import type { Random } from "../crash/random.ts";
import type { CloudAsker } from "./cloud-requests.ts";
import { type CaseMaker, fuzzWorld, wrongChanges } from "./cloud-target.ts";
import type { FuzzOptions, FuzzResult } from "./run.ts";
import { hostileValue, nested, type Source, spoilt, valueOf, without, withKeys } from "./values.ts";
import type { Sent } from "./wire.ts";

type GraphRow = (typeof graphRows)[number];

const shownChars = 300;
/** Who sends a request; the owner and the admin more often. */
const askers: readonly CloudAsker[] = [
  "owner",
  "owner",
  "owner",
  "admin",
  "admin",
  "guest",
  "other",
  "stranger",
  "ended",
  "forged",
  "hubKey",
  "nobody",
];
const refusedAskers: ReadonlySet<CloudAsker> = new Set(["ended", "forged", "hubKey", "nobody"]);

/** A request to Graph. */
export interface GraphRequest {
  readonly row: GraphRow;
  readonly asker: CloudAsker;
  /** A short name for what is wrong with it. */
  readonly kind: string;
  readonly body: Buffer;
}

/** Starts a cloud with people and hubs, sends it the cases, and stops everything again. */
export function fuzzGraph(options: FuzzOptions): Promise<FuzzResult> {
  return fuzzWorld("graph", options, caseFor);
}

const caseFor: CaseMaker = async (number, source) => {
  // Cycle through the types, so that few cases reach all of them.
  const row = graphRows[number % graphRows.length] as GraphRow;
  const request = graphRequestFor(row, { ...source, wordsOf: wordsOf(source) });
  return {
    asker: request.asker,
    wire: {
      row: { method: row.kind === "command" ? "PUT" : "POST" },
      path: `/graph/${row.kind}`,
      headers: [],
      body: request.body,
      delivery: "whole",
    },
    shown: shownOf(request),
    asked: [request.body.toString()],
    problems: (sent, _hasCommitted, changed) => problemsOf(request, sent, changed),
  };
};

/** Returns values for fields of Graph, beside those for fields of the cloud. */
function wordsOf({ ids: hubs, wordsOf: ofCloud }: Source): NonNullable<Source["wordsOf"]> {
  const words: Readonly<Record<string, readonly unknown[]>> = {
    deviceRegisterId: [...hubs, ...hubs, "none", "__proto__"],
    deviceId: [...hubs, "lamp", "__proto__"],
    operationId: ["none", ...hubs],
    userId: ["none", ...hubs],
    role: ["USER", "ADMIN", "REMOTEGUEST", "GUEST", "OWNER", "ANONYMOUS", "user", 8],
    path: ["/hub/tz", "/devices", "/events", "/hub/../log", "//hub", "/hub?x=1", "/%2e%2e/log"],
    method: ["GET", "PUT", "POST", "DELETE", "OPTIONS"],
    next: ["", "a.b", "AAAA.BBBB"],
    payload: [Buffer.from('{"type":"CMD_DEVICE_ON"}').toString("base64"), "?", ""],
  };
  return (field) => (Object.hasOwn(words, field) ? words[field] : ofCloud?.(field));
}

/** Generates a request for a type: from its fields, then corrupted in one of many ways. */
export function graphRequestFor(row: GraphRow, source: Source): GraphRequest {
  const { random } = source;
  const asker = random.pick(askers);
  const message = { type: row.type, ...(valueOf(graphFields(row), source) as object) };
  const envelope: Record<string, unknown> = { [row.kind]: message };
  if (random.chance(0.4))
    envelope["correlationId"] = random.pick(["c", "x".repeat(128), "x".repeat(129), "", 7]);
  if (random.chance(0.4)) envelope["traceparent"] = random.pick(traces);
  const kind = random.pick(Object.keys(spoilers));
  const text = (spoilers[kind] as Spoiler)(envelope, message, row, source);
  return { row, asker, kind, body: typeof text === "string" ? Buffer.from(text) : text };
}

const traces = [
  `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
  `ff-${"a".repeat(32)}-${"b".repeat(16)}-01`,
  `00-${"0".repeat(32)}-${"b".repeat(16)}-01`,
  "00-1-2-3",
  "",
  7,
];

type Spoiler = (
  envelope: Record<string, unknown>,
  message: Record<string, unknown>,
  row: GraphRow,
  source: Source,
) => string | Buffer;

const json = (value: unknown): string => JSON.stringify(value) ?? "";

/** Ways to corrupt a request, by name. */
const spoilers: Readonly<Record<string, Spoiler>> = {
  plain: (envelope) => json(envelope),
  plainer: (envelope) => json(envelope),
  "a hostile field": (envelope, message, row, source) =>
    json({
      ...envelope,
      [row.kind]: { ...(spoilt(message, hostileValue(source), source.random) as object), type: row.type },
    }),
  "a missing field": (envelope, message, row, { random }) =>
    json({ ...envelope, [row.kind]: without(message, random) }),
  "a hostile envelope": (envelope, _message, _row, source) =>
    json(spoilt(envelope, hostileValue(source), source.random)),
  "no envelope": (_envelope, message) => json(message),
  "another kind": (_envelope, message, row) =>
    json({ [row.kind === "query" ? "command" : "query"]: message }),
  "a changed type": (envelope, message, row, { random }) =>
    json({ ...envelope, [row.kind]: { ...message, type: changedType(row.type, random) } }),
  "keys twice": (envelope, _message, _row, source) => withKeys(json(envelope), source, true),
  "keys of the prototype": (envelope, _message, _row, source) => withKeys(json(envelope), source, false),
  "too deep": (envelope, message, row) => json({ ...envelope, [row.kind]: { ...message, deep: nested(40) } }),
  "half of it": (envelope) => json(envelope).slice(0, 20),
  "broken UTF-8": (envelope) => Buffer.concat([Buffer.from(json(envelope)), Buffer.from([0xc3, 0x28])]),
  "too large": (envelope) => json({ ...envelope, more: "x".repeat(1_048_577) }),
};

function changedType(type: string, random: Random): string {
  return random.pick([
    type.toLowerCase(),
    `${type} `,
    type.slice(1),
    `${type}Result`,
    "__proto__",
    "constructor",
    "HubQuery",
  ]);
}

function shownOf({ row, asker, kind, body }: GraphRequest): string {
  return `${row.type} as ${asker}, ${kind}: ${body.toString("latin1", 0, shownChars)}`;
}

/** Returns what is wrong with an answer and with the cloud's changes. */
export function problemsOf(
  { asker, body: asked, row }: GraphRequest,
  { status, body, head }: Pick<Sent, "status" | "body" | "head">,
  changed: readonly string[],
): string[] {
  const problems: string[] = [];
  if (status === undefined) return ["no answer"];
  const isRefused = status !== 200;
  if (![200, 400, 401, 413, 422, 429].includes(status)) problems.push(`${status} ${body}`);
  if (!isRefused && refusedAskers.has(asker)) problems.push(`${asker} was answered ${body}`);
  if (isRefused && !head.some((line) => /^content-type: application\/problem\+json/i.test(line)))
    problems.push(`${status} without problem details`);
  if (!isRefused) problems.push(...resultProblems(body, asked, row));
  return [...problems, ...wrongChanges(asker, changed)];
}

function resultProblems(body: string, asked: Buffer, row: GraphRow): string[] {
  const { result, traceparent } = JSON.parse(body) as {
    result: { type?: unknown; error?: { code?: unknown } };
    traceparent?: unknown;
  };
  const problems: string[] = [];
  if (!/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(String(traceparent)))
    problems.push("no traceparent");
  if (result.error?.code === "E_UNKNOWN") problems.push(`a fault: ${body}`);
  const isNamed = asked.includes(JSON.stringify(row.type)) && typeof result.type === "string";
  if (!isNamed && result.error?.code !== "E_UNKNOWN_TYPE" && result.error?.code !== "E_INVALID")
    problems.push(`answered as ${String(result.type)}`);
  return problems;
}
