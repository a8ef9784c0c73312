import { generateIssuerKey, hubIdOfKey, type IssuerKey, signHubAssertion } from "@ledge/link";

/** A hub as far as a cloud sees one: an identity, and what it says of itself. */
export class HubAtCloud {
  readonly id: string;
  readonly #key: IssuerKey;

  private constructor(key: IssuerKey) {
    this.#key = key;
    this.id = hubIdOfKey(key.publicJwk.x as string);
  }

  static async make(): Promise<HubAtCloud> {
    return new HubAtCloud(await generateIssuerKey());
  }

  /**
   * The body of `POST /hub/session`.
   * @param cloud the address that it has dialled, without a path
   * @param nonce of a challenge
   */
  async sessionRequest(cloud: string, nonce: string): Promise<object> {
    const proof = await signHubAssertion({ hub_id: this.id, nonce }, cloud, this.#key);
    const publicJwk = { kty: "OKP", crv: "Ed25519", x: this.#key.publicJwk.x };
    return { hubId: this.id, publicJwk, name: "Cabin", version: "1.14.15.1", features: [5], proof };
  }
}
