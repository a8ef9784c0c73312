import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { IssuerKey, KeySet } from "@ledge/link";
import { keySetOf } from "@ledge/link";
import type { Hub, HubUser } from "@ledge/model";
import { writeWhole } from "../folder.ts";

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
   * A HubKey of a user's, good for a day. Few hubs ever sign one, so that the code for it is loaded when one does.
   * @param now ms since the epoch.
   */
  async sign(hub: Hub, user: HubUser, now: number): Promise<string> {
    const { makeIdentityKey, signRecoveredKey } = await import("./recovered-key.ts");
    if (this.#key === undefined) {
      const key = await makeIdentityKey();
      writeWhole(this.#file, `${JSON.stringify(key)}\n`);
      this.#key = key;
    }
    return signRecoveredKey(hub, user, this.name, this.#key, now);
  }
}
