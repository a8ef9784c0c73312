import { signActivationCode } from "@ledge/link";
import { limits, type Rejection } from "@ledge/model";
import type { Clone } from "../model/registration.ts";
import { type CloudParts, refusalOf, timeOf } from "../parts.ts";

/** A hub as who runs the cloud sees it. */
export interface HubOverview {
  readonly hubId: string;
  readonly name: string | null;
  readonly version: string;
  /** When it was last noted to be there (ms). */
  readonly seen: number;
  /** Another hub of the same identity has lately asked for the link. */
  readonly clone: Clone | null;
  readonly users: number;
  readonly invitations: number;
  /** Number of its list, and the newest that it has taken. */
  readonly seq: number;
  readonly seqSeen: number;
}

/** What who runs the cloud does with it: nobody else reaches it. */
export class Operation {
  readonly #parts: CloudParts;

  constructor(parts: CloudParts) {
    this.#parts = parts;
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

  /** Nobody has access to the hub any more: it can be claimed anew. @throws KernelError */
  releaseHub(hubId: string): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, "console", { type: "RELEASE_HUB", id: hubId });
  }

  /** Forgets which key the id of a hub without users belongs to. @throws KernelError */
  removeHub(hubId: string): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, "console", { type: "REMOVE_HUB", id: hubId });
  }

  /**
   * Ends sessions of an account: one of them, or all. With all goes the fixed password, which a thief may have set.
   * @throws KernelError
   */
  endSessions(accountId: string, jti?: string): Promise<Rejection | undefined> {
    const id = accountId;
    const commands =
      jti === undefined
        ? [
            { type: "END_SESSIONS", id },
            { type: "SET_PASSWORD", id, passwordHash: null },
          ]
        : [{ type: "END_SESSION", id, jti }];
    return refusalOf(this.#parts.kernel, "console", ...commands);
  }

  /**
   * A code that turns features of one hub on, once.
   * @param features codes of hub-api 2.1
   */
  activationCode(hubId: string, features: readonly number[]): string {
    const { kernel, random, signingKeys } = this.#parts;
    const serial = Buffer.from(random(8)).toString("hex");
    const expires = timeOf(kernel) + limits.activationCodeMs;
    return signActivationCode({ serial, features, expires }, hubId, signingKeys.current);
  }
}
