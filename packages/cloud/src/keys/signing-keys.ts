import type { Kernel } from "@ledge/kernel";
import { generateIssuerKey, type IssuerKey, type Jwks, jwksOf, type KeySet, keySetOf } from "@ledge/link";
import { limits, type Rejection } from "@ledge/model";
import type { Jwk, SigningKey } from "../model/signing-key.ts";
import { publishedKeys, signingKeyAt } from "../model/signing-key.ts";
import type { CloudStates } from "../model/states.ts";
import { refusalOf, timeOf } from "../model/submitting.ts";

export interface SigningKeyOverview {
  readonly kid: string;
  /** From when it signs, and until when it is published; null while no later key is there. */
  readonly from: number;
  readonly until: number | null;
  readonly signs: boolean;
}

/** The keys with which a cloud signs. They stand in its log, the private halves as secrets. */
export class SigningKeys {
  readonly #kernel: Kernel<CloudStates>;
  readonly #replaced: (() => void)[] = [];

  private constructor(kernel: Kernel<CloudStates>) {
    this.#kernel = kernel;
  }

  /**
   * The keys of a log; a new one gets its first.
   * @throws Error when a private half cannot be read: its secret key is gone
   */
  static async open(kernel: Kernel<CloudStates>): Promise<SigningKeys> {
    const keys = new SigningKeys(kernel);
    await keys.#dropExpired();
    if (kernel.size("signingKey") === 0 && kernel.health.state === "serving") await keys.#add(timeOf(kernel));
    for (const [id, { privateJwk }] of kernel.all("signingKey")) {
      if (typeof privateJwk["d"] !== "string")
        throw new Error(`the private half of signing key ${id} cannot be read: put the secret key back`);
    }
    return keys;
  }

  /** The key that signs now. */
  get current(): IssuerKey {
    const key = signingKeyAt(this.#all(), timeOf(this.#kernel));
    if (key === undefined) throw new Error("there is no signing key");
    const { id: kid, publicJwk, privateJwk } = key;
    return { kid, publicJwk: { ...publicJwk }, privateJwk: { ...privateJwk } };
  }

  /** The keys whose signatures count. */
  get keySet(): KeySet {
    const published = publishedKeys(this.#all(), timeOf(this.#kernel));
    return keySetOf(published.map(({ id: kid, publicJwk }) => ({ kid, publicJwk: { ...publicJwk } })));
  }

  /** As they are published. */
  get jwks(): Jwks {
    return jwksOf(this.keySet);
  }

  /** As who runs the cloud sees them; times in ms. */
  get overview(): readonly SigningKeyOverview[] {
    const current = signingKeyAt(this.#all(), timeOf(this.#kernel))?.id;
    return this.#all().map(({ id: kid, from, until }) => ({ kid, from, until, signs: kid === current }));
  }

  /**
   * Makes a key that signs from `limits.signingKeyLeadMs` on, or at once; the ones before are published until all
   * that they have signed has expired.
   * @param isUrgent at once: hubs that have not read it yet refuse what it signs until they do
   * @returns its kid, and from when it signs (ms)
   */
  async rotate(isUrgent = false): Promise<{ readonly kid: string; readonly from: number }> {
    await this.#dropExpired();
    const kid = await this.#add(timeOf(this.#kernel) + (isUrgent ? 0 : limits.signingKeyLeadMs));
    if (isUrgent) this.#tellReplaced();
    return { kid, from: this.#kernel.get("signingKey", kid)?.from ?? 0 };
  }

  /**
   * What a key has signed counts no more, from now on; hubs refuse it when they have read the keys again.
   * @returns a rejection when there is none of that kid, or no other signs
   * @throws KernelError
   */
  async withdraw(kid: string): Promise<Rejection | undefined> {
    const refused = await refusalOf(this.#kernel, "console", { type: "WITHDRAW_SIGNING_KEY", id: kid });
    if (refused === undefined) this.#tellReplaced();
    return refused;
  }

  /**
   * Calls back when a key signs that hubs have not had the time to read, or one was withdrawn: what was found of tokens
   * before may not hold.
   */
  onReplaced(callback: () => void): void {
    this.#replaced.push(callback);
  }

  #tellReplaced(): void {
    for (const callback of this.#replaced) callback();
  }

  async #add(from: number): Promise<string> {
    const { kid, publicJwk, privateJwk } = await generateIssuerKey();
    const halves = { publicJwk: publicJwk as Jwk, privateJwk: privateJwk as Jwk };
    const refused = await refusalOf(this.#kernel, "system", {
      type: "ADD_SIGNING_KEY",
      id: kid,
      ...halves,
      from,
    });
    if (refused !== undefined) throw new Error(refused.message);
    return kid;
  }

  async #dropExpired(): Promise<void> {
    if (this.#kernel.health.state !== "serving") return;
    const now = timeOf(this.#kernel);
    const expired = this.#all().filter(({ until }) => until !== null && until <= now);
    if (expired.length === 0) return;
    const commands = expired.map(({ id }) => ({ type: "DROP_SIGNING_KEY", id }));
    await refusalOf(this.#kernel, "system", ...commands);
  }

  #all(): SigningKey[] {
    return [...this.#kernel.all("signingKey")].map(([, key]) => key);
  }
}
