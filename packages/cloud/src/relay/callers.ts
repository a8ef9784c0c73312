import type { IncomingHttpHeaders } from "node:http";
import { addressKey, Buckets, type KeySet, type TokenProblem, verifyHubKey } from "@ledge/link";
import { features, limits } from "@ledge/model";
import type { Clock } from "@ledge/kernel";
import type { VerifiedToken } from "../accounts/logins.ts";
import { TokenCache } from "../keys/token-cache.ts";
import { type Refusal, refusal } from "./refusal.ts";
import type { ShareRate } from "../rates/rate-exchange.ts";

/** What decides whether a caller reaches a hub. */
export interface CallerPorts {
  /** Returns a cloud token that was verified before, or verifies it; undefined if it is invalid. */
  verified(token: string): Promise<VerifiedToken | undefined>;
  /** Returns a cloud token that was verified before, so that it need not be verified. */
  known(token: string): VerifiedToken | undefined;
  /** Returns the account of a cloud token while its session lives. */
  accountOf(token: VerifiedToken): string | undefined;
  /**
   * Returns the number of the list that gave an account access to a hub: HubKeys of older lists are refused.
   * Undefined without access.
   */
  grantedBy(account: string, hubId: string): number | undefined;
  /** Returns the feature codes of a hub (hub-api 2.1). */
  featuresOf(hubId: string): readonly number[];
  /** Issuer of the valid HubKeys. */
  readonly issuer: string;
  keys(): KeySet;
  /** Returns the time by which keys expire (ms since the epoch). */
  now(): number;
  readonly clock: Pick<Clock, "monotonic">;
}

/** The claims of a HubKey that the relay needs. */
export interface VerifiedKey {
  readonly hubId: string;
  readonly user: string;
  /** Number of the list under which it was issued. */
  readonly seq: number;
  /** ms since the epoch. */
  readonly expires: number;
}

/** A request, as far as it says who asks. */
export interface Calling {
  readonly headers: IncomingHttpHeaders;
  /** The client's connection. */
  readonly connection: object;
  /** The client's address, as the cloud sees it. */
  readonly address: string;
  /** The hub that the path names. */
  readonly hubId: string | null;
}

/** The credentials of a connection's last request, which the next one most often repeats. */
interface Held {
  readonly authorization: string;
  readonly hubKey: string;
  readonly token: VerifiedToken;
  readonly key: VerifiedKey;
}

/** Finds out who asks and for which hub, and whether they may. Session, access and features count at each request. */
export class Callers {
  readonly #ports: CallerPorts;
  readonly #verified = new TokenCache<VerifiedKey>();
  /** Plain credentials, for no longer than their connection lives: node:http keeps the request that long anyway. */
  #held = new WeakMap<object, Held>();
  /** Requests without valid credentials, by address. */
  readonly #wrong = new Buckets(limits.wrongKeysPerMinutePerAddress, limits.addressBuckets);

  constructor(ports: CallerPorts) {
    this.#ports = ports;
  }

  shareRates(share: ShareRate): void {
    share("relay-keys", this.#wrong);
  }

  /** Forgets everything that was verified, because a signing key was withdrawn. */
  clear(): void {
    this.#verified.clear();
    this.#held = new WeakMap();
  }

  /**
   * Returns who asks and for which hub, or why the request is refused. Limits how many wrong credentials one
   * address may try. A request that repeats the credentials of its connection is judged without a promise.
   */
  admit(calling: Calling): VerifiedKey | Refusal | Promise<VerifiedKey | Refusal> {
    const { headers, connection, hubId } = calling;
    const held = this.#held.get(connection);
    if (
      held !== undefined &&
      held.authorization === headers.authorization &&
      held.hubKey === headers["x-hub-key"] &&
      held.key.expires > this.#ports.now()
    ) {
      const account = this.#ports.accountOf(held.token);
      if (account !== undefined) return this.#judge(account, held.key, hubId);
    }
    return this.#countedKeyOf(calling);
  }

  async #countedKeyOf(calling: Calling): Promise<VerifiedKey | Refusal> {
    const ports = this.#ports;
    const { headers, address } = calling;
    const [token, hubKey] = [tokenIn(headers.authorization), tokenIn(headers["x-hub-key"])];
    const isVerified = hubKey !== undefined && this.#verified.get(hubKey, ports.now()) !== undefined;
    const known = token === undefined || !isVerified ? undefined : ports.known(token);
    if (known !== undefined && ports.accountOf(known) !== undefined)
      return this.#keyOf(token, hubKey, calling);
    const place = addressKey(address);
    const waitSeconds = this.#wrong.take(place, ports.clock.monotonic());
    if (waitSeconds > 0) return refusal(429, "too many wrong credentials from your address", waitSeconds);
    const key = await this.#keyOf(token, hubKey, calling);
    if (!("status" in key) || key.status !== 401) this.#wrong.giveBack(place, ports.clock.monotonic());
    return key;
  }

  async #keyOf(
    token: string | undefined,
    hubKey: string | undefined,
    { headers, connection, hubId }: Calling,
  ): Promise<VerifiedKey | Refusal> {
    const ports = this.#ports;
    // A key that is withdrawn meanwhile clears what is held.
    const held = this.#held;
    const verified = token === undefined ? undefined : await ports.verified(token);
    const account = verified && ports.accountOf(verified);
    if (verified === undefined || account === undefined)
      return refusal(401, "a valid cloud token is required");
    if (hubKey === undefined) return refusal(401, "a HubKey is required in X-Hub-Key");
    const key = this.#verified.get(hubKey, ports.now()) ?? (await this.#verify(hubKey));
    if (typeof key === "string") return refusal(401, `the HubKey is invalid: ${key}`);
    const { authorization, "x-hub-key": keyHeader } = headers;
    if (authorization !== undefined && typeof keyHeader === "string")
      held.set(connection, { authorization, hubKey: keyHeader, token: verified, key });
    return this.#judge(account, key, hubId);
  }

  /** Judges verified credentials by what holds now. */
  #judge(account: string, key: VerifiedKey, named: string | null): VerifiedKey | Refusal {
    const { hubId } = key;
    if (key.user !== account) return refusal(403, "the HubKey belongs to another user");
    if (named !== null && named !== hubId) return refusal(403, "the HubKey is for another hub");
    const granted = this.#ports.grantedBy(account, hubId);
    if (granted === undefined) return refusal(401, "access to this hub was revoked");
    if (key.seq < granted) return refusal(401, "this HubKey is older than your access: fetch a new one");
    if (!this.#ports.featuresOf(hubId).includes(features.REMOTE_USAGE))
      return refusal(402, "remote access is not enabled for this hub");
    return key;
  }

  async #verify(hubKey: string): Promise<VerifiedKey | TokenProblem> {
    const ports = this.#ports;
    const hubId = namedHub(hubKey);
    const issuer = { name: ports.issuer, keys: ports.keys(), lifetimeMs: limits.hubKeyMs };
    const trusted = { issuers: [issuer], hubId };
    const { key, problem } = await verifyHubKey(hubKey, trusted, ports.now());
    if (problem !== undefined) return problem;
    // The key may have been withdrawn meanwhile.
    if (!ports.keys().has(key.kid)) return "unknown-key";
    const found = { hubId, user: key.user_id, seq: key.auth_seq, expires: key.exp * 1000 };
    this.#verified.put(hubKey, found);
    return found;
  }
}

/** Returns the hub that a HubKey names, before the key is verified. */
function namedHub(hubKey: string): string {
  try {
    const payload: unknown = JSON.parse(Buffer.from(hubKey.split(".")[1] ?? "", "base64url").toString());
    const { hub_id } = (payload ?? {}) as { hub_id?: unknown };
    return typeof hub_id === "string" ? hub_id : "";
  } catch {
    return "";
  }
}

/** Accepts a raw token or one after `Bearer `. Some clients send `null` for none. */
function tokenIn(header: string | string[] | undefined): string | undefined {
  const token = String(header ?? "")
    .replace(/^bearer /i, "")
    .trim();
  return token === "" || token === "null" || token.length > limits.tokenChars ? undefined : token;
}
