import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Kernel } from "@ledge/kernel";
import type { IssuerKey, KeySet } from "@ledge/link";
import { generateIssuerKey, keySetOf, signActivationCode, signHubKey } from "@ledge/link";
import type { Command, HubUser } from "@ledge/model";
import { limits, roles } from "@ledge/model";
import { KeyRefused } from "./key-refused.ts";

/** What development keys name as their issuer. */
const developmentIssuerName = "ledge-development-issuer";

/**
 * Signs hub keys and activation codes without a cloud, for trying a hub out on one machine. Its key pair is made per data folder at
 * first use. No device bundle holds this module.
 */
export class DevelopmentIssuer {
  readonly #key: IssuerKey;

  constructor(key: IssuerKey) {
    this.#key = key;
  }

  /** Reads the folder's key pair, or makes one (0600). */
  static async open(folder: string): Promise<DevelopmentIssuer> {
    const file = join(folder, "development-issuer.json");
    if (!existsSync(file)) {
      const key = await generateIssuerKey();
      const fresh = `${file}.new`;
      writeFileSync(fresh, JSON.stringify(key), { mode: 0o600, flush: true });
      renameSync(fresh, file);
    }
    return new DevelopmentIssuer(JSON.parse(readFileSync(file, "utf8")) as IssuerKey);
  }

  /** What its keys name as `iss`. */
  get name(): string {
    return developmentIssuerName;
  }

  get keys(): KeySet {
    return keySetOf([this.#key]);
  }

  /**
   * A key for the owner, or for another user who is added with the role if need be. A factory-new hub is
   * claimed for the owner first.
   * @throws KeyRefused
   */
  async issue(kernel: Kernel, now: number, wanted: { email?: string; role?: number } = {}): Promise<string> {
    const [hub] = [...kernel.all("hub")].map(([, state]) => state);
    if (hub === undefined) throw new KeyRefused("there is no hub in this folder yet");
    if (hub.state === "factory_new") {
      const email = "owner@localhost";
      await submit(kernel, { type: "CLAIM_HUB", id: hub.id, userId: randomUUID(), email });
    }
    const user =
      wanted.email === undefined ? ownerOf(kernel) : await this.#userOf(kernel, wanted.email, wanted.role);
    const { uid, email, nickname } = user.user_info.user;
    const { role } = user.user_info;
    const claims = {
      hub_id: hub.id,
      hub_name: hub.name,
      user_id: uid,
      email,
      nickname,
      role,
      owner: role === roles.OWNER_ADMIN,
      auth_seq: 0,
    };
    return signHubKey(claims, developmentIssuerName, this.#key, now);
  }

  /**
   * An activation code of this release's issuer.
   * @param now ms since the epoch.
   */
  activationCode(hubId: string, features: readonly number[], now: number): string {
    const serial = randomBytes(8).toString("hex");
    return signActivationCode({ serial, features, expires: now + limits.activationCodeMs }, hubId, this.#key);
  }

  async #userOf(kernel: Kernel, email: string, role: number = roles.IDENTIFIED_USER): Promise<HubUser> {
    const known = [...kernel.all("user")].find(
      ([, { user_info, revoked }]) => user_info.user.email === email && !revoked,
    );
    if (known !== undefined) {
      const [id, user] = known;
      if (user.user_info.role !== role) await submit(kernel, { type: "SET_USER_ROLE", id, role });
      return kernel.get("user", id) ?? user;
    }
    const id = randomUUID();
    const [nickname = email] = email.split("@");
    await submit(kernel, { type: "ADD_USER", id, email, nickname, phone: null, role });
    return kernel.get("user", id) as HubUser;
  }
}

function ownerOf(kernel: Kernel): HubUser {
  for (const [, user] of kernel.all("user")) if (user.user_info.role === roles.OWNER_ADMIN) return user;
  throw new KeyRefused("this hub has no owner");
}

async function submit(kernel: Kernel, command: Command & Record<string, unknown>): Promise<void> {
  const outcome = await kernel.submit({ commands: [command], origin: "console" });
  if (!outcome.accepted) throw new KeyRefused(outcome.rejection.message);
}
