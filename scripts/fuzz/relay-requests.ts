// Generates requests to a hub through the relay, for all its rows, in every form and with every mixture of
// credentials.
import type { Row } from "@ledge/api";
import { forged } from "./cloud-requests.ts";
import type { Keys, Member, RelayHome } from "./relay-home.ts";
import { type FuzzRequest, requestFor } from "./requests.ts";
import type { Source } from "./values.ts";

export interface RelayRequest extends FuzzRequest {
  /** The header lines with the credentials. */
  readonly credentials: readonly string[];
  /** Whether these belong to one member. */
  readonly isGood: boolean;
  /** A short name for what is wrong with them. */
  readonly how: string;
}

const hows = [
  ...Array.from({ length: 12 }, () => "good" as const),
  "no token",
  "no key",
  "another's key",
  "ended token",
  "forged token",
  "forged key",
  "key as token",
  "another hub's key",
] as const;

/** Generates a request for a row of the hub. */
export function relayRequestFor(row: Row, home: RelayHome, source: Source): RelayRequest {
  const { random } = source;
  const request = requestFor(row, source);
  const { asker } = request;
  const isMember = asker !== "nobody" && asker !== "stranger";
  const how = isMember ? random.pick(hows) : "stranger";
  const [token, hubKey] = credentials(how, home, isMember ? asker : "guest", asker === "stranger", source);
  const prefix = random.pick(["/relay", "/relay", "/ui/0.2/hub/remote", "/legacy/ui/0.2/hub/remote", "id"]);
  const way =
    prefix === "id" ? `/ui/0.2/hub/${random.chance(0.9) ? home.hubId : home.world.a.hub.id}/remote` : prefix;
  const isElsewhere = way.includes(home.world.a.hub.id);
  return {
    ...request,
    path: way + request.path,
    headers: [...request.headers, ...(random.chance(0.15) ? [random.pick(oddHeaders)] : [])],
    credentials: [
      ...(token === undefined ? [] : [`Authorization: ${random.pick(["", "Bearer ", "bearer "])}${token}`]),
      ...(hubKey === undefined ? [] : [`X-Hub-Key: ${hubKey}`]),
    ],
    isGood: how === "good" && !isElsewhere,
    how: isElsewhere ? `${how}, for another hub` : how,
  };
}

function credentials(
  how: (typeof hows)[number] | "stranger",
  { members, world }: RelayHome,
  name: Member,
  hasToken: boolean,
  source: Source,
): readonly [token: string | undefined, hubKey: string | undefined] {
  const { token, hubKey } = members[name];
  const { owner, guest } = members;
  const another: Keys = name === "owner" ? guest : owner;
  switch (how) {
    case "good":
      return [token, hubKey];
    case "no token":
      return [undefined, hubKey];
    case "no key":
      return [token, undefined];
    case "another's key":
      return [token, another.hubKey];
    case "ended token":
      return [world.ended, hubKey];
    case "forged token":
      return [forged(token, source), hubKey];
    case "forged key":
      return [token, forged(hubKey, source)];
    case "key as token":
      return [hubKey, token];
    case "another hub's key":
      return [world.people.owner.token, world.hubKey];
    case "stranger":
      return hasToken ? [world.people.stranger.token, owner.hubKey] : [undefined, undefined];
  }
}

const oddHeaders = [
  "Accept: text/html",
  "Origin: https://evil.example",
  "X-Forwarded-Proto: http",
  "X-Forwarded-Host: evil.example",
  "Forwarded: for=127.0.0.1",
  "X-Real-IP: 127.0.0.1",
  "Cookie: a=b",
  "Range: bytes=0-1",
  "If-None-Match: *",
  "Expect: 100-continue",
  "Expect: x",
  "TE: trailers",
  "Connection: X-Hub-Key",
  "Connection: Content-Type, Authorization",
  "Upgrade: h2c",
  "Accept-Encoding: gzip, br",
  "Accept-Language: ../../etc, *",
  "Last-Event-ID: 9999999999999-1",
  "X-Hub-Key: x",
  "X-Ledge-Caller: console",
  `X-Long: ${"x".repeat(8000)}`,
] as const;
