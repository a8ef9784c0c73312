// Generates requests for the rows of the cloud: from their fields, then corrupted in one of many ways.
import type { CloudRow, cloudRows } from "@ledge/cloud";
import { limits, roles } from "@ledge/model";
import type { PersonName } from "./cloud-world.ts";
import { bodyFor, contentType, type Delivery, deliveryOf, queryFor, queryText, textOf } from "./requests.ts";
import { hostileValue, type Schema, type Source, valueOf } from "./values.ts";

/**
 * The credential of a request: a person's, an ended session, a forged token, a HubKey in place of a token, the
 * token of a hub's session, or none.
 */
export type CloudAsker = PersonName | "ended" | "forged" | "hubKey" | "hubA" | "hubC" | "nobody";

export interface CloudRequest {
  readonly row: CloudRow;
  readonly asker: CloudAsker;
  /** A short name for what is wrong with it. */
  readonly kind: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly delivery: Delivery;
}

const strangers: readonly CloudAsker[] = ["ended", "forged", "hubKey", "nobody", "stranger", "other"];
const accounts: readonly CloudAsker[] = [
  ...strangers,
  "hubA",
  "owner",
  "owner",
  "owner",
  "admin",
  "admin",
  "guest",
  "guest",
];
const askers: Readonly<Record<CloudRow["who"], readonly CloudAsker[]>> = {
  account: accounts,
  platform: accounts,
  hub: [...strangers, "owner", "hubA", "hubA", "hubA", "hubA", "hubC", "hubC"],
  anyone: ["nobody", "nobody", "nobody", "stranger", "owner", "hubA", "forged"],
};

/** Whether a row must refuse this asker, because it takes no account or no hub. */
export function isRefused(who: CloudRow["who"], asker: CloudAsker): boolean {
  if (who === "anyone") return false;
  const hubs = ["hubA", "hubC"].includes(asker);
  return ["ended", "forged", "hubKey", "nobody"].includes(asker) || hubs !== (who === "hub");
}

/** Returns values for fields of the cloud. `world`: addresses of people, ids of hubs, codes of mails. */
export function wordsFor(world: {
  readonly emails: readonly string[];
  readonly hubs: readonly string[];
  readonly codes: readonly string[];
}): NonNullable<Source["wordsOf"]> {
  const { emails, hubs, codes } = world;
  const odd = [
    emails[0]?.toUpperCase(),
    ` ${emails[1]} `,
    emails[0]?.replace("o", "\u043e"),
    "\u212aim@fuzz.example",
    "<x@evil.example>",
    `${emails[0]},x@evil.example`,
    "a@b\r\nBcc: x@evil.example",
    "new@fuzz.example",
  ];
  const words: Readonly<Record<string, readonly unknown[]>> = {
    email: [...emails, ...emails, ...odd],
    hubId: [...hubs, ...hubs, ...hubs, ...hubs, "none", "__proto__", "a.b"],
    code: [...codes, `${hubs[0]}.`, `${hubs[0]}.x`, `.${codes[0]}`, "."],
    role: [...Object.values(roles), 0x80, 0, 3],
    password: ["ABCDEF", "correct horse battery staple", "short", null],
    version: ["1.14.15.1", "1.14.9.124", "1"],
    users: [[], ["none"]],
  };
  return (field) => (Object.hasOwn(words, field) ? words[field] : undefined);
}

/**
 * Generates a request for a row.
 * @param sample valid fields to use instead of generated ones
 */
export function cloudRequestFor(
  { row, site }: (typeof cloudRows)[number],
  source: Source,
  sample?: object,
): CloudRequest {
  const { random } = source;
  const asker = random.pick(askers[row.who]);
  const schema = row.fields as Schema | undefined;
  const headers = random.chance(0.15) ? [random.pick(oddHeaders)] : [];
  const from = row.from ?? "query";
  const bare = { row, asker, headers, body: Buffer.alloc(0), delivery: "whole" } as const;
  const place = `${site.prefix}${row.path}`;
  const inQuery = schema === undefined || from === "query" || (from === "any" && random.chance(0.4));
  if (inQuery) {
    const value = sample ?? (schema && (valueOf(schema, source) as object));
    const pairs = Object.entries(value ?? {}).map(([name, said]) => [name, textOf(said)] as const);
    if (random.chance(0.5)) return { ...bare, kind: "plain", path: `${place}?${queryText(pairs)}` };
    const { kind, text } = queryFor(schema, source);
    return { ...bare, kind: `query ${kind}`, path: place + text };
  }
  if (from === "any" && random.chance(0.3)) {
    const value = valueOf(schema, source) as object;
    const pairs = Object.entries(value).map(([name, said]) => [name, textOf(said)] as const);
    if (random.chance(0.4)) pairs.push(["email", textOf(hostileValue(source))]);
    const form = [...headers, "Content-Type: application/x-www-form-urlencoded"];
    return { ...bare, kind: "form", path: place, headers: form, body: Buffer.from(queryText(pairs)) };
  }
  const { kind, body } = bodyFor(
    { schema, isList: false, bodyBytes: limits.cloudBodyBytes, ...(sample && { sample }) },
    source,
  );
  const typed = [...headers, contentType(kind, source)];
  return { ...bare, kind, path: place, headers: typed, body, delivery: deliveryOf(kind) };
}

const oddHeaders = [
  "Accept: text/html",
  "Accept: */*;q=0.1, \u00ff",
  "Origin: https://evil.example",
  "X-Forwarded-Proto: http",
  "X-Forwarded-Host: evil.example",
  "Cookie: a=b; token=c",
  "Range: bytes=0-1",
  "If-None-Match: *",
  "Expect: 100-continue",
  "Expect: x",
  "X-HTTP-Method-Override: DELETE",
  "Accept-Encoding: gzip, br",
  "Accept-Language: ../../etc, *",
  `X-Long: ${"x".repeat(8000)}`,
] as const;

/** Returns the header line of a credential, in one of the forms that clients use. */
export function credentialOf(token: string | undefined, { random }: Source): readonly string[] {
  if (token === undefined) return random.chance(0.3) ? ["Authorization: null"] : [];
  return [random.pick([`Authorization: ${token}`, `Authorization: Bearer ${token}`])];
}

/** Returns a token with changed content under the old signature. */
export function forged(token: string, { random }: Source): string {
  const [head = "", payload = "", signature = ""] = token.split(".");
  const claims = Buffer.from(payload, "base64url").toString();
  const other = Buffer.from(claims.replace(/"role":\d+/, '"role":96')).toString("base64url");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  return random.pick([
    `${none}.${payload}.`,
    `${head}.${other}.${signature}`,
    `${head}.${payload}.${signature.slice(0, -4)}AAAA`,
    `${head}.${payload}`,
    "x".repeat(9000),
    ".".repeat(100),
  ]);
}
