import { type AccessToken, isAccessToken, type TokenProblem, verifyAccessToken } from "@ledge/link";
import type { Cloud } from "../cloud.ts";
import type { Account } from "../model/account.ts";
import { TokenCache } from "../keys/token-cache.ts";
import type { Access } from "../model/oauth-scopes.ts";
import { timeOf } from "../model/submitting.ts";
import type { OAuthNames } from "./names.ts";

/** An access token with a valid signature. Its client or its account may be gone. */
interface VerifiedAccess extends AccessToken {
  /** ms since the epoch. */
  readonly expires: number;
}

/** Whoever calls the platform, and how far the call may reach. */
export interface Bearer {
  readonly account: Account;
  /** Set for an access token. */
  readonly access?: Access;
}

/**
 * Says who stands behind a token at the platform: an account with a cloud token, or an access token of OAuth2.
 * HubKeys are neither.
 */
export class Bearers {
  readonly #cloud: Pick<Cloud, "kernel" | "signingKeys" | "logins">;
  readonly #names: () => OAuthNames;
  readonly #verified = new TokenCache<VerifiedAccess>();

  constructor(cloud: Pick<Cloud, "kernel" | "signingKeys" | "logins">, names: () => OAuthNames) {
    this.#cloud = cloud;
    this.#names = names;
    cloud.signingKeys.onReplaced(() => this.#verified.clear());
  }

  /** Returns who stands behind a token that was verified before, without verifying it again. */
  known(token: string): Bearer | undefined {
    const access = this.#verified.get(token, timeOf(this.#cloud.kernel));
    return access === undefined ? this.#cloud.logins.knownSession(token) : this.#live(access);
  }

  /** Returns who stands behind a token, or its problem; `ended` when it is over before its time. */
  async of(token: string): Promise<Bearer | TokenProblem | "ended"> {
    const { logins, kernel } = this.#cloud;
    const known = this.#verified.get(token, timeOf(kernel));
    if (known !== undefined) return this.#live(known) ?? "ended";
    if (!isAccessToken(token)) return logins.sessionOf(token);
    const verified = await this.#verify(token);
    return typeof verified === "string" ? verified : (this.#live(verified) ?? "ended");
  }

  async #verify(token: string): Promise<VerifiedAccess | TokenProblem> {
    const { kernel, signingKeys } = this.#cloud;
    const wanted = { keys: signingKeys.keySet, ...this.#names() };
    const verified = await verifyAccessToken(token, wanted, timeOf(kernel));
    if (verified.problem !== undefined) return verified.problem;
    // The key may have been withdrawn meanwhile.
    if (!signingKeys.keySet.has(verified.token.kid)) return "unknown-key";
    const found = { ...verified.token, expires: verified.token.exp * 1000 };
    this.#verified.put(token, found);
    return found;
  }

  /** Returns who stands behind a verified access token while its account and its client are there. */
  #live({ sub, client_id, tenant, scopes, expires }: VerifiedAccess): Bearer | undefined {
    const { kernel } = this.#cloud;
    const account = kernel.get("account", sub);
    const isOver = expires <= timeOf(kernel) || kernel.get("client", client_id) === undefined;
    return isOver || account === undefined || account.forgotten
      ? undefined
      : { account, access: { tenant, scopes } };
  }
}
