import { generateIssuerKey, hubIdOfKey, type IssuerKey, signHubAssertion } from "@ledge/link";

/** A hub as a cloud sees it: an identity and its metadata. */
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
   * Returns the body of `POST /hub/session`.
   * @param cloud the dialled address, without a path
   * @param nonce of a challenge
   */
  async sessionRequest(cloud: string, nonce: string): Promise<object> {
    const proof = await signHubAssertion({ hub_id: this.id, nonce }, cloud, this.#key);
    const publicJwk = { kty: "OKP", crv: "Ed25519", x: this.#key.publicJwk.x };
    return { hubId: this.id, publicJwk, name: "Cabin", version: "1.14.15.1", features: [5], proof };
  }
}
