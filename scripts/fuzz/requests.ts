// Generates requests for the rows of the hub: from their schemas, then corrupted in one of many ways.
import type { Row } from "@ledge/api";
import { limits } from "@ledge/model";
import {
  hostileValue,
  nested,
  type Schema,
  type Source,
  spoilt,
  valueOf,
  withKeys,
  without,
} from "./values.ts";

/** The credential of a request. `nobody` has none, `stranger` an invalid one. */
export type Asker = "owner" | "admin" | "user" | "guest" | "nobody" | "stranger";

/** A request as it goes over the wire. */
export interface FuzzRequest {
  readonly row: Row;
  readonly asker: Asker;
  /** A short name for what is wrong with it. */
  readonly kind: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly delivery: Delivery;
}

/**
 * How the body arrives: in one piece, in chunks, in small pieces; cut off before the end; or with a length that
 * is more or less than the body.
 */
export type Delivery = "whole" | "chunked" | "dripped" | "aborted" | "more" | "less";

/** Rows that end or erase the hub. Only askers without the right to do so send them. */
const endsHub = /restart|reboot|shutdown|reset/i;
const refused: readonly Asker[] = ["guest", "nobody", "stranger"];
const anybody: readonly Asker[] = [
  ...Array.from({ length: 6 }, () => "admin" as const),
  "owner",
  "user",
  "user",
  "guest",
  "nobody",
  "stranger",
];

/** Generates a request for a row. */
export function requestFor(row: Row, source: Source): FuzzRequest {
  const { random } = source;
  const asker = random.pick(endsHub.test(row.path) ? refused : anybody);
  const query = row.query as Schema | undefined;
  const inBody = row.body !== undefined && (query === undefined || random.chance(0.8));
  const { bodyBytes } = limits;
  const shape = { schema: row.body as Schema, isList: row.list === true, bodyBytes };
  const said = inBody ? bodyFor(shape, source) : { kind: "plain", body: Buffer.alloc(0) };
  const asked = inBody ? { kind: said.kind, text: plainQuery(query, source) } : queryFor(query, source);
  const path = `${row.unversioned ? "" : "/cc/1.14"}${row.path}${asked.text}`;
  const headers = inBody ? [contentType(said.kind, source)] : [];
  const delivery = inBody ? deliveryOf(said.kind) : "whole";
  return { row, asker, kind: asked.kind, path, headers, body: said.body, delivery };
}

const bodyKinds = [
  "plain",
  "plain",
  "spoilt",
  "spoilt",
  "spoilt",
  "missing",
  "missing",
  "not a list",
  "keys twice",
  "prototype keys",
  "deep",
  "huge",
  "long list",
  "no JSON",
  "no UTF-8",
  "other content type",
  "chunked",
  "dripped",
  "aborted",
  "more",
  "less",
] as const;

export function deliveryOf(kind: string): Delivery {
  const named = (["chunked", "dripped", "aborted", "more", "less"] as const).find((name) => name === kind);
  return named ?? "whole";
}

export function contentType(kind: string, { random }: Source): string {
  if (kind !== "other content type") return "Content-Type: application/json";
  return random.pick([
    "Content-Type: text/plain",
    "Content-Type: multipart/form-data; boundary=x",
    "Content-Type: application/x-www-form-urlencoded",
    "Content-Type: application/json; charset=utf-16",
    "Content-Type: ",
    "Content-Encoding: gzip",
    "X-Nothing: 1",
  ]);
}

/** What a body is generated from. */
interface BodyShape {
  readonly schema: Schema;
  readonly isList: boolean;
  /** The largest accepted body. */
  readonly bodyBytes: number;
  /** A valid body to use instead of a generated one. */
  readonly sample?: unknown;
}

/** Generates a body, valid or corrupted in one of many ways. */
export function bodyFor(
  { schema, isList, bodyBytes, sample }: BodyShape,
  source: Source,
): { readonly kind: string; readonly body: Buffer } {
  const { random } = source;
  const kind = random.pick(bodyKinds);
  const item = sample ?? valueOf(schema, source);
  const value =
    isList && random.chance(0.8) ? [item, ...(random.chance(0.3) ? [valueOf(schema, source)] : [])] : item;
  const text = JSON.stringify(value);
  switch (kind) {
    case "spoilt":
      return { kind, body: json(spoilt(value, hostileValue(source), random)) };
    case "missing":
      return { kind, body: json(without(value, random)) };
    case "not a list":
      return { kind, body: json(Array.isArray(value) ? [value] : [value, value]) };
    case "keys twice":
    case "prototype keys":
      return { kind, body: Buffer.from(withKeys(text, source, kind === "keys twice")) };
    case "deep":
      return { kind, body: deep(value, source) };
    case "huge":
      return { kind, body: Buffer.from(text + " ".repeat(bodyBytes + random.below(2) - text.length)) };
    case "long list":
      return { kind, body: json(Array.from({ length: limits.listItems + random.below(2) }, () => item)) };
    case "no JSON":
      return {
        kind,
        body: Buffer.from(random.pick([text.slice(0, -1), `${text}]`, "", "NaN", "\ufeff" + text, "'a'"])),
      };
    case "no UTF-8":
      return { kind, body: Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xc3, 0x28, 0xff])]) };
    case "plain":
    case "other content type":
    case "chunked":
    case "dripped":
    case "aborted":
    case "more":
    case "less":
      return { kind, body: Buffer.from(text) };
  }
}

/** Nests a value deeper than the limit, or deeper than a stack. */
function deep(value: unknown, { random }: Source): Buffer {
  if (random.chance(0.5)) return json(spoilt(value, nested(limits.bodyDepth + 2), random));
  const depth = 200_000;
  return Buffer.from(random.chance(0.5) ? "[".repeat(depth) + "]".repeat(depth) : '{"a":'.repeat(depth));
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? "");
}

const queryKinds = [
  "plain",
  "plain",
  "spoilt",
  "spoilt",
  "missing",
  "twice",
  "prototype names",
  "many",
  "broken",
] as const;

/** Generates a query with its question mark, valid or corrupted in one of many ways. */
export function queryFor(
  schema: Schema | undefined,
  source: Source,
): { readonly kind: string; readonly text: string } {
  const { random } = source;
  const kind = random.pick(queryKinds);
  const pairs = pairsOf(schema, source);
  const some = random.below(Math.max(1, pairs.length));
  switch (kind) {
    case "spoilt":
      pairs[some] = [pairs[some]?.[0] ?? "id", textOf(hostileValue(source))];
      break;
    case "missing":
      pairs.splice(some, 1);
      break;
    case "twice":
      pairs.push(...pairs.map(([name]) => [name, textOf(hostileValue(source))] as Pair));
      break;
    case "prototype names":
      pairs.push(["__proto__", "x"], ["constructor", "x"], ["toString", ""], ["", "x"]);
      break;
    case "many":
      pairs.push(...Array.from({ length: limits.queryParameters + 10 }, (_, at): Pair => [`p${at}`, "1"]));
      break;
    case "broken":
      return { kind, text: `?${queryText(pairs)}&a=%zz&%=%&=&&a=%ff%fe%00&${"%20".repeat(100)}#x?y` };
    case "plain":
      break;
  }
  return { kind, text: pairs.length === 0 ? "" : `?${queryText(pairs)}` };
}

function plainQuery(schema: Schema | undefined, source: Source): string {
  const pairs = pairsOf(schema, source);
  return pairs.length === 0 ? "" : `?${queryText(pairs)}`;
}

type Pair = readonly [name: string, value: string];

function pairsOf(schema: Schema | undefined, source: Source): Pair[] {
  const value = schema === undefined ? {} : (valueOf(schema, source) as Record<string, unknown>);
  return Object.entries(value).map(([name, found]) => [name, textOf(found)] as const);
}

/** About the maximum length of the headers. */
const textMax = 20_000;

/** Returns a value as text for a query. */
export function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, textMax).toWellFormed();
}

/** Encodes pairs as a query or a form. */
export function queryText(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}
