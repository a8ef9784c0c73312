import { type Origin, reject, type Rejection, roles } from "@ledge/model";
import { isSameDigest } from "../model/digest.ts";
import { isGranter } from "../model/granting.ts";
import { roleIn } from "../model/inviting.ts";
import { addressIn, type CloudParts, newCode, noAddress, submitForAddress } from "../parts.ts";
import { type AnyCommand, refusalOf, timeOf } from "../model/submitting.ts";

/** A user with access to a hub, or invited to it. */
export interface Authorization {
  readonly user_id: string;
  readonly email: string;
  readonly nickname: string;
  readonly role: number;
  readonly owner: boolean;
  /** Until when an invitation can be accepted (ms); null for a user with access. */
  readonly invitedUntil: number | null;
}

/**
 * Content of a mail that invites somebody or offers a hub. The code accepts it, and only this mail contains
 * the code.
 */
export interface Sent {
  readonly email: string;
  readonly hubId: string;
  readonly hubName: string;
  readonly by: string;
  readonly code: string;
  readonly expires: number;
}

/** The user whom a request is about. */
export interface Subject {
  readonly hubId: string;
  readonly email: string;
}

const noInvitation = reject("not-found", "this invitation has expired, or was used or withdrawn");

/** Changes who has access to which hub. `by` is the acting account; the model decides what it may do. */
export class Sharing {
  readonly #parts: CloudParts;

  constructor(parts: CloudParts) {
    this.#parts = parts;
  }

  /** Returns the role that an account has at a hub now; undefined without access. */
  roleOf(accountId: string, hubId: string): number | undefined {
    const state = this.#parts.kernel.get("authorizations", hubId);
    return state && roleIn(state, accountId);
  }

  /** Returns the number of the list that gave an account access to a hub; undefined without access. */
  grantedBy(accountId: string, hubId: string): number | undefined {
    const state = this.#parts.kernel.get("authorizations", hubId);
    return state?.users.find(({ user }) => user === accountId)?.granted;
  }

  /** Returns who has access or is invited. Users who may not manage access see only themselves. */
  authorizations(by: string, hubId: string): readonly Authorization[] | Rejection {
    const { kernel } = this.#parts;
    const state = kernel.get("authorizations", hubId);
    const role = this.roleOf(by, hubId);
    if (state === undefined || role === undefined) return reject("not-found", `no hub ${hubId}`, "hubId");
    const now = timeOf(kernel);
    const invited = state.invitations.filter(({ expires }) => expires > now);
    const all = [
      ...state.users.map(({ user, role: held }) => this.#shown(user, held, null)),
      ...invited.map(({ user, role: offered, expires }) => this.#shown(user, offered, expires)),
    ];
    return isGranter(role) ? all : all.filter(({ user_id }) => user_id === by);
  }

  /**
   * Invites an address, with a new account if the address has none.
   * @throws KernelError
   */
  async invite(
    by: string,
    { hubId, email, role }: Subject & { readonly role: number },
  ): Promise<Sent | Rejection> {
    const code = newCode(this.#parts.random);
    const codeDigest = this.#parts.digests.of("code", hubId, code);
    const user = await this.#submitFor(by, email, (account) => {
      return { type: "INVITE", id: hubId, by, user: account, role, codeDigest };
    });
    if (typeof user !== "string") return user;
    const invitation = this.#parts.kernel
      .get("authorizations", hubId)
      ?.invitations.find((one) => one.user === user);
    return this.#sent(by, hubId, user, code, invitation?.expires ?? 0);
  }

  /** Gives an account access that has not to be accepted, because no person stands behind it. @throws KernelError */
  add(by: string, hubId: string, user: string, role: number): Promise<Rejection | undefined> {
    const codeDigest = this.#parts.digests.of("code", hubId, newCode(this.#parts.random));
    return refusalOf(
      this.#parts.kernel,
      `user:${by}`,
      { type: "INVITE", id: hubId, by, user, role, codeDigest },
      { type: "ACCEPT_INVITATION", id: hubId, user },
    );
  }

  /**
   * Accepts an invitation by the code of its link: whoever has the code can read mails to the address.
   * @throws KernelError
   */
  async acceptInvitation(hubId: string, code: string): Promise<Rejection | undefined> {
    const { kernel, digests } = this.#parts;
    const codeDigest = digests.of("code", hubId, code);
    const invitations = kernel.get("authorizations", hubId)?.invitations ?? [];
    const user = invitations.find((one) => isSameDigest(one.codeDigest, codeDigest))?.user;
    if (user === undefined) return noInvitation;
    return refusalOf(
      kernel,
      `user:${user}`,
      { type: "ACCEPT_INVITATION", id: hubId, user, codeDigest },
      { type: "PROVE_ACCOUNT", id: user },
    );
  }

  /** Accepts an invitation as the invited user, who is logged in. @throws KernelError */
  acceptInvitationTo(hubId: string, accountId: string): Promise<Rejection | undefined> {
    const command = { type: "ACCEPT_INVITATION", id: hubId, user: accountId };
    return refusalOf(this.#parts.kernel, `user:${accountId}`, command);
  }

  /** Declines an invitation. @throws KernelError */
  async refuseInvitation(hubId: string, accountId: string): Promise<Rejection | undefined> {
    const by = accountId;
    const { invitations = [] } = this.#parts.kernel.get("authorizations", hubId) ?? {};
    if (!invitations.some(({ user }) => user === by)) return noInvitation;
    return refusalOf(this.#parts.kernel, `user:${by}`, { type: "REVOKE", id: hubId, by, user: by });
  }

  /** Changes the role of a user or of an invitation. @throws KernelError */
  async setRole(
    by: string,
    { hubId, email, role }: Subject & { readonly role: number },
  ): Promise<Rejection | undefined> {
    const user = this.#known(by, hubId, email);
    return typeof user === "string" ? this.setRoleOf(by, hubId, user, role) : user;
  }

  /** Like `setRole`, for an account. @throws KernelError */
  setRoleOf(by: string, hubId: string, user: string, role: number): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, `user:${by}`, { type: "SET_ROLE", id: hubId, by, user, role });
  }

  /** Revokes access or withdraws an invitation, one's own too. @throws KernelError */
  async revoke(by: string, { hubId, email }: Subject): Promise<Rejection | undefined> {
    const user = this.#known(by, hubId, email);
    return typeof user === "string" ? this.revokeUser(by, hubId, user) : user;
  }

  /** Like `revoke`, for an account. @throws KernelError */
  revokeUser(by: string, hubId: string, user: string): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, `user:${by}`, { type: "REVOKE", id: hubId, by, user });
  }

  /**
   * Leaves a hub, or declines an invitation. An owner who leaves disowns the hub: everybody loses access, and
   * the hub can be claimed again.
   * @throws KernelError
   */
  async leave(accountId: string, hubId: string): Promise<Rejection | undefined> {
    const by = accountId;
    const command =
      this.roleOf(by, hubId) === roles.OWNER_ADMIN
        ? { type: "DISOWN_HUB", id: hubId, by }
        : { type: "REVOKE", id: hubId, by, user: by };
    return refusalOf(this.#parts.kernel, `user:${by}`, command);
  }

  /**
   * Offers the hub to an address, with a new account if the address has none. Only the owner may.
   * @throws KernelError
   */
  async offerOwnership(by: string, { hubId, email }: Subject): Promise<Sent | Rejection> {
    const code = newCode(this.#parts.random);
    const codeDigest = this.#parts.digests.of("code", hubId, code);
    const to = await this.#submitFor(by, email, (account) => {
      return { type: "OFFER_OWNERSHIP", id: hubId, by, to: account, codeDigest };
    });
    if (typeof to !== "string") return to;
    const expires = this.#parts.kernel.get("authorizations", hubId)?.transfer?.expires ?? 0;
    return this.#sent(by, hubId, to, code, expires);
  }

  /** Withdraws an offer as the owner, or declines it as the recipient. @throws KernelError */
  withdrawOffer(by: string, hubId: string): Promise<Rejection | undefined> {
    return refusalOf(this.#parts.kernel, `user:${by}`, { type: "WITHDRAW_OFFER", id: hubId, by });
  }

  /** Accepts an offer by the code of its link. @throws KernelError */
  async acceptOwnership(hubId: string, code: string): Promise<Rejection | undefined> {
    const { kernel, digests } = this.#parts;
    const user = kernel.get("authorizations", hubId)?.transfer?.to;
    if (user === undefined)
      return reject("not-found", "this offer has expired, or was accepted or withdrawn");
    const codeDigest = digests.of("code", hubId, code);
    return refusalOf(
      kernel,
      `user:${user}`,
      { type: "ACCEPT_OWNERSHIP", id: hubId, user, codeDigest },
      { type: "PROVE_ACCOUNT", id: user },
    );
  }

  /**
   * Forgets an account with its access, its sessions and its personal data.
   * @returns a rejection while it owns a hub
   * @throws KernelError
   */
  forget(accountId: string, by: Origin = `user:${accountId}`): Promise<Rejection | undefined> {
    const { kernel, directory, tenancy } = this.#parts;
    const left = [...directory.hubsOf(accountId)].flatMap((id) => {
      const { users = [], invitations = [], transfer } = kernel.get("authorizations", id) ?? {};
      const isListed = [...users, ...invitations].some(({ user }) => user === accountId);
      return [
        ...(transfer?.to === accountId ? [{ type: "WITHDRAW_OFFER", id, by: accountId }] : []),
        ...(isListed ? [{ type: "REVOKE", id, by: accountId, user: accountId }] : []),
      ];
    });
    const inTenants = tenancy.tenantsOf(accountId).flatMap(({ id, roles: given }) => {
      if (id === accountId) return given.map((one) => ({ type: "REMOVE_ROLE", id, ...one }));
      return [{ type: "REMOVE_PRINCIPAL", id, principal: accountId }];
    });
    return refusalOf(
      kernel,
      by,
      ...left,
      ...inTenants,
      { type: "END_SESSIONS", id: accountId },
      { type: "FORGET_ACCOUNT", id: accountId },
    );
  }

  /** Submits commands about the account of an address; makes the account if there is none. */
  async #submitFor(
    by: string,
    email: string,
    commandFor: (account: string) => AnyCommand,
  ): Promise<string | Rejection> {
    const address = addressIn(email);
    if (address === undefined) return noAddress;
    const commandsFor = (account: string, making: readonly AnyCommand[]): AnyCommand[] => {
      return [...making, commandFor(account)];
    };
    return submitForAddress(this.#parts, address, commandsFor, () => `user:${by}`);
  }

  /**
   * Returns the account of an address in a request. A caller without access does not learn whether it exists.
   */
  #known(by: string, hubId: string, email: string): string | Rejection {
    const id = this.#parts.directory.accountOf(email.trim())?.id;
    if (id !== undefined) return id;
    if (this.roleOf(by, hubId) === undefined) return reject("not-found", `no hub ${hubId}`, "hubId");
    return reject("not-found", "this user has no access", "email");
  }

  #shown(user: string, role: number, invitedUntil: number | null): Authorization {
    const { email = "", nickname = "" } = this.#parts.kernel.get("account", user) ?? {};
    return { user_id: user, email, nickname, role, owner: role === roles.OWNER_ADMIN, invitedUntil };
  }

  #sent(by: string, hubId: string, user: string, code: string, expires: number): Sent {
    const { kernel } = this.#parts;
    const hubName = kernel.get("registration", hubId)?.name ?? "Ledge";
    const email = kernel.get("account", user)?.email ?? "";
    return { email, hubId, hubName, by: kernel.get("account", by)?.email ?? "", code, expires };
  }
}
