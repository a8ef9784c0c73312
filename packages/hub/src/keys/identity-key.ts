import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { IssuerKey, KeySet } from "@ledge/link";
import { generateIssuerKey, keySetOf, signHubKey } from "@ledge/link";
import type { Hub, HubUser } from "@ledge/model";
import { writeWhole } from "../folder.ts";

/** How long (ms) a key that the hub signs itself is good for. */
export const recoveredKeyMs = 24 * 3_600_000;

/** The hub's own key pair, in the data folder (0600) from its first use on: with it the hub speaks for itself. */
export class IdentityKey {
  /** What its keys name as `iss`. */
  readonly name = "ledge-hub";
  readonly #file: string;
  #key: IssuerKey | undefined;

  constructor(folder: string) {
    this.#file = join(folder, "identity-key.json");
    if (existsSync(this.#file)) this.#key = JSON.parse(readFileSync(this.#file, "utf8")) as IssuerKey;
  }

  get keys(): KeySet {
    return keySetOf(this.#key === undefined ? [] : [this.#key]);
  }

  /**
   * A HubKey of a user's, good for `recoveredKeyMs`.
   * @param now ms since the epoch.
   */
  async sign(hub: Hub, { user_info: { user, role } }: HubUser, now: number): Promise<string> {
    const { uid: user_id, email, nickname } = user;
    const who = { user_id, email, nickname, role, owner: user_id === hub.owner };
    const claims = { hub_id: hub.id, hub_name: hub.name, ...who, auth_seq: 0 };
    return signHubKey(claims, this.name, await this.#made(), now, recoveredKeyMs);
  }

  async #made(): Promise<IssuerKey> {
    if (this.#key === undefined) {
      const key = await generateIssuerKey();
      writeWhole(this.#file, `${JSON.stringify(key)}\n`);
      this.#key = key;
    }
    return this.#key;
  }
}
