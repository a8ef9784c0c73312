import type { Kernel } from "@ledge/kernel";
import { generateIssuerKey, type IssuerKey, type Jwks, jwksOf, type KeySet, keySetOf } from "@ledge/link";
import { type DomainEvent, limits, type Rejection } from "@ledge/model";
import type { Jwk, SigningKey } from "../model/signing-key.ts";
import { publishedKeys, signingKeyAt } from "../model/signing-key.ts";
import type { CloudStates } from "../model/states.ts";
import { refusalOf, timeOf } from "../model/submitting.ts";

export interface SigningKeyOverview {
  readonly kid: string;
  /** From when it signs, and until when it is published; null while no later key exists. */
  readonly from: number;
  readonly until: number | null;
  readonly signs: boolean;
}

/** The signing keys of a cloud. Its log stores them, the private halves as secrets. */
export class SigningKeys {
  readonly #kernel: Kernel<CloudStates>;
  readonly #replaced: (() => void)[] = [];
  #told = 0;

  private constructor(kernel: Kernel<CloudStates>) {
    this.#kernel = kernel;
    // Whichever process of the cloud has done it.
    kernel.subscribe({
      published: ({ timestamp, events }) => {
        if (events.some((event) => isReplacing(event, timestamp))) this.#tellReplaced();
      },
    });
  }

  /**
   * Opens the keys of a log; makes the first key in a new log.
   * @throws Error when a private half cannot be read because its secret key is missing
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
    return issuerKeyOf(key);
  }

  /** The keys whose signatures are valid, with their private halves; the one that signs now is first. */
  get signing(): readonly IssuerKey[] {
    const { kid: current } = this.current;
    const published = publishedKeys(this.#all(), timeOf(this.#kernel)).map(issuerKeyOf);
    return published.toSorted((one, other) => Number(other.kid === current) - Number(one.kid === current));
  }

  /** The keys whose signatures are valid. */
  get keySet(): KeySet {
    const published = publishedKeys(this.#all(), timeOf(this.#kernel));
    return keySetOf(published.map(({ id: kid, publicJwk }) => ({ kid, publicJwk: { ...publicJwk } })));
  }

  /** The keys as they are published. */
  get jwks(): Jwks {
    return jwksOf(this.keySet);
  }

  /** All keys, as the operator sees them; times in ms. */
  get overview(): readonly SigningKeyOverview[] {
    const current = signingKeyAt(this.#all(), timeOf(this.#kernel))?.id;
    return this.#all().map(({ id: kid, from, until }) => ({ kid, from, until, signs: kid === current }));
  }

  /**
   * Makes a key that signs after `limits.signingKeyLeadMs`, or at once. Earlier keys stay published until
   * everything that they have signed has expired.
   * @param isUrgent sign at once; hubs refuse the signatures until they have fetched the key
   * @returns its kid, and from when it signs (ms)
   */
  async rotate(isUrgent = false): Promise<{ readonly kid: string; readonly from: number }> {
    await this.#dropExpired();
    const kid = await this.#add(timeOf(this.#kernel) + (isUrgent ? 0 : limits.signingKeyLeadMs));
    return { kid, from: this.#kernel.get("signingKey", kid)?.from ?? 0 };
  }

  /**
   * Withdraws a key: its signatures are invalid from now on. Hubs refuse them once they have fetched the keys
   * again.
   * @returns a rejection when no key has that kid, or no other key signs
   * @throws KernelError
   */
  async withdraw(kid: string): Promise<Rejection | undefined> {
    const told = this.#told;
    const refused = await refusalOf(this.#kernel, "console", { type: "WITHDRAW_SIGNING_KEY", id: kid });
    // One that has ended already changes nothing, and yet whoever withdraws it wants it gone everywhere.
    if (refused === undefined && this.#told === told) this.#tellReplaced();
    return refused;
  }

  /**
   * Calls back when a key was withdrawn, or when a key signs that hubs have had no time to fetch: results of
   * earlier checks of tokens may be wrong.
   */
  onReplaced(callback: () => void): void {
    this.#replaced.push(callback);
  }

  #tellReplaced(): void {
    this.#told += 1;
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

/** Whether an event makes signatures invalid, or a key sign that nobody has had time to fetch. */
function isReplacing(event: DomainEvent, timestamp: number): boolean {
  const { from, until } = event as unknown as { readonly from?: number; readonly until?: number | null };
  if (event.type === "SigningKeyAdded") return (from ?? Infinity) <= timestamp;
  return event.type === "SigningKeyEnded" && (until ?? Infinity) <= timestamp;
}

function issuerKeyOf({ id: kid, publicJwk, privateJwk }: SigningKey): IssuerKey {
  return { kid, publicJwk: { ...publicJwk }, privateJwk: { ...privateJwk } };
}
