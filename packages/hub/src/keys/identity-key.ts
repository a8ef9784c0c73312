import { createPrivateKey } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { IssuerKey, KeySet } from "@ledge/link";
import { generateIssuerKey, keySetOf, signHubKey } from "@ledge/link";
import type { Hub, HubUser } from "@ledge/model";
import { limits } from "@ledge/model";
import { writeWhole } from "@ledge/host/folder";
import type { Logger } from "@ledge/host/logger";

/** The hub's own key pair, in the data folder (0600) from its first start on: with it the hub speaks for itself. */
export class IdentityKey {
  /** What its keys name as `iss`. */
  readonly name = "ledge-hub";
  readonly key: IssuerKey;
  readonly keys: KeySet;

  private constructor(key: IssuerKey) {
    this.key = key;
    this.keys = keySetOf([key]);
  }

  /**
   * Reads it, or makes one. What cannot be read is set aside, what cannot be written lasts as long as the process:
   * the hub does without its cloud rather than not at all.
   */
  static async open(folder: string, logger: Pick<Logger, "error">): Promise<IdentityKey> {
    const file = join(folder, "identity-key.json");
    const known = read(file, logger);
    if (known !== undefined) return new IdentityKey(known);
    const made = await generateIssuerKey();
    try {
      if (existsSync(file)) renameSync(file, `${file}.damaged`);
      writeWhole(file, `${JSON.stringify(made)}\n`);
    } catch (error) {
      logger.error({ error }, "the hub's identity key cannot be kept: free some room and restart it");
    }
    return new IdentityKey(made);
  }

  /**
   * A HubKey of a user's, good for `limits.recoveredKeyMs`.
   * @param now ms since the epoch.
   */
  sign(hub: Hub, { user_info: { user, role } }: HubUser, now: number): Promise<string> {
    const { uid: user_id, email, nickname } = user;
    const who = { user_id, email, nickname, role, owner: user_id === hub.owner };
    const claims = { hub_id: hub.id, hub_name: hub.name, ...who, auth_seq: 0 };
    return signHubKey(claims, this.name, this.key, now, limits.recoveredKeyMs);
  }
}

function read(file: string, logger: Pick<Logger, "error">): IssuerKey | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const key = JSON.parse(readFileSync(file, "utf8")) as IssuerKey;
    createPrivateKey({ key: key.privateJwk, format: "jwk" });
    if (typeof key.kid === "string" && key.publicJwk.x === key.privateJwk.x) return key;
  } catch {
    // As below.
  }
  logger.error(
    { file },
    "the hub's identity key cannot be read: a new one is made, which its cloud does not know",
  );
  return undefined;
}
