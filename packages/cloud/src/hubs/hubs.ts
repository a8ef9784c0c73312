import { hubIdOfKey, type Jwks, signAuthorizationList, signHubKey, verifyHubAssertion } from "@ledge/link";
import { Id, limits, reject, type Rejection, roles } from "@ledge/model";
import Type from "typebox";
import { Expiring } from "./expiring.ts";
import { ownerOf } from "../model/owning.ts";
import { HubIdentity } from "../model/registration.ts";
import { addressIn, type CloudParts, newCode, noAddress, submitForAddress } from "../parts.ts";
import { type AnyCommand, refusalOf, timeOf } from "../model/submitting.ts";

/** What a hub says of itself when it opens a session. */
export const HubSessionRequest = Type.Object({
  hubId: Id,
  publicJwk: HubIdentity,
  name: Type.Optional(Type.Union([Type.String({ maxLength: limits.nameChars }), Type.Null()])),
  version: Type.String({ maxLength: limits.versionChars, pattern: "^[0-9]+(\\.[0-9]+){1,3}$" }),
  features: Type.Array(Type.Integer({ minimum: 0, maximum: 0xffff }), { maxItems: limits.hubFeatures }),
  /** When the hub was last restored from a backup (ms), and which run of its process this is. */
  generation: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  instance: Type.Optional(Type.String({ maxLength: limits.instanceChars })),
  /** A compact JWS (`signHubAssertion`) over the nonce of a challenge. */
  proof: Type.String({ maxLength: limits.tokenChars }),
});
export type HubSessionRequest = Type.Static<typeof HubSessionRequest>;

/** One process that speaks for a hub; there should be one of each hub. */
export interface HubProcess {
  readonly hubId: string;
  readonly generation: number;
  /** Empty for one that does not say. */
  readonly instance: string;
}

/** What a hub needs to go on. */
export interface HubSession {
  /** Bearer of its further requests. */
  readonly token: string;
  readonly issuer: string;
  readonly jwks: Jwks;
  /** For how long (ms) the token is good: a hub's clock does not matter. */
  readonly lifetimeMs: number;
}

/** A hub signs the address that it has dialled: one that passes its proof on is at another. */
const notHere = reject(
  "forbidden",
  "the hub has dialled an address that is not this cloud's: whoever runs it names its address, and aliases, in --config",
);

/** What hubs ask of the cloud. Times of challenges and sessions are elapsed time: they do not outlive the process. */
export class Hubs {
  readonly #parts: CloudParts;
  /** Nonces that were given and not used: for which hub. */
  readonly #challenges = new Expiring<string>(limits.challengeMs, limits.challenges);
  /** Digests of tokens: of which hub's process, and by which key it has proved itself: the id may go to another. */
  readonly #sessions = new Expiring<HubProcess & { readonly x: string }>(limits.hubSessionMs, limits.hubs);

  constructor(parts: CloudParts) {
    this.#parts = parts;
  }

  /**
   * A nonce for a hub to sign, good once within `limits.challengeMs`, and for whom it signs. `now` is the cloud's time
   * (ms).
   */
  challenge(hubId: string): { readonly nonce: string; readonly issuer: string; readonly now: number } {
    const { clock, kernel, random, issuer } = this.#parts;
    const nonce = newCode(random);
    this.#challenges.put(nonce, hubId, clock.monotonic());
    return { nonce, issuer, now: timeOf(kernel) };
  }

  /**
   * Opens a session for a hub that proves to hold its identity key; the first one registers it.
   * @param isHere whether it comes from this machine
   * @returns a rejection `forbidden` when the proof is not good or the id belongs to another key
   * @throws KernelError
   */
  async openSession(request: HubSessionRequest, isHere = false): Promise<HubSession | Rejection> {
    const { kernel, clock, random, digests, issuer, addresses, signingKeys } = this.#parts;
    const { hubId, publicJwk, name = null, version, features, proof } = request;
    const { generation = 0, instance = "" } = request;
    const audience = isHere ? [...addresses.known, ...addresses.here] : addresses.known;
    const verified = await verifyHubAssertion(proof, { hub_id: hubId, audience, publicJwk });
    if (verified.problem === "audience") return notHere;
    if (verified.problem !== undefined)
      return reject("forbidden", `the proof is not good: ${verified.problem}`);
    if (this.#challenges.take(verified.nonce, clock.monotonic()) !== hubId)
      return reject("forbidden", "the proof is not good: no nonce of this hub");
    const isOwnId = hubIdOfKey(publicJwk.x) === hubId;
    const said = { identity: publicJwk, name, version, features, generation };
    const refused = await refusalOf(
      kernel,
      "system",
      ...(isOwnId ? this.#displaced(hubId, publicJwk.x) : []),
      { type: "REGISTER_HUB", id: hubId, ...said, isOwnId },
    );
    if (refused !== undefined) return refused;
    const token = newCode(random);
    const process = { hubId, generation, instance, x: publicJwk.x };
    this.#sessions.put(digests.of("hub-session", token), process, clock.monotonic());
    return { token, issuer, jwks: signingKeys.jwks, lifetimeMs: limits.hubSessionMs };
  }

  /** Whoever has registered the id of another's key has to go, and with them the users whom they have made. */
  #displaced(id: string, x: string): AnyCommand[] {
    const { kernel } = this.#parts;
    const present = kernel.get("registration", id)?.identity.x;
    if (present === undefined || present === x) return [];
    const isOwned = (kernel.get("authorizations", id)?.users.length ?? 0) > 0;
    return [...(isOwned ? [{ type: "RELEASE_HUB", id }] : []), { type: "REMOVE_HUB", id }];
  }

  /** The hub whose token this is; undefined when it is nobody's, or not any more. */
  hubOf(token: string): string | undefined {
    return this.processOf(token)?.hubId;
  }

  /** As `hubOf`, with what tells it from another process that says it is the same hub. */
  processOf(token: string): HubProcess | undefined {
    if (token.length > limits.tokenChars) return undefined;
    const { kernel, clock, digests } = this.#parts;
    const process = this.#sessions.get(digests.of("hub-session", token), clock.monotonic());
    return process && kernel.get("registration", process.hubId)?.identity.x === process.x
      ? process
      : undefined;
  }

  /** The newest generation of a hub that has shown itself. */
  newestOf(hubId: string): number {
    return this.#parts.kernel.get("registration", hubId)?.generation ?? 0;
  }

  /**
   * A hub that is factory-new gets its owner, who gets an account if there is none.
   * @param from the address of the network that the hub calls from
   * @returns `changed`: false when nothing has, as the hub asks again
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

  /** The hub's list of users, signed: whoever has accepted, and nobody else. */
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

  /** The hub has taken the list of a number. */
  noteSeen(hubId: string, seq: number): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, "system", { type: "NOTE_SEEN", id: hubId, seq });
  }

  /** The owner has revoked users at the hub itself. */
  revoke(hubId: string, users: readonly string[]): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, "system", { type: "REVOKE_AT_HUB", id: hubId, users });
  }

  /**
   * The keys of an account: hub id -> HubKey, of every hub that it has access to.
   * @param isServed whether a hub of this version (hub-api 2.1) is to be among them
   */
  async hubKeys(
    accountId: string,
    isServed: (version: string) => boolean = () => true,
  ): Promise<ReadonlyMap<string, string>> {
    const { kernel, directory, issuer, signingKeys } = this.#parts;
    const { email = "", nickname = "" } = kernel.get("account", accountId) ?? {};
    const keys = new Map<string, string>();
    for (const hubId of directory.hubsOf(accountId)) {
      const hub = kernel.get("registration", hubId);
      const state = kernel.get("authorizations", hubId);
      const role = state?.users.find(({ user }) => user === accountId)?.role;
      if (hub === undefined || state === undefined || role === undefined || !isServed(hub.version)) continue;
      const claims = {
        hub_id: hubId,
        hub_name: hub.name ?? "Ledge",
        user_id: accountId,
        email,
        nickname,
        role,
        owner: ownerOf(state) === accountId,
        auth_seq: state.seq,
      };
      keys.set(hubId, await signHubKey(claims, issuer, signingKeys.current, timeOf(kernel)));
    }
    return keys;
  }
}
