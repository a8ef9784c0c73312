import { addressKey, signCloudToken, type TokenProblem, verifyCloudToken } from "@ledge/link";
import { foldedEmail, limits, reject, type Rejection, roles } from "@ledge/model";
import type { Account } from "../model/account.ts";
import type { Language } from "../model/languages.ts";
import { liveSession } from "../model/sessions.ts";
import { addressIn, type CloudParts, noAddress, submitForAddress } from "../parts.ts";
import { type AnyCommand, refusalOf, timeOf } from "../model/submitting.ts";
import { PasswordHashes } from "./password-hashes.ts";
import { TokenCache } from "../keys/token-cache.ts";

/** Unambiguous letters and digits: 32 of them, so that five bits choose one. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A one-time password, to be sent only to the address. */
export interface RequestedLogin {
  readonly email: string;
  readonly password: string;
  /** Also logs in. Nobody can guess it, so wrong tries do not count against it. */
  readonly longPassword: string;
  /** ms since the epoch. */
  readonly expires: number;
}

/** The result of a successful login. */
export interface LoggedIn {
  readonly token: string;
  readonly account: Account;
  readonly expires: number;
}

/** The account and live session of a cloud token. */
export interface LiveSession {
  readonly account: Account;
  readonly jti: string;
}

/** A cloud token with a valid signature. Its session may have ended. */
export interface VerifiedToken {
  /** The account's id. */
  readonly id: string;
  /** The session's id. */
  readonly jti: string;
  /** ms since the epoch. */
  readonly expires: number;
}

/** A command about an account, without its id. */
type About = { readonly type: string } & Readonly<Record<string, string | boolean>>;

function guessed(language: Language): readonly About[] {
  return [{ type: "SET_LANGUAGE", language, isGuess: true }];
}

/** Creates and ends the sessions of accounts. */
export class Logins {
  readonly #parts: CloudParts;
  readonly #hashes: PasswordHashes;
  readonly #verified = new TokenCache<VerifiedToken>();

  /** Counters since the start: requested one-time passwords, and successful and failed logins. */
  requested = 0;
  accepted = 0;
  refused = 0;

  constructor(parts: CloudParts) {
    this.#parts = parts;
    this.#hashes = new PasswordHashes(parts.random);
    parts.signingKeys.onReplaced(() => this.#verified.clear());
  }

  /**
   * Makes a one-time password for an address. The result does not show whether the address has an account.
   * @param from the network address of the caller; failed attempts from there count separately from others
   * @returns a rejection for an invalid address
   * @throws KernelError
   */
  async requestLogin(email: string, from: string): Promise<RequestedLogin | Rejection> {
    const address = addressIn(email);
    if (address === undefined) return noAddress;
    const { kernel, directory, digests, random } = this.#parts;
    const made = (chars: number): string => Array.from(random(chars), (byte) => alphabet[byte & 31]).join("");
    const [password, longPassword] = [made(limits.loginChars), made(limits.loginLongChars)];
    const folded = foldedEmail(address);
    const id = digests.of("address", folded);
    const refused = await refusalOf(kernel, "system", {
      type: "REQUEST_LOGIN",
      id,
      digest: digests.of("login", folded, password),
      long: digests.of("login", folded, longPassword),
      from: digests.of("caller", addressKey(from)),
    });
    if (refused !== undefined) return refused;
    this.requested++;
    const expires = kernel.get("login", id)?.expires ?? timeOf(kernel);
    return { email: directory.accountOf(address)?.email ?? address, password, longPassword, expires };
  }

  /**
   * Logs in with a one-time password. The first login creates the account.
   * @param from as in `requestLogin`
   * @param language of the person's program; it counts while the account has none
   * @returns undefined when the password is wrong or no longer valid
   * @throws KernelError
   */
  async logIn(
    email: string,
    password: string,
    from: string,
    language?: Language,
  ): Promise<LoggedIn | undefined> {
    const proof = await this.#prove(email, password, from);
    return this.#counted(proof && (await this.#start(proof.address, [proof.command], language)));
  }

  /**
   * Checks a one-time password like `logIn`, and starts no session.
   * @returns the account; undefined when the password is wrong or no longer valid
   * @throws KernelError
   */
  async proveAddress(
    email: string,
    password: string,
    from: string,
    language: Language,
  ): Promise<Account | undefined> {
    const proof = await this.#prove(email, password, from);
    const id = proof && (await this.#enter(proof.address, [proof.command], guessed(language)));
    const account = id === undefined ? undefined : this.#parts.kernel.get("account", id);
    if (account === undefined) this.refused++;
    else this.accepted++;
    return account;
  }

  /** Compares a one-time password. Returns what ends the login, together with the changes that it allows. */
  async #prove(
    email: string,
    password: string,
    from: string,
  ): Promise<{ readonly address: string; readonly command: AnyCommand } | undefined> {
    const { kernel, digests, newId } = this.#parts;
    const address = addressIn(email);
    if (address === undefined || password.length > limits.passwordMaxChars) return undefined;
    const folded = foldedEmail(address);
    const id = digests.of("address", folded);
    const given = password.replaceAll(/[\s-]/g, "").toUpperCase();
    const attempt = newId();
    const digest = digests.of("login", folded, given);
    const caller = digests.of("caller", addressKey(from));
    const tried = { type: "TRY_LOGIN", id, digest, long: digest, from: caller, attempt };
    await refusalOf(kernel, "system", tried);
    if (kernel.get("login", id)?.attempt !== attempt) return undefined;
    return { address, command: { type: "END_LOGIN", id, attempt } };
  }

  /**
   * Logs in with a fixed password. The caller limits the attempts.
   * @returns undefined when it is wrong, or the account has none
   * @throws KernelError, BusyError
   */
  async logInWithPassword(
    email: string,
    password: string,
    language?: Language,
  ): Promise<LoggedIn | undefined> {
    if (password.length > limits.passwordMaxChars) return undefined;
    const address = addressIn(email);
    const account = address === undefined ? undefined : this.#parts.directory.accountOf(address);
    const isRight = await this.#hashes.verify(password, account?.secrets.passwordHash);
    const isLoggedIn = isRight && account !== undefined;
    return this.#counted(isLoggedIn ? await this.#start(account.email, [], language) : undefined);
  }

  #counted(loggedIn: LoggedIn | undefined): LoggedIn | undefined {
    if (loggedIn === undefined) this.refused++;
    else this.accepted++;
    return loggedIn;
  }

  /**
   * Sets the fixed password of an account; null removes it.
   * @throws KernelError, BusyError
   */
  async setPassword(accountId: string, password: string | null): Promise<Rejection | undefined> {
    const { passwordMinChars: min, passwordMaxChars: max } = limits;
    if (password !== null && (password.length < min || password.length > max))
      return reject("invalid", `a password has ${min} to ${max} characters`, "password");
    const passwordHash = password === null ? null : await this.#hashes.hash(password);
    const command = { type: "SET_PASSWORD", id: accountId, passwordHash };
    return refusalOf(this.#parts.kernel, `user:${accountId}`, command);
  }

  /** Saves the profile of an account. Null leaves a field unchanged. */
  saveProfile(
    id: string,
    profile: { readonly nickname: string | null; readonly phone: string | null },
    language: Language | null = null,
  ): Promise<Rejection | undefined> {
    const spoken = language === null ? [] : [{ type: "SET_LANGUAGE", id, language, isGuess: false }];
    const command = { type: "SAVE_PROFILE", id, ...profile };
    return refusalOf(this.#parts.kernel, `user:${id}`, command, ...spoken);
  }

  /** Returns the session of a cloud token, or its problem; `ended` when the session is over. */
  async sessionOf(token: string): Promise<LiveSession | TokenProblem | "ended"> {
    const verified = await this.verified(token);
    return typeof verified === "string" ? verified : (this.live(verified) ?? "ended");
  }

  /** Returns the session of a token that was verified before, without verifying it again. */
  knownSession(token: string): LiveSession | undefined {
    const known = this.known(token);
    return known && this.live(known);
  }

  /** Verifies a token, unless it was verified before. Returns it, or its problem. */
  async verified(token: string): Promise<VerifiedToken | TokenProblem> {
    return this.known(token) ?? this.#verify(token, timeOf(this.#parts.kernel));
  }

  /** Returns a token that was verified before, without verifying it again. */
  known(token: string): VerifiedToken | undefined {
    return this.#verified.get(token, timeOf(this.#parts.kernel));
  }

  /** Returns the session of a verified token while it lives. */
  live({ id, jti, expires }: VerifiedToken): LiveSession | undefined {
    const { kernel } = this.#parts;
    const now = timeOf(kernel);
    const account = kernel.get("account", id);
    const session = expires > now ? liveSession(kernel.get("sessions", id), jti, now) : undefined;
    return account && session && { account, jti };
  }

  async #verify(token: string, now: number): Promise<VerifiedToken | TokenProblem> {
    const { issuer, signingKeys } = this.#parts;
    const verified = await verifyCloudToken(token, { keys: signingKeys.keySet, issuer }, now);
    if (verified.problem !== undefined) return verified.problem;
    const { user_id, jti, exp, kid } = verified.token;
    // The key may have been withdrawn meanwhile.
    if (!signingKeys.keySet.has(kid)) return "unknown-key";
    const found = { id: user_id, jti, expires: exp * 1000 };
    this.#verified.put(token, found);
    return found;
  }

  /**
   * Starts another session with its own token. The given session stays until it is logged out.
   * @returns undefined when the given session has ended
   * @throws KernelError
   */
  async refresh({ account, jti: from }: LiveSession): Promise<LoggedIn | undefined> {
    const jti = this.#parts.newId();
    const { id } = account;
    const refused = await refusalOf(this.#parts.kernel, `user:${id}`, {
      type: "START_SESSION",
      id,
      jti,
      from,
    });
    return refused === undefined ? this.#tokenOf(id, jti) : undefined;
  }

  /** Ends only this session. */
  async logOut({ account: { id }, jti }: LiveSession): Promise<void> {
    await refusalOf(this.#parts.kernel, `user:${id}`, { type: "END_SESSION", id, jti });
  }

  async #start(
    address: string,
    before: readonly AnyCommand[],
    language?: Language,
  ): Promise<LoggedIn | undefined> {
    const jti = this.#parts.newId();
    const then = [{ type: "START_SESSION", jti }, ...(language ? guessed(language) : [])];
    const id = await this.#enter(address, before, then);
    return id === undefined ? undefined : this.#tokenOf(id, jti);
  }

  /**
   * Notes that somebody reads the mails of an address; its first login makes the account.
   * @param then further commands about the account, without its id
   * @returns the account's id
   */
  async #enter(
    address: string,
    before: readonly AnyCommand[],
    then: readonly About[],
  ): Promise<string | undefined> {
    const id = await submitForAddress(
      this.#parts,
      address,
      (account, making) => [
        ...before,
        ...making,
        { type: "PROVE_ACCOUNT", id: account },
        ...then.map((command) => ({ ...command, id: account })),
      ],
      (account) => `user:${account}`,
    );
    return typeof id === "string" ? id : undefined;
  }

  async #tokenOf(id: string, jti: string): Promise<LoggedIn | undefined> {
    const { kernel, issuer, signingKeys } = this.#parts;
    const account = kernel.get("account", id);
    const session = liveSession(kernel.get("sessions", id), jti, timeOf(kernel));
    if (account === undefined || session === undefined) return undefined;
    const claims = { role: roles.IDENTIFIED_USER, user_id: id, jti };
    const { issued, expires } = session;
    return {
      token: await signCloudToken(claims, issuer, signingKeys.current, issued, expires),
      account,
      expires,
    };
  }
}
