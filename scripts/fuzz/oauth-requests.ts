// Generates forms and queries for the OAuth2 server: whole ones, then corrupted in one of many ways.
import { hostileValue, type Source } from "./values.ts";

/** Fields of a form or a query in their order; a name may come more than once. */
export type Entries = readonly (readonly [name: string, value: string])[];

/** A form or a query as it is sent. */
export interface Spoilt {
  /** A short name for what is wrong with it. */
  readonly kind: string;
  readonly entries: Entries;
  /** The entries as bytes of a form, which a query takes, too. */
  readonly text: string;
  /** Header lines beside those that every form has. */
  readonly headers: readonly string[];
  readonly contentType: string;
}

/** What belongs to others: values that take the place of a field's own. */
export type Foreign = Readonly<Record<string, readonly string[]>>;

type Spoiler = (
  entries: Entries,
  source: Source,
  foreign: Foreign,
) => { readonly [Part in keyof Spoilt]?: Spoilt[Part] | undefined };

const formType = "application/x-www-form-urlencoded";
const encoded = (entries: Entries): string =>
  entries.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
/** Lone surrogates have no encoding of their own. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Replaces the value of one field. */
function changed(
  entries: Entries,
  { random }: Source,
  valueFor: (name: string, own: string) => string,
): Entries {
  const at = random.below(entries.length);
  return entries.map(([name, value], index) => [name, index === at ? valueFor(name, value) : value]);
}

function hostileText(source: Source): string {
  const value = hostileValue(source);
  return typeof value === "string" ? value.slice(0, 9000) : (JSON.stringify(value) ?? "").slice(0, 9000);
}

/** Addresses that look like a registered one. */
const places = [
  "https://evil.example/callback",
  "https://app.example/callback/../evil",
  "https://app.example/callback?x=1",
  "https://app.example/callback#x",
  "https://app.example@evil.example/callback",
  "https://app.example.evil.example/callback",
  "//evil.example/callback",
  "https:evil.example",
  "HTTPS://APP.EXAMPLE/callback",
  "https://app.example:443/callback",
  "https://app.example/callback\\@evil.example",
  "http://127.0.0.1:9/back",
  "http://localhost/back",
  "javascript:alert(1)",
  "data:text/html,x",
  "",
];

const odd = {
  response_type: ["token", "id_token", "code token", "none", ""],
  response_mode: ["form_post", "fragment", "query", "web_message", "x"],
  prompt: ["none", "login", "consent", "login consent", "none login", "select_account", "x"],
  code_challenge_method: ["plain", "s256", "none", ""],
  scope: ["", "openid", "internal", "openid internal platform.write", " ", "x".repeat(2000), "openid\nemail"],
  grant_type: ["password", "implicit", "urn:ietf:params:oauth:grant-type:device_code", ""],
  redirect_uri: places,
  max_age: ["-1", "0", "x", "1e9", "99999999999999999999"],
  ui_locales: ["fi", "x".repeat(5000), "fi en <b>", "\u0000"],
  claims: ["{", '{"id_token":{"email":null}}', "[]", `{"a":${"[".repeat(50)}`],
  request: ["eyJhbGciOiJub25lIn0.e30.", "x"],
  request_uri: ["https://evil.example/r", "urn:x"],
  resource: ["https://evil.example/platform", "x", ""],
  id_token_hint: ["x", "eyJhbGciOiJub25lIn0.e30."],
  login_hint: ["<script>alert(1)</script>", "x".repeat(5000), "a@b"],
  registration: ["{}"],
  client_assertion: ["eyJhbGciOiJub25lIn0.e30.", "x"],
  client_assertion_type: ["urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "x"],
  step: ["email", "password", "consent", "cancel", "x", ""],
} as const;

const spoilers: Readonly<Record<string, Spoiler>> = {
  plain: () => ({}),
  "a hostile value": (entries, source) => ({ entries: changed(entries, source, () => hostileText(source)) }),
  "another's value": (entries, source, foreign) => ({
    entries: changed(entries, source, (name, own) => source.random.pick(foreign[name] ?? [`${own}x`, ""])),
  }),
  "an odd value": (entries, source) => {
    const [name, values] = source.random.pick(Object.entries(odd));
    const rest = entries.filter(([each]) => each !== name);
    return { entries: [...rest, [name, source.random.pick<string>(values)]] };
  },
  "another place": (entries, { random }) => ({
    entries: [...entries.filter(([name]) => name !== "redirect_uri"), ["redirect_uri", random.pick(places)]],
  }),
  "a field twice": (entries, { random }) => ({ entries: [...entries, random.pick(entries)] }),
  "a field with two values": (entries, source, foreign) => {
    const [name] = source.random.pick(entries);
    const added = [name, source.random.pick(foreign[name] ?? [hostileText(source)])] as const;
    return { entries: source.random.chance(0.5) ? [...entries, added] : [added, ...entries] };
  },
  "a missing field": (entries, { random }) => ({
    entries: entries.toSpliced(random.below(entries.length), 1),
  }),
  "a list": (entries, { random }) => ({
    entries: [...entries, [`${random.pick(entries)[0]}${random.pick(["[]", "[0]", "[x]", ".x"])}`, "x"]],
  }),
  "a name of the prototype": (entries, { random }) => ({
    entries: [...entries, [random.pick(["__proto__", "constructor", "__proto__[x]", "toString"]), "x"]],
  }),
  "another case": (entries, { random }) => {
    const at = random.below(entries.length);
    return {
      entries: entries.map(([name, value], index) => [index === at ? name.toUpperCase() : name, value]),
    };
  },
  "many fields": (entries) => ({
    entries: [...entries, ...Array.from({ length: 2000 }, (_, at) => [`f${at}`, "x"] as const)],
  }),
  huge: (entries, source) => ({ entries: changed(entries, source, (_, own) => own + "x".repeat(100_000)) }),
  "broken encoding": (entries, { random }) => ({
    text: `${encoded(entries)}${random.pick(["&a=%", "&a=%zz", "&a=%c3%28", "&%", "&=&&=", "&a=%ed%a0%80", "%00=%00"])}`,
  }),
  "raw bytes": (entries) => ({ text: entries.map(([name, value]) => `${name}=${value}\u00e4`).join("&") }),
  "another type": (entries, { random }) => ({
    contentType: random.pick(["application/json", "text/plain", "multipart/form-data; boundary=x", ""]),
    text: random.chance(0.5) ? JSON.stringify(Object.fromEntries(entries)) : encoded(entries),
  }),
  "another charset": () => ({ contentType: `${formType}; charset=utf-16` }),
  "a second credential": (_entries, { random }, foreign) => {
    const id = random.pick(foreign["client_id"] ?? ["none"]);
    const secret = random.pick(foreign["client_secret"] ?? ["none"]);
    const pair = Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64");
    return { headers: [`Authorization: Basic ${random.pick([pair, "x", "=", `${pair}x`])}`] };
  },
  "other headers": (_entries, { random }) => ({
    headers: [
      random.pick([
        "Host: evil.example",
        "X-Forwarded-Host: evil.example",
        "Origin: https://evil.example",
        "Accept: application/json",
        "Content-Encoding: gzip",
        "X-HTTP-Method-Override: DELETE",
        `Accept-Language: ${"fi,".repeat(1000)}`,
      ]),
    ],
  }),
};

/** Corrupts a form or a query in one of many ways, or leaves it as it is. */
export function spoiltForm(entries: Entries, source: Source, foreign: Foreign): Spoilt {
  const { random } = source;
  const kind = random.chance(0.2) ? "plain" : random.pick(Object.keys(spoilers));
  const made = (spoilers[kind] as Spoiler)(entries, source, foreign);
  const sent = made.entries ?? entries;
  return {
    kind,
    entries: sent,
    text: made.text ?? encoded(sent),
    headers: made.headers ?? [],
    contentType: made.contentType ?? formType,
  };
}

/**
 * Returns whether each of some fields has its own value in a form, and no other.
 * @param spare those that may be missing
 */
export function isIntact(
  { entries, headers, contentType }: Spoilt,
  own: Entries,
  names: readonly string[],
  spare: readonly string[] = [],
): boolean {
  if (!contentType.startsWith(formType) || headers.some((line) => line.startsWith("Authorization")))
    return false;
  // What has no value counts as left out (RFC 6749 3.1).
  const values = (from: Entries, name: string): string[] =>
    from.filter(([each, value]) => each === name && value !== "").map(([, value]) => value);
  return names.every((name) => {
    const sent = values(entries, name);
    return (sent.length === 0 && spare.includes(name)) || sent.join("&") === values(own, name).join("&");
  });
}
