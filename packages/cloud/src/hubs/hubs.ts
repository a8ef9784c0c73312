import {
  hubIdOfKey,
  type HubKeyClaims,
  type Jwks,
  signAuthorizationList,
  signHubKey,
  verifyHubAssertion,
} from "@ledge/link";
import { Id, limits, reject, type Rejection, roles } from "@ledge/model";
import Type from "typebox";
import type { HubProcess } from "./hub-process.ts";
import type { HubSessions } from "./hub-sessions.ts";
import { ownerOf } from "../model/owning.ts";
import { HubIdentity } from "../model/registration.ts";
import { addressIn, type CloudParts, newCode, noAddress, submitForAddress } from "../parts.ts";
import { type AnyCommand, refusalOf, timeOf } from "../model/submitting.ts";

/** What a hub reports about itself to open a session. */
export const HubSessionRequest = Type.Object({
  hubId: Id,
  publicJwk: HubIdentity,
  name: Type.Optional(Type.Union([Type.String({ maxLength: limits.nameChars }), Type.Null()])),
  version: Type.String({ maxLength: limits.versionChars, pattern: "^[0-9]+(\\.[0-9]+){1,3}$" }),
  features: Type.Array(Type.Integer({ minimum: 0, maximum: 0xffff }), { maxItems: limits.hubFeatures }),
  /** When the hub was last restored from a backup (ms), and an id of this run of its process. */
  generation: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  instance: Type.Optional(Type.String({ maxLength: limits.instanceChars })),
  /** A compact JWS (`signHubAssertion`) over the nonce of a challenge. */
  proof: Type.String({ maxLength: limits.tokenChars }),
});
export type HubSessionRequest = Type.Static<typeof HubSessionRequest>;

/** What a hub gets when its session opens. */
export interface HubSession {
  /** Bearer token of the hub's further requests. */
  readonly token: string;
  readonly issuer: string;
  readonly jwks: Jwks;
  /** How long the token is valid (ms), independent of the hub's clock. */
  readonly lifetimeMs: number;
}

/** A hub signs the address that it has dialled: whoever passes the proof on has another address. */
const notHere = reject(
  "forbidden",
  "the hub has dialled an address that is not this cloud's: list the cloud's address and aliases in its --config",
);

/** Serves requests of hubs. */
export class Hubs {
  readonly #parts: CloudParts;
  readonly #sessions: HubSessions;

  constructor(parts: CloudParts, sessions: HubSessions) {
    this.#parts = parts;
    this.#sessions = sessions;
  }

  /**
   * Returns a nonce for a hub to sign, which is valid once within `limits.challengeMs`, the issuer to sign
   * for, and the cloud's time `now` (ms).
   */
  challenge(hubId: string): { readonly nonce: string; readonly issuer: string; readonly now: number } {
    const { kernel, random, issuer } = this.#parts;
    const nonce = this.#sessions.challenge(hubId, newCode(random));
    return { nonce, issuer, now: timeOf(kernel) };
  }

  /**
   * Opens a session for a hub that proves that it holds its identity key. Registers the hub on its first
   * session.
   * @param isHere whether the hub calls from this machine
   * @returns a rejection `forbidden` when the proof is invalid or the id belongs to another key
   * @throws KernelError
   */
  async openSession(request: HubSessionRequest, isHere = false): Promise<HubSession | Rejection> {
    const { kernel, random, issuer, addresses, signingKeys } = this.#parts;
    const { hubId, publicJwk, name = null, version, features, proof } = request;
    const { generation = 0, instance = "" } = request;
    const audience = isHere ? [...addresses.known, ...addresses.here] : addresses.known;
    const verified = await verifyHubAssertion(proof, { hub_id: hubId, audience, publicJwk });
    if (verified.problem === "audience") return notHere;
    if (verified.problem !== undefined)
      return reject("forbidden", `the proof is invalid: ${verified.problem}`);
    if (!this.#sessions.take(verified.nonce, hubId))
      return reject("forbidden", "the proof is invalid: its nonce is not an open challenge of this hub");
    const isOwnId = hubIdOfKey(publicJwk.x) === hubId;
    const said = { identity: publicJwk, name, version, features, generation };
    const refused = await refusalOf(
      kernel,
      "system",
      ...(isOwnId ? this.#displaced(hubId, publicJwk.x) : []),
      { type: "REGISTER_HUB", id: hubId, ...said, isOwnId },
    );
    if (refused !== undefined) return refused;
    const process = { hubId, generation, instance, x: publicJwk.x };
    const token = this.#sessions.begin(process, newCode(random));
    return { token, issuer, jwks: signingKeys.jwks, lifetimeMs: limits.hubSessionMs };
  }

  /** Returns commands that remove a hub which registered the id of another hub's key, and its users. */
  #displaced(id: string, x: string): AnyCommand[] {
    const { kernel } = this.#parts;
    const present = kernel.get("registration", id)?.identity.x;
    if (present === undefined || present === x) return [];
    const isOwned = (kernel.get("authorizations", id)?.users.length ?? 0) > 0;
    return [...(isOwned ? [{ type: "RELEASE_HUB", id }] : []), { type: "REMOVE_HUB", id }];
  }

  /** Returns the hub of a session token; undefined when the token is unknown or has expired. */
  hubOf(token: string): string | undefined {
    return this.processOf(token)?.hubId;
  }

  /**
   * Returns the process of a session token: two processes may claim to be the same hub. Undefined as for
   * `hubOf`.
   */
  processOf(token: string): HubProcess | undefined {
    if (token.length > limits.tokenChars) return undefined;
    const process = this.#sessions.find(token);
    return process && this.#parts.kernel.get("registration", process.hubId)?.identity.x === process.x
      ? process
      : undefined;
  }

  /** Returns the newest generation of a registered hub; 0 when the hub is unknown. */
  newestOf(hubId: string): number {
    return this.#parts.kernel.get("registration", hubId)?.generation ?? 0;
  }

  /**
   * Makes an address the owner of a factory-new hub, with a new account if the address has none.
   * @param from the network address that the hub calls from
   * @returns `changed`: false when the hub repeats a claim
   * @throws KernelError
   */
  async claim(
    hubId: string,
    email: string,
    from?: string,
  ): Promise<{ readonly userId: string; readonly seq: number; readonly changed: boolean } | Rejection> {
    const address = addressIn(email);
    if (address === undefined) return noAddress;
    const { kernel } = this.#parts;
    const before = kernel.get("authorizations", hubId)?.seq ?? 0;
    const userId = await submitForAddress(
      this.#parts,
      address,
      (owner, making) => [
        ...making,
        { type: "CLAIM_HUB", id: hubId, owner, ...(from !== undefined && { from }) },
      ],
      () => "system",
    );
    if (typeof userId !== "string") return userId;
    const seq = kernel.get("authorizations", hubId)?.seq ?? 0;
    return { userId, seq, changed: seq !== before };
  }

  /** Returns the hub's signed list of users: only those who have accepted. */
  authorizationList(hubId: string): Promise<string> {
    const { kernel, issuer, signingKeys } = this.#parts;
    const { seq = 0, users = [] } = kernel.get("authorizations", hubId) ?? {};
    const listed = users.map(({ user, role, granted }) => {
      const { email = "", nickname = "" } = kernel.get("account", user) ?? {};
      return { user_id: user, email, nickname, role, owner: role === roles.OWNER_ADMIN, granted };
    });
    return signAuthorizationList(
      { hub_id: hubId, seq, users: listed },
      issuer,
      signingKeys.current,
      timeOf(kernel),
    );
  }

  /** Notes that the hub has the list with this number. */
  noteSeen(hubId: string, seq: number): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, "system", { type: "NOTE_SEEN", id: hubId, seq });
  }

  /** Revokes users whom the owner has revoked at the hub itself. */
  revoke(hubId: string, users: readonly string[]): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, "system", { type: "REVOKE_AT_HUB", id: hubId, users });
  }

  /**
   * Returns the HubKeys of an account, by hub id, for every hub that it has access to.
   * @param isServed whether to include a hub of this version (hub-api 2.1)
   */
  async hubKeys(
    accountId: string,
    isServed: (version: string) => boolean = () => true,
  ): Promise<ReadonlyMap<string, string>> {
    const { kernel, directory } = this.#parts;
    const keys = new Map<string, string>();
    for (const hubId of directory.hubsOf(accountId)) {
      const version = kernel.get("registration", hubId)?.version;
      const claims = this.claimsOf(accountId, hubId);
      if (version === undefined || claims === undefined || !isServed(version)) continue;
      keys.set(hubId, await this.signKey(claims));
    }
    return keys;
  }

  /** Returns what a HubKey of an account says now; undefined without access to the hub. */
  claimsOf(accountId: string, hubId: string): HubKeyClaims | undefined {
    const { kernel } = this.#parts;
    const hub = kernel.get("registration", hubId);
    const state = kernel.get("authorizations", hubId);
    const role = state?.users.find(({ user }) => user === accountId)?.role;
    if (hub === undefined || state === undefined || role === undefined) return undefined;
    const { email = "", nickname = "" } = kernel.get("account", accountId) ?? {};
    return {
      hub_id: hubId,
      hub_name: hub.name ?? "Ledge",
      user_id: accountId,
      email,
      nickname,
      role,
      owner: ownerOf(state) === accountId,
      auth_seq: state.seq,
    };
  }

  /** Signs a HubKey. @param lifetimeMs as for `signHubKey` */
  signKey(claims: HubKeyClaims, lifetimeMs?: number): Promise<string> {
    const { kernel, issuer, signingKeys } = this.#parts;
    return signHubKey(claims, issuer, signingKeys.current, timeOf(kernel), lifetimeMs);
  }
}
