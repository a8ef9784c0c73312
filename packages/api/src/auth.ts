import { hash, timingSafeEqual } from "node:crypto";
import {
  type HubKey,
  type HubKeyIssuer,
  type TokenProblem,
  verifyHubKey,
  type Bucket,
  Buckets,
  type Rate,
} from "@ledge/link";
import { type HubUser, isRole, limits, type LocalKey, roles, SUPER_ADMIN } from "@ledge/model";
import { nowForExpiry } from "./expiry.ts";
import type { HubPorts } from "./ports.ts";
import { Refused } from "./refused.ts";
import type { Caller } from "./row.ts";

/** Says whose HubKeys the hub trusts. */
export interface Authority {
  issuers(): readonly HubKeyIssuer[];
  /** `iss` of the keys that the hub signs itself. No authorization list of the cloud covers them. */
  readonly ownName: string;
  /** The same for keys that have a record, and can be revoked by it. */
  readonly localName: string;
  /** Grows whenever the keys of `issuers` change. A token verified under another number is verified again. */
  generation(): number;
  /** Number of the newest authorization list that the hub has applied; 0 before the first. */
  authorizationsSynced(): number;
}

export interface AuthBounds {
  readonly tokenCacheEntries: number;
  readonly requestsPerMinutePerToken: number;
  readonly commandsPerMinutePerToken: number;
}

/** A verified token, with the caller that it last stood for. */
export interface Credential {
  readonly key: HubKey;
  readonly generation: number;
  /** Shared by all tokens that one key of the issuer has signed for one user. */
  readonly bucket: Bucket;
  /** Like `bucket`, for the commands in request bodies. */
  readonly commands: Bucket;
  caller: Caller | Refused | undefined;
  user: HubUser | undefined;
  synced: number;
  /** The record of a key that the hub has signed itself. */
  local: LocalKey | undefined;
}

export const anonymousCaller: Caller = { role: roles.ANONYMOUS, user: null, since: 0, origin: "system" };
export const consoleCaller: Caller = { role: SUPER_ADMIN, user: null, since: 0, origin: "console" };
export const scrapeCaller: Caller = { role: roles.USER_ADMIN, user: null, since: 0, origin: "system" };

const bearer = /^bearer /i;

const problemMessages: Readonly<Record<TokenProblem, string>> = {
  malformed: "this is no HubKey",
  algorithm: "this is no HubKey",
  "unknown-key": "the HubKey is signed by somebody unknown",
  signature: "the HubKey is not genuine",
  expired: "the HubKey has expired",
  issuer: "the HubKey is by another issuer",
  audience: "the HubKey is for another hub",
  claims: "the HubKey is incomplete",
};

/**
 * By what a token is looked up. A token kept to be compared with would be quicker, but then a heap snapshot or a
 * core dump would hold keys to the hub long after their holders have gone; `Connection` keeps one until then.
 */
function digestOf(token: string): string {
  return hash("sha256", token, "base64");
}

/** Verifies tokens and finds their callers. One instance serves all listeners. */
export class Authentication {
  readonly rate: Rate;
  readonly commandRate: Rate;
  readonly #ports: HubPorts;
  readonly #authority: Authority;
  readonly #entriesMax: number;
  readonly #buckets: Buckets;
  readonly #commandBuckets: Buckets;
  /** Verified credentials by the token's digest. */
  readonly #known = new Map<string, Credential>();

  constructor(ports: HubPorts, authority: Authority, bounds: AuthBounds = limits) {
    this.#ports = ports;
    this.#authority = authority;
    this.#entriesMax = bounds.tokenCacheEntries;
    this.#buckets = new Buckets(bounds.requestsPerMinutePerToken, bounds.tokenCacheEntries);
    this.#commandBuckets = new Buckets(bounds.commandsPerMinutePerToken, bounds.tokenCacheEntries);
    this.rate = this.#buckets.rate;
    this.commandRate = this.#commandBuckets.rate;
  }

  /** Number of cached tokens. */
  get size(): number {
    return this.#known.size;
  }

  /** Returns the cached credential of a token; undefined if the token must be verified first. */
  known(token: string): Credential | undefined {
    if (token.length > limits.tokenChars) return undefined;
    const digest = digestOf(token);
    const credential = this.#known.get(digest);
    if (credential === undefined) return undefined;
    if (this.isCurrent(credential)) return credential;
    this.#known.delete(digest);
    return undefined;
  }

  /** Returns whether a credential is still valid: its key has not expired and its issuer is still trusted. */
  isCurrent({ key, generation }: Credential): boolean {
    return generation === this.#authority.generation() && key.exp * 1000 > nowForExpiry(this.#ports);
  }

  /** Verifies a token and caches it if it is good. */
  async verify(token: string): Promise<Credential | Refused> {
    const generation = this.#authority.generation();
    const trusted = { issuers: this.#authority.issuers(), hubId: this.#ports.hubId };
    const { key, problem } = await verifyHubKey(token, trusted, nowForExpiry(this.#ports));
    if (problem !== undefined) return new Refused(401, problemMessages[problem]);
    const already = this.known(token);
    if (already !== undefined) return already;
    const holder = JSON.stringify([key.kid, key.user_id]);
    const now = this.#ports.clock.monotonic();
    const credential: Credential = {
      key,
      generation,
      bucket: this.#buckets.of(holder, now),
      commands: this.#commandBuckets.of(holder, now),
      caller: undefined,
      user: undefined,
      synced: -1,
      local: undefined,
    };
    if (this.#known.size >= this.#entriesMax) {
      const oldest = this.#known.keys().next();
      if (!oldest.done) this.#known.delete(oldest.value);
    }
    this.#known.set(digestOf(token), credential);
    return credential;
  }

  /** Returns the caller that a credential stands for now, or 401. Follows changes of the hub's user table. */
  callerOf(credential: Credential): Caller | Refused {
    const user = this.#ports.kernel.get("user", credential.key.user_id);
    // For a user in the hub's own table, the list does not matter.
    const synced = user === undefined ? this.#authority.authorizationsSynced() : 0;
    const { jti } = credential.key;
    const local = jti === undefined ? undefined : this.#ports.kernel.get("localKey", jti);
    if (
      credential.caller !== undefined &&
      credential.user === user &&
      credential.synced === synced &&
      credential.local === local
    ) {
      return credential.caller;
    }
    const caller = this.#effective(credential.key, user, synced, local);
    credential.local = local;
    credential.user = user;
    credential.synced = synced;
    credential.caller = caller;
    return caller;
  }

  /**
   * The hub's own table decides about users that it knows, and a key from before they were last given access is not
   * theirs any more: whoever has stolen it lost it with the access. A key of another user counts only when it is
   * newer than what the hub has taken over, and never as the owner's: ownership moves by transfer.
   */
  #effective(
    key: HubKey,
    user: HubUser | undefined,
    synced: number,
    local: LocalKey | undefined,
  ): Caller | Refused {
    const origin = `user:${key.user_id}` as const;
    const { ownName, localName } = this.#authority;
    if (key.iss === localName && local?.user !== key.user_id)
      return new Refused(401, "this key was revoked: let this browser in again");
    if (user === undefined) {
      if (key.auth_seq <= synced || key.role === roles.OWNER_ADMIN)
        return new Refused(401, "the hub does not know this user");
      return { role: key.role, user: key.user_id, since: 0, origin };
    }
    if (user.revoked) return new Refused(401, "access to this hub was revoked");
    const isOwn = key.iss === ownName || key.iss === localName;
    const isOfFormerList = !isOwn && key.auth_seq < user.keysFrom;
    // Times in a key are whole seconds.
    if (isOfFormerList || key.iat < Math.floor(user.keysSince / 1000))
      return new Refused(401, "this HubKey is from before its user was last given access: fetch a new one");
    const { role } = user.user_info;
    if (!isRole(role)) return new Refused(401, "the user holds no known role");
    return { role, user: user.id, since: user.roleSince, origin };
  }

  /** Returns whether the hub itself has signed a key, which then opens it on its own network only. */
  isOwn({ key }: Credential): boolean {
    return key.iss === this.#authority.ownName || key.iss === this.#authority.localName;
  }

  /** Returns whether a token is the one configured for scraping metrics. */
  isScrapeToken(token: string): boolean {
    const { scrapeToken } = this.#ports;
    if (scrapeToken === null) return false;
    const [given, wanted] = [Buffer.from(token), Buffer.from(scrapeToken)];
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

/**
 * Returns the token in a header, raw or after `Bearer `. Some clients send `null` or nothing for no credential
 * (wire-facts 0).
 */
export function tokenIn(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const token = bearer.test(header) ? header.slice(7).trim() : header.trim();
  return token === "" || token === "null" ? undefined : token;
}
