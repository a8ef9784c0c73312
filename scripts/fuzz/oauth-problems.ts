// Judges answers of the OAuth2 server; docs/fuzz.md.
import { placeOf } from "./oauth-world.ts";
import type { Sent } from "./wire.ts";

const shownChars = 300;

/** One request, and what its answer may bring. */
export interface OAuthCase {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly kind: string;
  /** Addresses that a browser may be sent to. */
  readonly places: readonly string[];
  /** Whether a code may be in the address. */
  readonly mayGetCode: boolean;
  /** The claims that a token may have; undefined if there may be none. */
  readonly claims: Readonly<Record<"client_id" | "sub", string>> | undefined;
  /** Texts that the answer may not have. */
  readonly secrets: readonly string[];
}

/** Addresses that no client may name. */
export const hostilePlaces = [
  "http://app.example/callback",
  "javascript:alert(1)",
  "data:text/html,x",
  "https://a:b@app.example/",
  "https://app.example/#x",
  "https://app.example/ x",
  "https://*.example/",
  "app:/back",
  "//app.example",
  "",
];

/** What an answer brings to whoever gets it. */
export interface Brought {
  readonly code?: string;
  readonly token?: string;
  readonly refresh?: string;
  /** Where the browser is sent to, without the parameters of the answer. */
  readonly place?: URL;
}

export function broughtBy(sent: Sent): Brought {
  const place = URL.parse(placeOf(sent) ?? "", "http://cloud");
  const { access_token, id_token, refresh_token } = jsonIn(sent.body) as Readonly<Record<string, string>>;
  const code = place?.searchParams.get("code") ?? /[#&]code=([^&]+)/.exec(place?.hash ?? "")?.[1] ?? "";
  const token = access_token ?? id_token ?? refresh_token;
  return {
    ...(code !== "" && { code }),
    ...(token !== undefined && { token }),
    ...(refresh_token !== undefined && { refresh: refresh_token }),
    ...(placeOf(sent) !== undefined && place !== null && { place }),
  };
}

function jsonIn(text: string): object {
  try {
    // A body in chunks has their lengths around it.
    const value: unknown = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Returns what is wrong with an answer. @param cloud the address of the cloud */
export function problemsOf(made: OAuthCase, sent: Sent, cloud: string): string[] {
  const { status, head, body } = sent;
  if (status === undefined) return ["no answer"];
  const problems: string[] = [];
  if (status >= 500) problems.push(`${status} ${body.slice(0, shownChars)}`);
  const { place, code, token } = broughtBy(sent);
  if (place !== undefined && !isWithin(place, cloud) && !made.places.some((each) => isAt(place, each)))
    problems.push(`sends the browser to ${place.href}`);
  if (code !== undefined && !made.mayGetCode) problems.push("a code for nobody who is logged in");
  if (token !== undefined) problems.push(...tokenProblems(made, body));
  const isHtml = head.some((line) => /^content-type: text\/html/i.test(line));
  if (isHtml && /<script|\son\w+=/i.test(body)) problems.push("a page with a script");
  if (isHtml && !head.some((line) => /^content-security-policy: default-src 'none'/i.test(line)))
    problems.push("a page without a policy");
  const said = `${head.join("\n")}\n${body}`;
  const asked = `${made.path}\n${made.headers.join("\n")}\n${made.body.toString()}`;
  for (const secret of made.secrets)
    if (said.includes(secret) && !asked.includes(secret)) problems.push("reveals a secret");
  return [...problems, ...clientProblems(made, body)];
}

function tokenProblems({ claims }: OAuthCase, body: string): string[] {
  if (claims === undefined) return [`a token for a wrong request: ${body.slice(0, shownChars)}`];
  const { access_token = "" } = jsonIn(body) as Readonly<Record<string, string>>;
  const payload = Buffer.from(access_token.split(".")[1] ?? "", "base64url").toString();
  const { client_id, sub } = jsonIn(payload) as Readonly<Record<string, unknown>>;
  return client_id === claims.client_id && sub === claims.sub ? [] : [`a token of another: ${payload}`];
}

/** Returns what is wrong with a client that was made, or with the failure to make one. */
function clientProblems({ name, body: asked }: OAuthCase, body: string): string[] {
  if (name !== "client") return [];
  const { result } = jsonIn(body) as { result?: { clientId?: string; error?: { code?: string } } };
  if (result?.error?.code === "E_UNKNOWN") return [`a fault: ${body}`];
  if (result?.clientId === undefined) return [];
  const { command } = JSON.parse(asked.toString()) as { command: { redirectUris?: unknown } };
  const uris = Array.isArray(command.redirectUris) ? command.redirectUris : [];
  return uris.filter((uri) => hostilePlaces.includes(String(uri))).map((uri) => `a client at ${String(uri)}`);
}

function isWithin(place: URL, cloud: string): boolean {
  return place.origin === cloud || place.origin === "http://cloud";
}

/** Returns whether a browser that is sent to a place comes to a registered address. */
function isAt(place: URL, registered: string): boolean {
  const url = new URL(registered);
  // The port of this machine is the app's own to choose (RFC 8252 7.3).
  const isLoopback = url.hostname === "127.0.0.1";
  const host = isLoopback ? place.hostname === url.hostname : place.host === url.host;
  return place.protocol === url.protocol && host && place.pathname === url.pathname && place.username === "";
}
