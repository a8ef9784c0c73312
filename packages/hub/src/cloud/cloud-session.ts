import type { Clock } from "@ledge/kernel";
import { keySetFrom, signHubAssertion } from "@ledge/link";
import type { PublicKey } from "@ledge/model";
import { limits, lazyValidator } from "@ledge/model";
import Type from "typebox";
import type { IdentityKey } from "../secrets/identity-key.ts";
import { type CloudCall, type CloudClient, CloudError, readAnswer } from "./cloud-client.ts";

/** Facts about the hub that it tells the cloud. */
export interface HubFacts {
  readonly hubId: string;
  readonly name: string;
  readonly version: string;
  readonly features: readonly number[];
  /** The generation in the log (`Hub`). With `instance` the cloud tells processes with the same identity apart. */
  readonly generation: number;
  readonly instance: string;
  /** Addresses in the hub's own network. */
  readonly lanAddresses: readonly string[];
}

export interface CloudSessionOptions {
  readonly client: CloudClient;
  readonly identity: IdentityKey;
  readonly clock: Pick<Clock, "monotonic">;
  readonly facts: () => HubFacts;
  /** The name of the trusted cloud at this address; undefined before the first contact. */
  readonly issuer: () => string | undefined;
  /** Called when the cloud has shown its signing keys. */
  readonly trust: (issuer: string, keys: readonly PublicKey[]) => Promise<void>;
}

const Name = Type.String({ minLength: 1, maxLength: 256 });
const challengeShape = lazyValidator(Type.Object({ nonce: Name, issuer: Name }));
const sessionShape = lazyValidator(
  Type.Object({
    token: Type.String({ minLength: 1, maxLength: limits.tokenChars }),
    issuer: Name,
    jwks: Type.Object({ keys: Type.Array(Type.Unknown()) }),
    lifetimeMs: Type.Integer({ minimum: 1 }),
  }),
);

/** The hub's session with its cloud. It is opened by a proof of the identity key and renewed before it expires. */
export class CloudSession {
  readonly #options: CloudSessionOptions;
  #token: { readonly text: string; readonly until: number } | undefined;
  #opening: Promise<string> | undefined;

  constructor(options: CloudSessionOptions) {
    this.#options = options;
  }

  /**
   * Returns a token for the cloud.
   * @param refused a token that the cloud has refused
   * @throws CloudError
   */
  async token(refused: string | undefined, signal: AbortSignal): Promise<string> {
    const held = this.#token;
    const isGood =
      held !== undefined && held.text !== refused && held.until > this.#options.clock.monotonic();
    if (isGood) return held.text;
    this.#opening ??= this.#open(signal).finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Makes the next call tell the cloud the hub's current facts. */
  renew(): void {
    this.#token = undefined;
  }

  /**
   * Calls the cloud as this hub.
   * @returns as `CloudClient.call`
   * @throws CloudError
   */
  async call(call: Omit<CloudCall, "token">): Promise<string> {
    const token = await this.token(undefined, call.signal);
    try {
      return await this.#options.client.call({ ...call, token });
    } catch (error) {
      if ((error as CloudError).status !== 401) throw error;
      return this.#options.client.call({ ...call, token: await this.token(token, call.signal) });
    }
  }

  async #open(signal: AbortSignal): Promise<string> {
    const { client, identity, clock, facts, issuer: known, trust } = this.#options;
    const { problem } = identity;
    if (problem !== undefined) throw new CloudError(`the hub cannot say who it is: ${problem}`);
    const { hubId, ...said } = facts();
    const began = clock.monotonic();
    const ask = { method: "POST", signal } as const;
    const challenge = readAnswer(
      challengeShape,
      await client.call({ ...ask, path: "/hub/challenge", body: { hubId } }),
    );
    const trusted = known();
    if (trusted !== undefined && trusted !== challenge.issuer)
      throw new CloudError(
        `the cloud at ${client.url} was ${trusted} and says that it is ${challenge.issuer}`,
      );
    const { publicJwk } = identity.key;
    const proof = await signHubAssertion(
      { hub_id: hubId, nonce: challenge.nonce },
      new URL(client.url).origin,
      identity.key,
    );
    const { kty, crv, x } = publicJwk;
    const body = { hubId, publicJwk: { kty, crv, x }, ...said, proof };
    const session = readAnswer(sessionShape, await client.call({ ...ask, path: "/hub/session", body }));
    const keys = keySetFrom(session.jwks);
    if (session.issuer !== challenge.issuer || keys === undefined || keys.size === 0)
      throw new CloudError("the cloud answers nonsense");
    await trust(
      session.issuer,
      [...keys].map(([kid, jwk]) => ({ kid, x: jwk.x ?? "" })),
    );
    this.#token = { text: session.token, until: began + session.lifetimeMs * renewAt };
    return session.token;
  }
}

/** A session is renewed after this part of its lifetime. */
const renewAt = 0.9;
