import { signActivationCode } from "@ledge/link";
import { limits, type Rejection } from "@ledge/model";
import type { Clone } from "../model/registration.ts";
import type { Artifacts } from "../oauth/artifacts.ts";
import type { CloudParts } from "../parts.ts";
import { refusalOf, timeOf } from "../model/submitting.ts";

/** A hub as the operator sees it. */
export interface HubOverview {
  readonly hubId: string;
  readonly name: string | null;
  readonly version: string;
  /** When it was last noted as present (ms). */
  readonly seen: number;
  /** Another hub with the same identity has recently tried to connect. */
  readonly clone: Clone | null;
  readonly users: number;
  readonly invitations: number;
  /** The number of its authorization list, and the newest one that it has seen. */
  readonly seq: number;
  readonly seqSeen: number;
}

/** Actions of the operator, only reachable through the console. */
export class Operation {
  readonly #parts: CloudParts;
  readonly #artifacts: Pick<Artifacts, "removeOfOwner">;

  constructor(parts: CloudParts, artifacts: Pick<Artifacts, "removeOfOwner">) {
    this.#parts = parts;
    this.#artifacts = artifacts;
  }

  *hubs(): Generator<HubOverview> {
    const { kernel } = this.#parts;
    for (const [hubId, { name, version, seen, clone }] of kernel.all("registration")) {
      const state = kernel.get("authorizations", hubId);
      const { users = [], invitations = [], seq = 0, seen: seqSeen = 0 } = state ?? {};
      yield {
        hubId,
        name,
        version,
        seen,
        clone,
        users: users.length,
        invitations: invitations.length,
        seq,
        seqSeen,
      };
    }
  }

  /** Creates a tenant with its first owner. @returns its id */
  async createTenant(displayName: string, owner: string): Promise<{ id: string } | Rejection> {
    const { kernel, newId } = this.#parts;
    const id = newId();
    return (await refusalOf(kernel, "console", { type: "CREATE_TENANT", id, displayName, owner })) ?? { id };
  }

  /**
   * Revokes everybody's access to a hub, so that it can be claimed again.
   * @throws KernelError
   */
  releaseHub(hubId: string): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, "console", { type: "RELEASE_HUB", id: hubId });
  }

  /**
   * Removes a hub without users, so that another key can use its id.
   * @throws KernelError
   */
  removeHub(hubId: string): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, "console", { type: "REMOVE_HUB", id: hubId });
  }

  /**
   * Ends one session of an account, or all. Ending all also removes the fixed password, which a thief may
   * have set, and what the account has granted to clients.
   * @throws KernelError
   */
  async endSessions(accountId: string, jti?: string): Promise<Rejection | undefined> {
    const id = accountId;
    const commands =
      jti === undefined
        ? [
            { type: "END_SESSIONS", id },
            { type: "SET_PASSWORD", id, passwordHash: null },
          ]
        : [{ type: "END_SESSION", id, jti }];
    const refused = await refusalOf(this.#parts.kernel, "console", ...commands);
    if (refused === undefined && jti === undefined) await this.#artifacts.removeOfOwner(id);
    return refused;
  }

  /**
   * Makes a code that activates features of one hub, once.
   * @param features codes of hub-api 2.1
   */
  activationCode(hubId: string, features: readonly number[]): string {
    const { kernel, random, signingKeys } = this.#parts;
    const serial = Buffer.from(random(8)).toString("hex");
    const expires = timeOf(kernel) + limits.activationCodeMs;
    return signActivationCode({ serial, features, expires }, hubId, signingKeys.current);
  }
}
